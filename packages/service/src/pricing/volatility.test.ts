import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bps, findPair, formatDecimal, parseDecimal } from '@firmquote/fx';
import { DEFAULT_PAIR_SETTINGS } from '../market/pair-settings.ts';
import { RateBook } from '../market/rate-book.ts';
import { NO_LIMITS } from '../market/test-book.ts';
import { PricingDesk } from './desk.ts';
import { DEFAULT_POLICY, readPolicy } from './policy.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { spreadCandidates } from './spread-book.ts';
import { VolatilityRecorder } from './volatility.ts';

const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);
const EURUSD = findPair('EURUSD') ?? assert.fail();
const EURJPY = findPair('EURJPY') ?? assert.fail();
const START = Date.UTC(2026, 2, 4, 12);
const HOUR_MS = 3_600_000;

function setUp() {
  let now = START;
  const clock = { now: () => now };
  const book = new RateBook({ clock, defaults: { ...DEFAULT_PAIR_SETTINGS, ...NO_LIMITS } });
  const recorder = new VolatilityRecorder({ book, clock });
  /** A tick `afterMs` later. */
  const tick = (price: string, afterMs: number, pair = 'EURUSD') => {
    now += afterMs;
    assert.equal(
      book.apply({ pair, bid: decimal(price), ask: decimal(price), at: clock.now(), source: 'test' }),
      'accepted',
    );
  };
  return { clock, recorder, tick };
}

test('squared returns of mids five seconds apart, over the time that they span', () => {
  const { recorder, tick } = setUp();
  tick('1.00000', 0);
  // 1 bp up and down; what comes within 5 s of a sample is not looked at.
  for (let i = 0; i < 10; i++) {
    tick('1.00500', 2_500);
    tick(i % 2 === 0 ? '1.00010' : '1.00000', 2_500);
  }
  const variance = recorder.varianceOf(EURUSD, HOUR_MS, 10) ?? assert.fail();
  assert.deepEqual([variance.returns, variance.elapsedMs], [10, 50_000]);
  // Up 10^-4 five times, down 1 − 1/1.0001 five times, in units of 10^-10.
  assert.equal(variance.sumSquares, 5n * 1_000_000n ** 2n + 5n * 999_900n ** 2n);
  assert.equal(recorder.varianceOf(EURUSD, HOUR_MS, 11), undefined, 'too little data');
});

test('gaps are left out, and what is older than the window is forgotten', () => {
  const { recorder, tick } = setUp();
  tick('1.00000', 0);
  tick('1.00010', 5_000);
  tick('1.50000', 300_001);
  tick('1.50015', 5_000);
  const both = recorder.varianceOf(EURUSD, HOUR_MS, 1) ?? assert.fail();
  assert.deepEqual([both.returns, both.elapsedMs], [2, 10_000]);
  assert.deepEqual(recorder.varianceOf(EURUSD, 300_000, 1)?.returns, 1);
  tick('1.50015', HOUR_MS);
  assert.equal(recorder.varianceOf(EURUSD, 300_000, 1), undefined);
});

test('a cross has the bound of its legs', () => {
  const { recorder, tick } = setUp();
  for (const [eur, jpy] of [
    ['1.00000', '100.000'],
    ['1.00010', '100.020'],
    ['1.00000', '100.000'],
  ] as const) {
    tick(eur, 5_000);
    tick(jpy, 0, 'USDJPY');
  }
  const usdJpy = findPair('USDJPY') ?? assert.fail();
  const perSecond = (pair: typeof EURUSD) => {
    const { sumSquares, elapsedMs } = recorder.varianceOf(pair, HOUR_MS, 2) ?? assert.fail();
    return (sumSquares * 1_000n) / BigInt(elapsedMs);
  };
  const bound = 2n * (perSecond(EURUSD) + perSecond(usdJpy));
  const difference = perSecond(EURJPY) - bound;
  assert.ok(difference >= 0n && difference <= 2n, String(difference));
});

test('the desk charges by volatility, and by the table while there is too little of it', () => {
  const { clock, recorder, tick } = setUp();
  const policy = readPolicy(
    {
      ...DEFAULT_POLICY,
      validityPremium: {
        method: 'volatility',
        table: [{ upToSeconds: 300, bps: '3.00' }],
        volatility: {
          multiplier: '0.4',
          windowSeconds: 3_600,
          minimumReturns: 10,
          floorBps: '0.10',
          capBps: '2.50',
        },
      },
    },
    2,
  );
  let measured = 0;
  const desk = new PricingDesk(
    { current: () => ({ ...DEFAULT_SETTINGS, policy }) },
    { candidates: () => spreadCandidates([]) },
    {
      varianceOf: (...asked: Parameters<VolatilityRecorder['varianceOf']>) => {
        measured++;
        return recorder.varianceOf(...asked);
      },
    } as VolatilityRecorder,
  );
  const premium = (seconds: number) =>
    formatDecimal(bps(desk.widening(policy, EURUSD, seconds, clock.now()).validityUnits));
  tick('1.00000', 0);
  assert.equal(premium(30), '3.00');
  for (let i = 0; i < 10; i++) tick(i % 2 === 0 ? '1.00010' : '1.00000', 5_000);
  // σ is 1 bp in 5 s, 0.4472 bp in a second: 0.4 × σ × √30 = 0.9797.
  assert.equal(premium(30), '0.98');
  assert.equal(premium(1), '0.18');
  assert.equal(premium(300), '2.50', 'the cap');
  const before = measured;
  assert.equal(premium(30), '0.98');
  assert.equal(measured, before, 'within a second it is what it was');
});

test('hours of a policy are minutes of the day', () => {
  const window = { pair: null, zone: 'Europe/London', days: ['fri' as const], bps: '5' };
  const { windows } = readPolicy(
    { ...DEFAULT_POLICY, marketHours: [{ ...window, from: '09:37', to: '24:00' }] },
    2,
  );
  assert.deepEqual(
    windows.map(({ days, fromMinute, toMinute }) => [days, fromMinute, toMinute]),
    [[[5], 577, 1_440]],
  );
});
