import assert from 'node:assert/strict';
import { test } from 'node:test';
import Big from 'big.js';
import fc from 'fast-check';
import {
  add,
  compare,
  type Decimal,
  divide,
  divRound,
  formatDecimal,
  formatUnits,
  isPositive,
  multiply,
  negate,
  parseDecimal,
  powerOfTen,
  type Rounding,
  rescale,
  subtract,
} from './decimal.ts';

const decimals: fc.Arbitrary<Decimal> = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
  .map(([units, scale]) => ({ units, scale }));

function big(value: Decimal): Big {
  return new Big(formatDecimal(value));
}

test('each rounding does what it says on both sides of zero', () => {
  const table: [Rounding, string][] = [
    // 25/10, -25/10, 35/10, 21/10, -21/10, 29/10, -29/10
    ['half_up', '3 -3 4 2 -2 3 -3'],
    ['half_even', '2 -2 4 2 -2 3 -3'],
    ['floor', '2 -3 3 2 -3 2 -3'],
    ['ceil', '3 -2 4 3 -2 3 -2'],
    ['up', '3 -3 4 3 -3 3 -3'],
    ['down', '2 -2 3 2 -2 2 -2'],
  ];
  for (const [rounding, expected] of table) {
    const numerators = [25n, -25n, 35n, 21n, -21n, 29n, -29n];
    assert.equal(numerators.map((n) => divRound(n, 10n, rounding)).join(' '), expected, rounding);
    assert.equal(numerators.map((n) => divRound(-n, -10n, rounding)).join(' '), expected, rounding);
    assert.equal(divRound(-40n, 10n, rounding), -4n);
  }
  assert.throws(() => divRound(1n, 0n, 'floor'), RangeError);
});

test('divRound agrees with big.js in each of its modes, and floor and ceil with both neighbours', () => {
  const denominators = fc
    .bigInt({ min: -(10n ** 9n), max: 10n ** 9n })
    .filter((denominator) => denominator !== 0n);
  const modes: [Rounding, Big.RoundingMode][] = [
    ['down', 0],
    ['half_up', 1],
    ['half_even', 2],
    ['up', 3],
  ];
  // Even denominators twice over: ties are what the modes differ on.
  const cases = fc.oneof(
    fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), denominators),
    fc.tuple(fc.bigInt({ min: -999n, max: 999n }), fc.constantFrom(2n, -2n, 4n, 10n, 20n)),
  );
  const Exact = Big();
  Exact.DP = 40;
  fc.assert(
    fc.property(cases, ([numerator, denominator]) => {
      const exact = new Exact(numerator.toString()).div(denominator.toString());
      for (const [rounding, mode] of modes) {
        const expected = exact.round(0, mode);
        assert.ok(expected.eq(divRound(numerator, denominator, rounding).toString()), rounding);
      }
      const floor = divRound(numerator, denominator, 'floor');
      const ceil = divRound(numerator, denominator, 'ceil');
      assert.ok(exact.gte(floor.toString()) && exact.lt((floor + 1n).toString()));
      assert.ok(exact.lte(ceil.toString()) && exact.gt((ceil - 1n).toString()));
    }),
    { numRuns: 500 },
  );
});

test('arithmetic agrees with big.js', () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      assert.ok(big(add(a, b)).eq(big(a).plus(big(b))));
      assert.ok(big(subtract(a, b)).eq(big(a).minus(big(b))));
      assert.ok(big(multiply(a, b)).eq(big(a).times(big(b))));
      assert.equal(compare(a, b), big(a).cmp(big(b)));
      assert.ok(big(negate(a)).eq(big(a).neg()));
      assert.equal(isPositive(a), big(a).gt(0));
    }),
  );
});

test('divide and rescale round once, like big.js', () => {
  const Precise = Big();
  fc.assert(
    fc.property(decimals, decimals, fc.integer({ min: 0, max: 12 }), (a, b, scale) => {
      Precise.RM = 1;
      Precise.DP = scale;
      assert.ok(big(rescale(a, scale, 'half_up')).eq(big(a).round(scale, 1)));
      assert.ok(big(rescale(a, scale, 'half_even')).eq(big(a).round(scale, 2)));
      if (b.units === 0n) {
        assert.throws(() => divide(a, b, scale, 'half_up'), RangeError);
        return;
      }
      const expected = new Precise(formatDecimal(a)).div(formatDecimal(b));
      assert.ok(big(divide(a, b, scale, 'half_up')).eq(expected.toFixed(scale)));
    }),
  );
});

test('what is formatted is read back, and the other way round', () => {
  fc.assert(
    fc.property(decimals, (value) => {
      const text = formatDecimal(value);
      assert.deepEqual(parseDecimal(text), value);
      assert.equal(text.split('.')[1]?.length ?? 0, value.scale);
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,12})?$/), (text) => {
      const value = parseDecimal(text);
      assert.ok(value !== undefined);
      const signless = value.units === 0n ? text.replace('-', '') : text;
      assert.equal(formatDecimal(value), signless);
    }),
  );
});

test('the scale is kept, leading zeros are not', () => {
  assert.deepEqual(parseDecimal('1.0850'), { units: 10850n, scale: 4 });
  assert.deepEqual(parseDecimal('-0.5'), { units: -5n, scale: 1 });
  assert.deepEqual(parseDecimal('007'), { units: 7n, scale: 0 });
  assert.equal(formatUnits(-5n, 3), '-0.005');
  assert.equal(formatUnits(0n, 2), '0.00');
  assert.equal(formatUnits(12n, 0), '12');
});

test('anything but plain digits is refused', () => {
  const refused = [
    '',
    '-',
    '.',
    '1.',
    '.5',
    '+1',
    ' 1',
    '1 ',
    '1e5',
    '1,5',
    '0x10',
    'NaN',
    '--1',
    '1.2.3',
    '١',
    '1\n',
  ];
  for (const text of refused) assert.equal(parseDecimal(text), undefined, JSON.stringify(text));
  assert.ok(parseDecimal('9'.repeat(40)) !== undefined);
  assert.equal(parseDecimal('9'.repeat(41)), undefined);
});

test('powers of ten are exact beyond the remembered ones, and only for scales', () => {
  assert.equal(powerOfTen(0), 1n);
  assert.equal(powerOfTen(79), 10n ** 79n);
  assert.equal(powerOfTen(120), 10n ** 120n);
  for (const scale of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => powerOfTen(scale), RangeError);
  }
});
