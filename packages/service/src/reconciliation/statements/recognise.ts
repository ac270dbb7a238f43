import { daysBetween } from '@firmquote/fx';
import type { Booking } from './entry.ts';
import { compact, cut } from './text.ts';

/** What a booking is known again by. */
export interface Marks {
  readonly direction: string;
  readonly status: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly bookingDate: string;
  /** Letters and digits only, as all texts here. */
  readonly reference: string | null;
  readonly uetr: string | null;
  readonly endToEndId: string | null;
  readonly text: string;
}

/** A bank may use a reference again. Within this time, with the same amount, it means the same booking. */
export const REFERENCE_DAYS = 7;
const TEXT_MAX = 1_000;

/** Only a booking of one payment has that payment's marks. */
export function marksOf(booking: Booking): Marks {
  const { details, direction, status, amountMinor, currency, bookingDate } = booking;
  const [only] = details.length === 1 ? details : [];
  // Of a batch, the first payments are enough.
  const text = details
    .slice(0, 100)
    .map((each) => compact(each.remittanceText ?? ''))
    .join('');
  return {
    direction,
    status,
    amountMinor,
    currency,
    bookingDate,
    reference: compact(booking.bankReference ?? '') || null,
    uetr: only?.uetr ?? null,
    endToEndId: compact(only?.endToEndId ?? '') || null,
    text: cut(text, TEXT_MAX),
  };
}

/**
 * Which of the known bookings each new one is, by index; undefined for one that was never told of.
 *
 * Two are the same booking when account, direction, status, amount and currency agree, and the first of these that can
 * be said of them does:
 * 1. their UETR is the same (another UETR is another booking);
 * 2. the bank's references are the same and their dates not more than a week apart (another reference is another
 *    booking);
 * 3. one or both have no reference, the day is the same, and the end-to-end id or the text is the same;
 * 4. as 3, and one text is part of the other: formats cut and frame texts in their own ways.
 *
 * A known booking is given once, so that two equal payments of one day stay two.
 * @param known of the same account, without those that the same file has been given already
 */
export function recognise(told: readonly Marks[], known: readonly Marks[]): (number | undefined)[] {
  const found: (number | undefined)[] = told.map(() => undefined);
  const given = new Set<number>();
  const byFacts = Map.groupBy(known.keys(), (index) => factsOf(known[index]));
  for (const isSame of RULES) {
    for (const [at, marks] of told.entries()) {
      if (found[at] !== undefined) continue;
      const index = byFacts.get(factsOf(marks))?.find((candidate) => {
        const other = known[candidate];
        return other !== undefined && !given.has(candidate) && isSame(marks, other);
      });
      if (index === undefined) continue;
      found[at] = index;
      given.add(index);
    }
  }
  return found;
}

type Rule = (a: Marks, b: Marks) => boolean;

const RULES: readonly Rule[] = [
  (a, b) => a.uetr !== null && a.uetr === b.uetr,
  (a, b) =>
    !differ(a.uetr, b.uetr) &&
    a.reference !== null &&
    a.reference === b.reference &&
    Math.abs(daysBetween(a.bookingDate, b.bookingDate)) <= REFERENCE_DAYS,
  (a, b) =>
    mayBeSame(a, b) && (a.endToEndId === null || a.endToEndId !== b.endToEndId ? a.text === b.text : true),
  (a, b) => mayBeSame(a, b) && (a.text.includes(b.text) || b.text.includes(a.text)),
];

/** Same day, and nothing that says otherwise. */
function mayBeSame(a: Marks, b: Marks): boolean {
  return (
    a.bookingDate === b.bookingDate &&
    (a.reference === null || b.reference === null) &&
    !differ(a.uetr, b.uetr) &&
    !differ(a.endToEndId, b.endToEndId)
  );
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function factsOf(marks: Marks | undefined): string {
  return marks === undefined
    ? ''
    : `${marks.direction} ${marks.status} ${marks.amountMinor} ${marks.currency}`;
}
