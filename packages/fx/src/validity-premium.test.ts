import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import { marketHoursBps, type PricingWindow, windowCovers } from './pricing-windows.ts';
import { returnUnits, squareRootUp, tablePremium, volatilityPremium } from './validity-premium.ts';

const decimal = (text: string): Decimal => parseDecimal(text) ?? assert.fail(text);

test('a premium table: the shortest row that covers the promise, the last one for longer promises', () => {
  const steps = [
    { upToSeconds: 30, bps: decimal('0') },
    { upToSeconds: 60, bps: decimal('1.5') },
    { upToSeconds: 300, bps: decimal('4') },
  ];
  const premium = (seconds: number) => formatDecimal(tablePremium(steps, seconds));
  assert.deepEqual([1, 30, 31, 60, 61, 300, 301, 86_400].map(premium), [
    '0.00',
    '0.00',
    '1.50',
    '1.50',
    '4.00',
    '4.00',
    '4.00',
    '4.00',
  ]);
  assert.equal(formatDecimal(tablePremium([], 300)), '0.00');
});

test('a return is exact to ten decimals, at whatever scales', () => {
  assert.equal(returnUnits(decimal('1.0000'), decimal('1.0001')), 1_000_000n);
  assert.equal(returnUnits(decimal('1.00'), decimal('1.0001')), 1_000_000n);
  assert.equal(returnUnits(decimal('1.0001'), decimal('1')), -999_900n);
  assert.equal(returnUnits(decimal('3'), decimal('4')), 3_333_333_333n);
});

const NO_BOUNDS = { floorBps: decimal('0'), capBps: decimal('1000') };

test('the premium of a volatility: k σ √T, rounded up', () => {
  // One return of 1 bp in each second for 100 s: σ is 1 bp for one second.
  const variance = { sumSquares: 100n * 1_000_000n ** 2n, elapsedMs: 100_000, returns: 100 };
  const premium = (seconds: number, k = '1', bounds = NO_BOUNDS) =>
    formatDecimal(volatilityPremium({ variance, seconds, multiplier: decimal(k), ...bounds }));
  assert.equal(premium(1), '1.00');
  assert.equal(premium(4), '2.00');
  assert.equal(premium(10), '3.17', '3.1622… is rounded up');
  assert.equal(premium(300, '0.4'), '6.93', '6.9282…');
  assert.equal(premium(1, '0.4', { floorBps: decimal('0.5'), capBps: decimal('5') }), '0.50');
  assert.equal(premium(300, '1', { floorBps: decimal('0.5'), capBps: decimal('5') }), '5.00');
  assert.throws(
    () =>
      volatilityPremium({
        variance: { ...variance, elapsedMs: 0 },
        seconds: 1,
        multiplier: decimal('1'),
        ...NO_BOUNDS,
      }),
    RangeError,
  );
});

test('the square root is the smallest number whose square is not below', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 60n }), (value) => {
      const root = squareRootUp(value);
      assert.ok(root * root >= value);
      assert.ok(root === 0n || (root - 1n) ** 2n < value);
    }),
  );
});

test('a longer promise and a rougher market never cost less', () => {
  const size = fc.bigInt({ min: 0n, max: 10n ** 16n });
  fc.assert(
    fc.property(
      size,
      size,
      fc.integer({ min: 1, max: 86_400 }),
      fc.integer({ min: 1, max: 86_400 }),
      (a, b, s, t) => {
        const of = (sumSquares: bigint, seconds: number) =>
          volatilityPremium({
            variance: { sumSquares, elapsedMs: 60_000, returns: 12 },
            seconds,
            multiplier: decimal('0.4'),
            ...NO_BOUNDS,
          }).units;
        const [low, high] = a < b ? [a, b] : [b, a];
        assert.ok(of(low, s) <= of(high, s));
        assert.ok(of(low, Math.min(s, t)) <= of(low, Math.max(s, t)));
      },
    ),
  );
});

const NEW_YORK_ROLL: PricingWindow = {
  pair: undefined,
  zone: 'America/New_York',
  days: [1, 2, 3, 4],
  fromMinute: 16 * 60 + 55,
  toMinute: 17 * 60 + 10,
  bps: decimal('5'),
};

test('windows follow the clocks of their zone', () => {
  // 17:00 New York is 22:00 UTC in winter and 21:00 UTC in summer.
  const covers = (text: string) => windowCovers(NEW_YORK_ROLL, Date.parse(text));
  assert.ok(covers('2026-03-04T21:55:00Z'));
  assert.ok(!covers('2026-03-04T21:54:59.999Z'));
  assert.ok(covers('2026-03-04T22:09:59.999Z'));
  assert.ok(!covers('2026-03-04T22:10:00Z'));
  assert.ok(!covers('2026-03-11T21:55:00Z'), 'the clocks have gone forward');
  assert.ok(covers('2026-03-11T20:55:00Z'));
  assert.ok(!covers('2026-03-06T21:55:00Z'), 'Friday is not in it');
});

test('a window over midnight belongs to the day on which it begins, whichever that is', () => {
  // 2026-03-02 was a Monday.
  for (let day = 1; day <= 7; day++) {
    const night = { ...NEW_YORK_ROLL, zone: 'Asia/Tokyo', days: [day], fromMinute: 23 * 60, toMinute: 60 };
    const covers = (date: string, time: string) =>
      windowCovers(night, Date.parse(`${date}T${time}:00+09:00`));
    const [before, begins, ends] = [day, day + 1, day + 2].map((of) => `2026-03-0${of}`) as [
      string,
      string,
      string,
    ];
    assert.ok(!covers(begins, '22:59'), begins);
    assert.ok(covers(begins, '23:00') && covers(begins, '23:59'), begins);
    assert.ok(covers(ends, '00:00') && covers(ends, '00:59'), begins);
    assert.ok(!covers(ends, '01:00') && !covers(ends, '23:30'), begins);
    assert.ok(!covers(begins, '00:30') && !covers(before, '23:30'), begins);
  }
});

test('a window from a minute to the same minute lasts a day', () => {
  const day = { ...NEW_YORK_ROLL, zone: 'UTC', days: [2], fromMinute: 600, toMinute: 600 };
  const covers = (text: string) => windowCovers(day, Date.parse(text));
  assert.deepEqual(
    ['2026-03-03T09:59Z', '2026-03-03T10:00Z', '2026-03-04T09:59Z', '2026-03-04T10:00Z'].map(covers),
    [false, true, true, false],
  );
});

test('of several windows the widest applies', () => {
  const at = Date.parse('2026-03-04T22:00:00Z');
  const windows = [
    NEW_YORK_ROLL,
    { ...NEW_YORK_ROLL, pair: 'USDTRY', bps: decimal('40') },
    { ...NEW_YORK_ROLL, bps: decimal('2.5') },
  ];
  assert.equal(formatDecimal(marketHoursBps(windows, 'EURUSD', at)), '5.00');
  assert.equal(formatDecimal(marketHoursBps(windows, 'USDTRY', at)), '40.00');
  assert.equal(formatDecimal(marketHoursBps(windows, 'USDTRY', at - 3_600_000)), '0.00');
});
