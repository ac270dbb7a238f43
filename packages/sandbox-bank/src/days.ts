import type { BankFileKind } from '@firmquote/bank-formats';
import { addDays, cutOffInstant, localDateAt, seedCutOffs } from '@firmquote/fx';
import type { BankEntry, Movement } from './movement.ts';

/** The bank's day. It is open on every day, so that a drill need not wait for Monday. */
export function bankDayAt(now: number): string {
  return localDateAt(now, 'UTC');
}

/**
 * Value date of what somebody pays in: the day, or the next one where it comes after the cut-off of its currency, as at any
 * bank. The cut-offs are the bank's own; operators move those of the house.
 */
export function valueDayAt(now: number, currency: string): string {
  const day = bankDayAt(now);
  const localDay = localDateAt(now, seedCutOffs.sameDay(currency).zone);
  const valueDay = now >= cutOffInstant(currency, localDay) ? addDays(localDay, 1) : localDay;
  return valueDay > day ? valueDay : day;
}

/** The value date of a movement that is booked now: what somebody pays in may have to wait, what goes out does not. */
export function valueDateOf({ direction, kind, account }: Movement, now: number): string {
  const isPaidIn = direction === 'credit' && kind === 'payment';
  return isPaidIn ? valueDayAt(now, account.currency) : bankDayAt(now);
}

/** The instant at which a day is over. */
export function endOfDay(day: string): number {
  return Date.parse(`${addDays(day, 1)}T00:00:00Z`);
}

/** The balance after some entries. */
export function balanceAfter(openingMinor: bigint, entries: readonly BankEntry[]): bigint {
  return entries.reduce(
    (sum, each) => sum + (each.direction === 'credit' ? each.amountMinor : -each.amountMinor),
    openingMinor,
  );
}

/** What the file is called: readable, and another for each. */
export function bankFileName(kind: BankFileKind, day: string, fileId: string): string {
  return `sandbox_${kind}_${day}_${fileId.slice(-12)}.xml`;
}
