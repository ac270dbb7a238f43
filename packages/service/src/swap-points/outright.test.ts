import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SetSwapPointPolicy } from '@firmquote/api/operations/swap-points';
import {
  BUILT_IN_DATE_RULES,
  builtInDefinitions,
  findPair,
  formatDecimal,
  parseDecimal,
} from '@firmquote/fx';
import type { BookPrice } from '../market/rate-book.ts';
import { VirtualClock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { SwapPointDesk } from './desk.ts';
import { priceForDate } from './outright.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { SANDBOX_RATES } from './sandbox-rates.ts';
import type { StoredSwapPoints } from './store.ts';

const NOW = Date.UTC(2026, 2, 4, 10, 30);

function decimal(text: string) {
  const value = parseDecimal(text);
  assert.ok(value);
  return value;
}

const SPOT: BookPrice = { bid: decimal('1.08488'), ask: decimal('1.08494'), asOf: NOW, source: 'a' };

/** A desk of a production service, which has no rates of its own. */
function deskWith(stored: Partial<StoredSwapPoints>) {
  const clock = new VirtualClock();
  clock.set(NOW);
  const desk = new SwapPointDesk({ clock });
  let version = 1n;
  const take = (next: Partial<StoredSwapPoints>) => {
    version += 1n;
    desk.take({ version, set: [], pushed: [], policy: undefined, ...next });
  };
  take(stored);
  const priceOf = (valueDate: string, tradeDate = '2026-03-04', now = NOW) => {
    const pair = findPair('EURUSD');
    assert.ok(pair);
    const price = priceForDate(desk, { pair, tradeDate, valueDate }, SPOT, BUILT_IN_DATE_RULES, now);
    return [formatDecimal(price.bid), formatDecimal(price.ask)];
  };
  return { take, priceOf };
}

const policyOf = (patch: Partial<SetSwapPointPolicy>) => ({
  policy: { version: 2, document: { ...DEFAULT_POLICY, ...patch } },
});
const isMissing = (error: unknown) =>
  error instanceof Problem &&
  error.code === 'tenor_not_supported' &&
  JSON.stringify(error.members?.reasons) === '["points_missing"]';

test('without points nothing is priced before spot, and spot is what it is', () => {
  const { priceOf } = deskWith({});
  assert.deepEqual(priceOf('2026-03-06'), ['1.08488', '1.08494']);
  assert.throws(() => priceOf('2026-03-05'), isMissing);
  assert.throws(() => priceOf('2026-03-04'), isMissing);
});

test('one leg is enough for tomorrow, and not for today', () => {
  const pushed = { source: 'a', pair: 'EURUSD', leg: 'tn' as const, bid: '5.2', ask: '5.8' };
  const { priceOf } = deskWith({ pushed: [{ ...pushed, tradeDate: '2026-03-04', madeAt: NOW }] });
  assert.deepEqual(priceOf('2026-03-05'), ['1.08430', '1.08442']);
  assert.throws(() => priceOf('2026-03-04'), isMissing);
  // On the next trade date the same leg spans other days.
  assert.throws(() => priceOf('2026-03-06', '2026-03-05'), isMissing);
});

test('the rule without points is worse for whoever deals, by the days between', () => {
  const { take, priceOf } = deskWith(policyOf({ withoutPoints: 'worse_side', worseSideBpsPerDay: '2.00' }));
  // 2 bps of 1.08494, up at the fourth digit of a pip: 2.1699 pips.
  assert.deepEqual(priceOf('2026-03-05'), ['1.08466301', '1.08515699']);
  // A price is made anew when the policy changes.
  take(policyOf({ withoutPoints: 'refuse' }));
  assert.throws(() => priceOf('2026-03-05'), isMissing);
});

test('interest rates end with their age', () => {
  const rate = {
    bid: '3.60',
    ask: '3.70',
    dayCount: 'ACT/360',
    asOf: '2026-02-25',
    source: 'fixing',
  } as const;
  const interestRates = [
    { ...rate, currency: 'EUR', bid: '1.90', ask: '2.00' },
    { ...rate, currency: 'USD' },
  ];
  const { take, priceOf } = deskWith(policyOf({ interestRates, ratesMaxAgeDays: 7 }));
  // 0.5424 and 0.4822 pips less: see the fx package.
  assert.deepEqual(priceOf('2026-03-05'), ['1.08482576', '1.08489179']);
  take(policyOf({ interestRates, ratesMaxAgeDays: 6 }));
  assert.throws(() => priceOf('2026-03-05'), isMissing);
});

test('the sandbox has a rate for every currency with a calendar', () => {
  assert.deepEqual(
    [...SANDBOX_RATES.keys()],
    builtInDefinitions.map(({ currency }) => currency),
  );
});

test('points that are missing are told by the way itself, which lists of pairs ask', () => {
  const clock = new VirtualClock();
  clock.set(NOW);
  const desk = new SwapPointDesk({ clock });
  const pair = findPair('EURUSD');
  assert.ok(pair);
  const missing = (valueDate: string) =>
    desk.way(pair, '2026-03-04', valueDate, BUILT_IN_DATE_RULES, NOW).missing;
  assert.deepEqual(['2026-03-06', '2026-03-05', '2026-03-04'].map(missing), [undefined, 'tn', 'tn']);
});
