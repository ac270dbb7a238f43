import { tradeDateAt, tradeDateEnd } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { dailyUsedOn } from './profile.ts';
import { customerNotFound, type LimitsRecord } from './records.ts';
import { findUsage } from './store.ts';

/** The volume of later days counts no more: the clock of the sandbox was moved back. */
export async function forgetLaterDays(connection: Queryable, tradeDate: string): Promise<void> {
  await connection.query(
    'update customer_usage set limit_day = null, daily_usd_minor = 0 where limit_day > $1',
    [tradeDate],
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
