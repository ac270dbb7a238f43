import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURRENCIES, findPair } from '@firmquote/fx';
import fc from 'fast-check';
import {
  compareRates,
  decimalsOf,
  enteredAmount,
  formatAmount,
  parseAmount,
  parseLimit,
  pipDecimalsOf,
  splitRate,
  spreadPips,
} from './amount.ts';

const READ: readonly (readonly [text: string, decimals: number, amount: string])[] = [
  ['1m', 2, '1000000.00'],
  ['1.5bn', 2, '1500000000.00'],
  ['250k', 0, '250000'],
  ['1.000.000,00', 2, '1000000.00'],
  ['1,000,000.00', 2, '1000000.00'],
  ["1'000'000.5", 2, '1000000.50'],
  ['1 000 000,25', 2, '1000000.25'],
  ['1,000', 2, '1000.00'],
  ['0.29', 2, '0.29'],
  ['1.1', 2, '1.10'],
  ['8,2', 2, '8.20'],
  ['1.234', 3, ''],
  ['1,234', 3, ''],
  ['1,234.5', 3, '1234.500'],
  ['1.500m', 2, '1500000.00'],
  ['1,5m', 2, '1500000.00'],
  ['1,234,567k', 2, '1234567000.00'],
  ['1.2345m', 2, '1234500.00'],
  ['1000,500', 3, '1000.500'],
  ['0,500', 2, '0.50'],
  ['12.5', 3, '12.500'],
  ['007', 0, '7'],
  ['100.0', 0, '100'],
];
const REFUSED = [
  '',
  'abc',
  '1.000',
  '1,500k',
  '1000,500',
  '1000.500',
  '2,500m',
  '0',
  '0.00',
  '1.2.3',
  '1,00,000',
  '1..2',
  '1e6',
  '-5',
  '1.001x',
  '9'.repeat(19),
];

test('amounts are read as people write them', () => {
  for (const [text, decimals, amount] of READ) {
    const read = parseAmount(text, decimals);
    assert.equal(read.ok ? read.amount : '', amount, text);
  }
});

test('what is no amount, or two at once, is refused with a reason', () => {
  for (const text of REFUSED) {
    const read = parseAmount(text, 2);
    assert.ok(!read.ok && read.why.length > 0, text);
  }
  assert.deepEqual(parseAmount('1.05', 0), { ok: false, why: 'This currency has no decimals.' });
  assert.deepEqual(parseAmount('1.005,555', 2).ok, false);
});

test('what stands in a field from the beginning is read again, digit by digit', () => {
  const minors = fc.oneof(
    fc.bigInt({ min: 1n, max: 10n ** 17n }),
    fc.bigInt({ min: 1n, max: 10n ** 7n }),
    // Whole ones, and those that end in zeros.
    fc.bigInt({ min: 1n, max: 10n ** 5n }).map((units) => units * 100n),
  );
  const amount = fc.tuple(minors, fc.constantFrom(0, 2, 3));
  fc.assert(
    fc.property(amount, ([minor, decimals]) => {
      const digits = minor.toString().padStart(decimals + 1, '0');
      const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      const read = parseAmount(enteredAmount(text, decimals), decimals);
      assert.ok(read.ok, text);
      assert.equal(read.amount, text);
    }),
    { numRuns: 200 },
  );
});

test('three decimals that may be thousands are told how to be entered, and stand in a field so that they are none', () => {
  for (const [amount, entered] of [
    ['150.125', '150.1250'],
    ['150.000', '150'],
    ['150.120', '150.12'],
    ['1150.125', '1,150.125'],
    ['0.125', '0.125'],
    ['0.000', '0.000'],
  ] as const)
    assert.equal(enteredAmount(amount, 3), entered);
  assert.deepEqual([enteredAmount('1500.00', 2), enteredAmount('1500', 0)], ['1,500.00', '1,500']);
  const read = parseAmount('150.125', 3);
  assert.equal(read.ok ? '' : read.why, 'Ambiguous separator: enter 150125 or 150.1250.');
});

test('amounts keep their zeros, their minus and every digit', () => {
  assert.equal(formatAmount('1000000.00'), '1,000,000.00');
  assert.equal(formatAmount('-0.50'), '−0.50');
  assert.equal(formatAmount('12345678901234567890.12'), '12,345,678,901,234,567,890.12');
  assert.equal(formatAmount('1000'), '1,000');
});

test('currencies have their own decimals', () => {
  assert.deepEqual(['JPY', 'KWD', 'EUR'].map(decimalsOf), [0, 3, 2]);
});

test('rates are split where the pips are', () => {
  assert.deepEqual(splitRate('1.08456', 4), { big: '1.08', pips: '45', rest: '6' });
  assert.deepEqual(splitRate('151.234', 2), { big: '151.', pips: '23', rest: '4' });
  assert.deepEqual(splitRate('7', 4), { big: '7', pips: '', rest: '' });
  assert.deepEqual([pipDecimalsOf('EURUSD'), pipDecimalsOf('USDJPY')], [4, 2]);
});

test('a pip is what the market calls one, whatever the decimals of a rate are', () => {
  for (const base of CURRENCIES)
    for (const quote of CURRENCIES) {
      const pair = findPair(`${base.code}${quote.code}`);
      if (pair !== undefined) assert.equal(pipDecimalsOf(pair.code), pair.pipDecimals, pair.code);
    }
});

test('spreads are in pips, to a tenth', () => {
  assert.equal(spreadPips('15600.25', '15601.75', pipDecimalsOf('USDIDR')), '150.0');
  assert.equal(spreadPips('26350', '26360', pipDecimalsOf('USDVND')), '10.0');
  assert.equal(spreadPips('19.23450', '19.23650', pipDecimalsOf('HKDJPY')), '0.2');
  assert.equal(spreadPips('1.08456', '1.08465', 4), '0.9');
  assert.equal(spreadPips('151.234', '151.250', 2), '1.6');
  assert.equal(spreadPips('1.00010', '1.00000', 4), '−1.0');
  assert.equal(spreadPips('1.08456', '1.08456', 4), '0.0');
});

test('a spread of a part of a pip is told as it is', () => {
  for (const [pair, bid, ask, pips] of [
    ['KRWJPY', '0.10799', '0.10801', '0.002'],
    ['KRWJPY', '0.10801', '0.10803', '0.002'],
    ['IDRKWD', '0.000017857', '0.000017869', '0.0001'],
    ['HKDJPY', '19.23450', '19.23655', '0.2'],
    ['HKDJPY', '19.23450', '19.23750', '0.3'],
  ] as const)
    assert.equal(spreadPips(bid, ask, pipDecimalsOf(pair)), pips, `${pair} ${bid} ${ask}`);
});

test('a rate that is written otherwise has not moved', () => {
  assert.equal(compareRates('1.0840', '1.08400'), 0);
  assert.equal(compareRates('1.0840', '1.08401'), 1);
  assert.equal(compareRates('0.99999', '0.9'), -1);
});

test('a limit may be none, and is otherwise read as an amount is', () => {
  for (const [text, decimals, amount] of [
    ['0', 2, '0.00'],
    ['0.00', 2, '0.00'],
    ['000', 0, '0'],
    ...READ,
  ] as const) {
    const read = parseLimit(text, decimals);
    assert.equal(read.ok ? read.amount : '', amount, text);
  }
  for (const text of ['', '-1', '1,00,0', '0.001']) assert.equal(parseLimit(text, 2).ok, false, text);
  assert.equal(parseAmount('0.00', 2).ok, false, 'nobody moves nothing');
});
