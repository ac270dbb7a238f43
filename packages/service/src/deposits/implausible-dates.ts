import { daysBetween } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import type { DepositRecord } from './record.ts';

/** A credit is valued at most so many days after it was told: five business days, with a weekend. */
export const VALUED_AHEAD_DAYS_MAX = 7; // limit: How far ahead a credit may be valued
/** Banks book today; where the house is behind them in time, their today is tomorrow. */
export const BOOKED_AHEAD_DAYS_MAX = 1; // limit: How far ahead a credit may be booked

/**
 * Why the dates of an entry cannot be right. What a bank says it will have in weeks is nothing that a trade may be paid
 * out against, what it says will leave has not left, and a wrong year is a slip that only a person can judge.
 */
export function implausibleDate({
  valueDate,
  bookedOn,
  receivedAt,
}: Pick<DepositRecord, 'valueDate' | 'bookedOn' | 'receivedAt'>): string | undefined {
  const told = isoInstant(receivedAt).slice(0, 10);
  if (bookedOn != null && daysBetween(told, bookedOn) > BOOKED_AHEAD_DAYS_MAX) return 'booked_in_future';
  return daysBetween(told, valueDate) > VALUED_AHEAD_DAYS_MAX ? 'valued_far_ahead' : undefined;
}
