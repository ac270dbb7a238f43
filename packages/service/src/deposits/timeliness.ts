import { addDays, cutOffInstant, type DateRules, daysBetween, localDateAt, localTimeAt } from '@firmquote/fx';
import { nextValueDate } from '../payments/value-dates.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionPatch } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** What says when money was there. Statements give days; a deposit that somebody records has an instant. */
export interface MoneyDates {
  /** Day on which the bank booked it, where a statement says it. */
  readonly bookedOn?: string | null | undefined;
  /** Epoch milliseconds. Of what a statement reports: when its file came, which may be days later. */
  readonly receivedAt: number;
  readonly valueDate: string;
}

interface Timeliness {
  readonly isLate: boolean;
  readonly judgedBy: 'booking_date' | 'received_at' | 'value_date';
}

/**
 * Whether money was there when the trade needed it: booked on the last day before the funding cut-off, or received
 * before it where nobody reports the booking date, and valued not after the trade. When the service came to know is no matter.
 */
export function timelinessOf(row: TransactionRow, money: MoneyDates, { cutOffs }: DateRules): Timeliness {
  if (money.valueDate > row.value_date) return { isLate: true, judgedBy: 'value_date' };
  const { bookedOn } = money;
  if (bookedOn === null || bookedOn === undefined) {
    return { isLate: money.receivedAt >= row.funding_cutoff_at, judgedBy: 'received_at' };
  }
  return {
    isLate: bookedOn > lastBookingDay(row, cutOffs.sameDay(row.sell_currency).zone),
    judgedBy: 'booking_date',
  };
}

/** Minutes after midnight before which no bank has booked anything on a day. */
const BANKS_OPEN_AT = 8 * 60;

/** A cut-off in Tokyo's morning comes before London's banks open: what they book on that day is too late for it. */
function lastBookingDay({ funding_cutoff_at: cutOffAt }: TransactionRow, zone: string): string {
  const day = localDateAt(cutOffAt, zone);
  return localTimeAt(cutOffAt, zone).minute < BANKS_OPEN_AT ? addDays(day, -1) : day;
}

/** How it was judged, as the evidence of a match keeps it. */
export function timelinessEvidence(
  row: TransactionRow,
  money: MoneyDates,
  dates: DateRules,
): Record<string, unknown> {
  const { isLate, judgedBy } = timelinessOf(row, money, dates);
  const moneyOf = {
    booking_date: money.bookedOn,
    received_at: isoInstant(money.receivedAt),
    value_date: money.valueDate,
  };
  return { isLate, judgedBy, moneyOf: moneyOf[judgedBy], fundingCutoffAt: isoInstant(row.funding_cutoff_at) };
}

/**
 * What a trade is that has all its money now. Late money rolls its value date on. Money that was there in time leaves it
 * where it is, though nobody knew until now, as long as the bought currency can still be paid on it.
 * @param parts every deposit that it has been paid with
 */
export function completedPatch(
  row: TransactionRow,
  parts: readonly MoneyDates[],
  now: number,
  dates: DateRules,
): TransactionPatch {
  const isLate = parts.some((part) => timelinessOf(row, part, dates).isLate);
  const isPayable = now < cutOffInstant(row.buy_currency, row.value_date, dates.cutOffs);
  if (!isLate && isPayable) return { statusReason: null };
  const notBefore = parts.map(({ valueDate }) => valueDate).reduce((a, b) => (a > b ? a : b), row.value_date);
  const rolled = nextValueDate([row.sell_currency, row.buy_currency], now, notBefore, dates);
  const isLater = rolled !== undefined && rolled > row.value_date;
  return { statusReason: null, ...(isLater ? { valueDate: rolled } : {}) };
}

/** Dates of the deposits that a trade has, as it shows them. */
export function partsOf(row: TransactionRow): MoneyDates[] {
  const parts = JSON.parse(row.deposits) as { bookedOn?: string; receivedAt: string; valueDate: string }[];
  return parts.map(({ bookedOn, receivedAt, valueDate }) => ({
    bookedOn,
    receivedAt: Date.parse(receivedAt),
    valueDate,
  }));
}

/** A credit is valued at most so many days after it was reported: five business days, with a weekend. */
const VALUED_AHEAD_DAYS_MAX = 7; // limit: How far ahead a credit may be valued
/** Banks book today; where the house is behind them in time, their today is tomorrow. */
const BOOKED_AHEAD_DAYS_MAX = 1; // limit: How far ahead a credit may be booked

/**
 * Why the dates of an entry cannot be right. What a bank says it will have in weeks is nothing that a trade may be paid
 * out against, what it says will leave has not left, and a wrong year is a slip that only a person can judge.
 */
export function implausibleDate({ valueDate, bookedOn, receivedAt }: MoneyDates): string | undefined {
  const reported = isoInstant(receivedAt).slice(0, 10);
  if (bookedOn != null && daysBetween(reported, bookedOn) > BOOKED_AHEAD_DAYS_MAX) return 'booked_in_future';
  return daysBetween(reported, valueDate) > VALUED_AHEAD_DAYS_MAX ? 'valued_far_ahead' : undefined;
}
