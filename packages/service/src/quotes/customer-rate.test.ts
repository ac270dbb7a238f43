import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bps, findPair, formatDecimal, parseDecimal } from '@firmquote/fx';
import type { BookPrice } from '../market/rate-book.ts';
import type { ResolvedSpread } from '../pricing/resolve-spread.ts';
import { Problem } from '../problems/problem.ts';
import { customerRate } from './customer-rate.ts';

const EURUSD = findPair('EURUSD') ?? assert.fail();
const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);
const SELLS_EUR = { pair: EURUSD, sell: EURUSD.base, buy: EURUSD.quote };
const BUYS_EUR = { pair: EURUSD, sell: EURUSD.quote, buy: EURUSD.base };

const price = (bid = '1.08488', ask = '1.08494'): BookPrice => ({
  bid: decimal(bid),
  ask: decimal(ask),
  asOf: 0,
  source: 'a',
});
const spread = (units: bigint) => ({ totalBps: bps(units) }) as ResolvedSpread;

test('who asks again between two ticks gets the object of the second request, on each side', () => {
  const [tick, own] = [price(), spread(2_000n)];
  const [first, second, third] = [1, 2, 3].map(() => customerRate(SELLS_EUR, tick, own));
  assert.notEqual(second, first);
  assert.equal(third, second);
  const [bought, boughtAgain] = [1, 2].map(() => customerRate(BUYS_EUR, tick, own));
  assert.equal(boughtAgain, bought);
  assert.notEqual(bought, second);
  assert.equal(customerRate(SELLS_EUR, tick, own), second);
});

test('the rate is the same whether it is kept or not, and of its own price, spread and side', () => {
  const [tick, next, own, other] = [price(), price('1.08500', '1.08506'), spread(2_000n), spread(1_000n)];
  const shown = (...of: Parameters<typeof customerRate>) => {
    const { rate, mid, market } = customerRate(...of).priced;
    return [rate, mid, market].map(formatDecimal).join(' ');
  };
  for (const round of ['first', 'second', 'third']) {
    assert.equal(shown(SELLS_EUR, tick, own), '1.08271 1.08491 1.08488', round);
    assert.equal(shown(BUYS_EUR, tick, own), '1.08711 1.08491 1.08494', round);
    assert.equal(shown(SELLS_EUR, tick, other), '1.08379 1.08491 1.08488', round);
    assert.equal(shown(SELLS_EUR, next, own), '1.08283 1.08503 1.08500', round);
  }
});

test('a price that is nothing at the decimals of its pair is refused each time', () => {
  const [tick, own] = [price('0.000001', '0.000002'), spread(0n)];
  for (const round of ['first', 'second', 'third']) {
    assert.throws(
      () => customerRate(SELLS_EUR, tick, own),
      (error) => error instanceof Problem && error.code === 'price_unavailable',
      round,
    );
  }
});
