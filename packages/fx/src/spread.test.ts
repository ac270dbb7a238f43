import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import { findPair } from './pair.ts';
import { priceRate } from './pricing.ts';
import {
  bpsUnits,
  composeSpread,
  parseSpreadBps,
  SPREAD_BPS_MAX,
  type SpreadComponent,
  type SpreadComponentType,
  totalOfComponents,
} from './spread.ts';

const decimal = (text: string): Decimal => parseDecimal(text) ?? assert.fail(text);
const part = (type: SpreadComponentType, bps: string): SpreadComponent => ({ type, bps: decimal(bps) });
const shown = (components: readonly SpreadComponent[]) =>
  components.map(({ type, bps }) => `${type} ${formatDecimal(bps)}`);

const VECTORS: readonly [
  string,
  SpreadComponent[],
  { min?: string; max?: string },
  total: string,
  string[],
][] = [
  ['one part', [part('customer_spread', '20')], {}, '20.00', ['customer_spread 20.00']],
  [
    'the worked example',
    [part('customer_spread', '18.00'), part('validity_premium', '2.00')],
    {},
    '20.00',
    ['customer_spread 18.00', 'validity_premium 2.00'],
  ],
  [
    'a discount, and two premiums of one kind',
    [
      part('customer_spread', '20'),
      part('validity_premium', '1'),
      part('amount_tier', '-5.5'),
      part('validity_premium', '0.25'),
      part('market_hours', '0'),
    ],
    {},
    '15.75',
    ['customer_spread 20.00', 'validity_premium 1.25', 'amount_tier -5.50'],
  ],
  [
    'the minimum bites',
    [part('customer_spread', '3')],
    { min: '5' },
    '5.00',
    ['customer_spread 3.00', 'minimum 2.00'],
  ],
  [
    'the maximum bites',
    [part('customer_spread', '30'), part('market_hours', '15')],
    { min: '5', max: '40' },
    '40.00',
    ['customer_spread 30.00', 'market_hours 15.00', 'maximum -5.00'],
  ],
  [
    'bounds that are met',
    [part('customer_spread', '5')],
    { min: '5', max: '5' },
    '5.00',
    ['customer_spread 5.00'],
  ],
  ['nothing', [part('customer_spread', '0')], {}, '0.00', ['customer_spread 0.00']],
  [
    'beyond half of the rate',
    [part('customer_spread', '4999.99'), part('market_hours', '1')],
    { max: '9999' },
    '4999.99',
    ['customer_spread 4999.99', 'market_hours 1.00', 'maximum -1.00'],
  ],
];

for (const [name, parts, bounds, total, components] of VECTORS) {
  test(`composing a spread: ${name}`, () => {
    const spread = composeSpread(parts, {
      minBps: bounds.min === undefined ? undefined : decimal(bounds.min),
      maxBps: bounds.max === undefined ? undefined : decimal(bounds.max),
    });
    assert.equal(formatDecimal(spread.totalBps), total);
    assert.deepEqual(shown(spread.components), components);
  });
}

test('what cannot be is refused', () => {
  const parts = [part('customer_spread', '1')];
  assert.throws(() => composeSpread(parts, { minBps: decimal('2'), maxBps: decimal('1') }), RangeError);
  assert.throws(() => composeSpread([part('amount_tier', '-1')]), RangeError);
  assert.throws(() => bpsUnits(decimal('1.001')), RangeError);
  assert.equal(bpsUnits(decimal('1.5000')), 150n);
});

const units = fc.bigInt({ min: -2_000n, max: 499_999n });
const parts = fc.array(
  fc.record({
    type: fc.constantFrom<SpreadComponentType>(
      'tenor_spread',
      'validity_premium',
      'amount_tier',
      'market_hours',
    ),
    bps: units.map((each) => ({ units: each, scale: 2 })),
  }),
  { maxLength: 6 },
);
const bound = fc.option(fc.bigInt({ min: 0n, max: 499_999n }), { nil: undefined });

test('the components add up to the total exactly, within the bounds, and the rate follows from them alone', () => {
  const pair = findPair('EURUSD') ?? assert.fail();
  fc.assert(
    fc.property(parts, bound, bound, (more, a, b) => {
      const [min, max] = a !== undefined && b !== undefined && a > b ? [b, a] : [a, b];
      const bounds = {
        minBps: min === undefined ? undefined : { units: min, scale: 2 },
        maxBps: max === undefined ? undefined : { units: max, scale: 2 },
      };
      const all: SpreadComponent[] = [part('customer_spread', '200.00'), ...more];
      const sum = all.reduce((total, each) => total + each.bps.units, 0n);
      if (sum < 0n && min === undefined) return assert.throws(() => composeSpread(all, bounds), RangeError);
      const { totalBps, components } = composeSpread(all, bounds);
      assert.deepEqual(totalOfComponents(components), totalBps);
      assert.ok(totalBps.units >= (min ?? 0n));
      assert.ok(totalBps.units <= (max ?? SPREAD_BPS_MAX.units));
      if (totalBps.units === sum) {
        assert.ok(components.every(({ type }) => type !== 'minimum' && type !== 'maximum'));
      }
      assert.equal(new Set(components.map(({ type }) => type)).size, components.length);
      const rate = (spreadBps: Decimal) =>
        priceRate({
          pair,
          sell: pair.quote,
          buy: pair.base,
          market: { bid: decimal('1.08488'), ask: decimal('1.08494') },
          spreadBps,
        }).rate;
      assert.deepEqual(rate(totalOfComponents(components)), rate(totalBps));
    }),
    { numRuns: 500 },
  );
});

test('a spread is read from 0 to the widest, with two decimals at most', () => {
  const shownSpread = (text: string) => {
    const read = parseSpreadBps(text);
    return read && formatDecimal(read);
  };
  for (const [text, shown] of [
    ['0', '0.00'],
    ['12.5', '12.50'],
    ['20.00', '20.00'],
    ['4999.99', '4999.99'],
  ] as const) {
    assert.equal(shownSpread(text), shown);
  }
  for (const text of ['-0.01', '0.001', '20.000', '5000', '10000', '1e2', '']) {
    assert.equal(shownSpread(text), undefined, text);
  }
});
