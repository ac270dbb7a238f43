import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import Big from 'big.js';
import { CURRENCIES, findCurrency } from './currency.ts';
import { formatDecimal } from './decimal.ts';
import { findPair, marketOrder, pairOf } from './pair.ts';

function currency(code: string) {
  const found = findCurrency(code);
  assert.ok(found, code);
  return found;
}

test('pairs are in market order whichever way they are asked for', () => {
  const pairs =
    'EURUSD EURGBP GBPUSD GBPAUD AUDNZD AUDUSD NZDUSD USDCAD USDCHF CADCHF USDJPY EURJPY CHFJPY CADJPY ' +
    'USDKWD USDCNH EURSEK SGDJPY HKDJPY ZARJPY NOKJPY SEKJPY TRYJPY MXNJPY CNHJPY PLNJPY THBJPY JPYKRW DKKNOK ' +
    'DKKSEK NOKSEK SGDCHF SGDHKD CADSGD CHFHKD CHFZAR CNHCNY CZKPLN EURHUF';
  for (const code of pairs.split(' ')) {
    const first = currency(code.slice(0, 3));
    const second = currency(code.slice(3));
    assert.equal(pairOf(first, second).code, code);
    assert.equal(pairOf(second, first), pairOf(first, second), 'one object for both directions');
    assert.equal(findPair(code), pairOf(first, second));
    assert.equal(findPair(`${second.code}${first.code}`), undefined, 'only in market order');
  }
});

test('gold and silver come before all currencies', () => {
  assert.deepEqual(marketOrder('USD', 'XAU'), ['XAU', 'USD']);
  assert.deepEqual(marketOrder('XAG', 'EUR'), ['XAG', 'EUR']);
  assert.deepEqual(marketOrder('XAG', 'XAU'), ['XAU', 'XAG']);
});

test('the order of any two currencies does not depend on how they are given', () => {
  for (const a of CURRENCIES) {
    for (const b of CURRENCIES) {
      if (a === b) continue;
      assert.deepEqual(marketOrder(a.code, b.code), marketOrder(b.code, a.code));
      const pair = pairOf(a, b);
      assert.ok((pair.base === a && pair.quote === b) || (pair.base === b && pair.quote === a));
    }
  }
});

test('a pair needs two known currencies', () => {
  assert.throws(() => pairOf(currency('USD'), currency('USD')), RangeError);
  for (const code of ['USDUSD', 'EURXXX', 'EUR', '', 'EURUSDX', 'eurusd', 'EUR/USD', 'XAUUSD']) {
    assert.equal(findPair(code), undefined, code);
    assert.equal(findPair(code), undefined, 'and asking again changes nothing');
  }
});

test('a currency with its own settlement increment makes its own pair', () => {
  const wholeForint = { ...currency('HUF'), settlementIncrementMinor: 100n };
  const pair = pairOf(currency('EUR'), wholeForint);
  assert.equal(pair.quote, wholeForint);
  assert.equal(pairOf(wholeForint, currency('EUR')), pair);
  assert.equal(findPair('EURHUF')?.quote.settlementIncrementMinor, 1n);
});

test('decimals are those of the market', () => {
  const expected: [string, number, number][] = [
    // pair, decimals, pip decimals
    ['EURUSD', 5, 4],
    ['USDJPY', 3, 2],
    ['USDKWD', 5, 4],
    ['EURHUF', 3, 2],
    ['USDKRW', 3, 2],
    ['USDCLP', 3, 2],
    ['USDIDR', 2, 2],
    ['USDVND', 0, 0],
    ['USDTHB', 4, 3],
    ['USDPHP', 4, 3],
    ['USDBHD', 6, 5],
    ['USDOMR', 6, 5],
    ['EURCZK', 5, 4],
    ['HKDJPY', 5, 2],
    ['ZARJPY', 4, 2],
  ];
  for (const [code, decimals, pipDecimals] of expected) {
    const pair = findPair(code);
    assert.deepEqual([pair?.decimals, pair?.pipDecimals], [decimals, pipDecimals], code);
  }
});

test('every pair has five significant digits at its typical level, and a pip is never finer than a rate', () => {
  for (const base of CURRENCIES) {
    for (const quote of CURRENCIES) {
      const pair = base === quote ? undefined : findPair(base.code + quote.code);
      if (pair === undefined) continue;
      const level = new Big(formatDecimal(quote.typicalPerUsd)).div(formatDecimal(base.typicalPerUsd));
      const units = level.times(new Big(10).pow(pair.decimals));
      assert.ok(units.gte(10_000), `${pair.code} at ${level} with ${pair.decimals} decimals`);
      assert.ok(pair.pipDecimals <= pair.decimals);
    }
  }
});

// Venues with coarser steps than the conventions followed here.
const FINER_THAN_VENUES = new Set(['USDINR', 'USDTHB', 'USDKRW', 'TRYJPY', 'ZARJPY']);

test("order and precision agree with two venues' lists of pairs", (t) => {
  const path = new URL(
    '../../../../shared/data/rates/pairs/lean-forex-symbol-properties.csv',
    import.meta.url,
  );
  if (!existsSync(path)) return t.skip(`the list of venue pairs is not at ${path.pathname}`);
  const lines = readFileSync(path, 'utf8').trim().split('\n').slice(1);
  let compared = 0;
  for (const line of lines) {
    const [, code = '', , , , , step = ''] = line.split(',');
    const pair = findPair(code);
    assert.ok(pair, `${code} is not a pair in market order`);
    const stepDecimals = step.split('.')[1]?.length ?? 0;
    if (FINER_THAN_VENUES.has(code)) assert.ok(pair.decimals > stepDecimals, code);
    else assert.equal(pair.decimals, stepDecimals, code);
    compared += 1;
  }
  assert.ok(compared > 100, `${compared} compared`);
});
