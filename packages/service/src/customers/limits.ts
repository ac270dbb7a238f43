import { formatUsd, tradeDateAt, tradeDateEnd } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { CustomerLimits, CustomerProfile, UsageRecord } from './profile.ts';
import { customerNotFound, type LimitsRecord } from './records.ts';
import { findUsage } from './store.ts';

/**
 * Executed volume that counts on a trade day. The row holds the volume of the day of the last trade; that may be a day
 * later than this one, where another instance's clock has passed the roll already. The SQL function `daily_used` is the same.
 */
export function dailyUsedOn(tradeDate: string, { limitDay, dailyUsdMinor }: UsageRecord): bigint {
  return limitDay !== null && limitDay >= tradeDate ? dailyUsdMinor : 0n;
}

/** Which limit would be passed, and by what it is used already. */
interface PassedLimit {
  readonly limitType: 'daily' | 'openPosition';
  readonly limitMinor: bigint;
  readonly usedMinor: bigint;
}

/** The limit that a further value passes on a day, if any. Executions ask the SQL function `exceeded_limit`, which is the same. */
export function exceededLimit(
  usdMinor: bigint,
  limits: Pick<CustomerLimits, 'dailyUsdMinor' | 'openUsdMinor'>,
  usage: UsageRecord,
  day: string,
): PassedLimit | undefined {
  const daily = dailyUsedOn(day, usage);
  if (daily + usdMinor > limits.dailyUsdMinor)
    return { limitType: 'daily', limitMinor: limits.dailyUsdMinor, usedMinor: daily };
  if (usage.openUsdMinor + usdMinor > limits.openUsdMinor)
    return { limitType: 'openPosition', limitMinor: limits.openUsdMinor, usedMinor: usage.openUsdMinor };
  return undefined;
}

/** One trade may be worth so much, whatever else is used. */
export function requireWithinTradeLimit(usdMinor: bigint, { limits }: CustomerProfile): void {
  if (usdMinor <= limits.tradeUsdMinor) return;
  const max = formatUsd(limits.tradeUsdMinor);
  throw new Problem('amount_above_maximum', `One trade may be worth at most ${max} USD.`, {
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
  const passed = exceededLimit(usdMinor, limits, usage, day);
  if (passed !== undefined) throw limitExceeded(passed, day);
}

/**
 * 422 for a limit of the customer. Amounts are US dollar cents.
 * @param day that daily volume is counted on
 */
export function limitExceeded({ limitType, limitMinor, usedMinor }: PassedLimit, day: string): Problem {
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

/** How much of the limits is used at an instant, in US dollar cents. */
export interface LimitUsage {
  readonly limits: LimitsRecord;
  readonly tradeDate: string;
  readonly dailyUsedMinor: bigint;
  readonly openUsedMinor: bigint;
  /** When the daily volume starts anew (docs/interface.md#limits). Epoch milliseconds. */
  readonly resetsAt: number;
}

/**
 * @param now business instant
 * @throws Problem customer_not_found
 */
export async function limitUsage(
  connection: Queryable,
  customerId: string,
  now: number,
): Promise<LimitUsage> {
  const found = await findUsage(connection, customerId);
  if (found === undefined) throw customerNotFound();
  const tradeDate = tradeDateAt(now);
  const { limits, usage } = found;
  return {
    limits,
    tradeDate,
    dailyUsedMinor: dailyUsedOn(tradeDate, usage),
    openUsedMinor: usage.openUsdMinor,
    resetsAt: tradeDateEnd(tradeDate),
  };
}
