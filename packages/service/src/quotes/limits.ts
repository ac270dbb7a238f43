import { formatUsd, tradeDateAt, tradeDateEnd } from '@firmquote/fx';
import { type CustomerProfile, dailyUsedOn } from '../customers/profile.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';

/** One trade may be worth so much, whatever else is used. */
export function requireWithinTradeLimit(usdMinor: bigint, { limits }: CustomerProfile): void {
  if (usdMinor <= limits.tradeUsdMinor) return;
  const max = formatUsd(limits.tradeUsdMinor);
  throw new Problem('amount_above_maximum', `One trade may be worth ${max} USD at most.`, {
    field: '/amount',
    members: { max, currency: 'USD' },
  });
}

/**
 * Refuses a quote that could not be executed now (docs/interface.md#limits). What is used is what the profile says, seconds old, and
 * nothing is reserved: the execution decides, exactly.
 */
export function requireRoomInLimits(usdMinor: bigint, { limits, usage }: CustomerProfile, now: number): void {
  const day = tradeDateAt(now);
  const daily = dailyUsedOn(day, usage);
  if (daily + usdMinor > limits.dailyUsdMinor) throw limitExceeded('daily', limits.dailyUsdMinor, daily, day);
  if (usage.openUsdMinor + usdMinor > limits.openUsdMinor) {
    throw limitExceeded('openPosition', limits.openUsdMinor, usage.openUsdMinor, day);
  }
}

/**
 * 422 for a limit of the customer. Amounts are US dollar cents.
 * @param day that daily volume is counted on
 */
export function limitExceeded(
  limitType: 'daily' | 'openPosition',
  limitMinor: bigint,
  usedMinor: bigint,
  day: string,
): Problem {
  const limit = formatUsd(limitMinor);
  const isDaily = limitType === 'daily';
  return new Problem(
    'limit_exceeded',
    `The ${isDaily ? 'daily' : 'open position'} limit of ${limit} USD would be exceeded.`,
    {
      members: {
        limitType,
        limit,
        used: formatUsd(usedMinor),
        currency: 'USD',
        ...(isDaily ? { resetsAt: isoInstant(tradeDateEnd(day)) } : {}),
      },
    },
  );
}
