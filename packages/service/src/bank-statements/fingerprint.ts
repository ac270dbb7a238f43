import {
  compact,
  type Direction,
  type EntryStatus,
  type StatementEntry,
  type TransactionDetails,
} from '@firmquote/bank-formats';
import { daysBetween } from '@firmquote/fx';

/** What an entry, one payment of a booking, is recognised by. Texts are reduced to letters and digits. */
export interface Fingerprint {
  readonly id: string;
  readonly bookingId: string;
  /** Place in its booking, and how many payments that has. */
  readonly number: number;
  readonly payments: number;
  readonly direction: Direction;
  readonly status: EntryStatus;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly bookingMinor: bigint;
  readonly bookingDate: string;
  readonly uetr: string | null;
  readonly endToEndId: string | null;
  /** The bank's references of the payment and of its booking. */
  readonly detailReference: string | null;
  readonly bookingReference: string | null;
  readonly party: string | null;
  readonly partyAccount: string | null;
  readonly text: string | null;
  /** As it was reported. */
  readonly detail: TransactionDetails;
  readonly bankReference: string | null;
}

/** An entry that was reported before and carries the money of its payment. */
export interface KnownEntry extends Fingerprint {
  /** Whether a statement of the end of the day has reported it; else only notifications and reports have. */
  readonly isInStatement: boolean;
  /** Whether a statement with the same days and balances as the new one has. */
  readonly isInTwin: boolean;
}

type Facts = Pick<
  StatementEntry,
  'direction' | 'status' | 'currency' | 'amountMinor' | 'bookingDate' | 'bankReference'
>;

export function fingerprintOf(
  booking: Facts,
  detail: TransactionDetails,
  place: {
    readonly id: string;
    readonly bookingId: string;
    readonly number: number;
    readonly payments: number;
  },
): Fingerprint {
  const { direction, status, currency, bookingDate, bankReference } = booking;
  return {
    ...place,
    direction,
    status,
    currency,
    bookingDate,
    bankReference,
    amountMinor: detail.amountMinor,
    bookingMinor: booking.amountMinor,
    uetr: detail.uetr,
    endToEndId: keyOf(detail.endToEndId),
    detailReference: keyOf(detail.detailReference),
    bookingReference: keyOf(bankReference),
    party: keyOf(detail.counterpartyName),
    partyAccount: keyOf(detail.counterpartyAccount),
    text: keyOf([...detail.structuredReferences, detail.remittanceText].join(' ')),
    detail,
  };
}

export function keyOf(text: string | null): string | null {
  return text === null ? null : compact(text) || null;
}

/** The bank's references by which a payment may be named in another message: of a batch only its own. */
export function referencesOf({ detailReference, bookingReference, payments }: Fingerprint): string[] {
  const own = payments === 1 ? [detailReference, bookingReference] : [detailReference];
  return [...new Set(own.flatMap((each) => each ?? []))];
}

/** A notified payment is booked at most this much later, over the longest holidays. */
const BOOKING_DAYS = 5; // limit: Within so many days a notified payment is booked
/** Entries under one key that are compared one by one. */
const COMPARED_MAX = 50; // limit: Entries that a new one is compared with

export const money = ({ direction, status, currency, amountMinor }: Fingerprint) =>
  `${direction} ${status} ${currency} ${amountMinor}`;
export const dayAndMoney = (entry: Fingerprint) => `${entry.bookingDate} ${money(entry)}`;

export function indexOf<T>(entries: Iterable<T>, keys: (entry: T) => readonly string[]): Map<string, T[]> {
  const index = new Map<string, T[]>();
  for (const entry of entries) {
    for (const key of keys(entry)) {
      const others = index.get(key);
      if (others === undefined) index.set(key, [entry]);
      else others.push(entry);
    }
  }
  return index;
}

/** The first that is not taken yet and for which the condition holds. Of very many under one key not all are tried. */
export function firstOf<T>(
  entries: T[] | undefined,
  given: ReadonlySet<T>,
  holds: (entry: T) => boolean = () => true,
): T | undefined {
  if (entries === undefined) return undefined;
  const from = entries.findIndex((each) => !given.has(each));
  // Those before it are taken for good.
  entries.splice(0, from === -1 ? entries.length : from);
  return entries.slice(0, COMPARED_MAX).find((each) => !given.has(each) && holds(each));
}

export function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

/** Both have an identifier and it differs. References are compared on one level: of payments, or of bookings of one payment. */
export function identifiersDiffer(a: Fingerprint, b: Fingerprint): boolean {
  return differ(a.uetr, b.uetr) || differ(a.endToEndId, b.endToEndId) || referencesDiffer(a, b);
}

export function referencesDiffer(a: Fingerprint, b: Fingerprint): boolean {
  const others = referencesOf(b);
  if (referencesOf(a).some((each) => others.includes(each))) return false;
  return (
    differ(a.detailReference, b.detailReference) ||
    (a.payments === 1 && b.payments === 1 && differ(a.bookingReference, b.bookingReference))
  );
}

/** Whether a payment notified on one day may be booked on the other. */
export function isBookedAfter(notified: string, booked: string): boolean {
  const days = daysBetween(notified, booked);
  return days > 0 && days <= BOOKING_DAYS;
}

/** Which of party, account and text are given, as bits. */
export function contentMask({ party, partyAccount, text }: Fingerprint): number {
  return (party === null ? 0 : 1) | (partyAccount === null ? 0 : 2) | (text === null ? 0 : 4);
}

function contentKey({ party, partyAccount, text }: Fingerprint, mask: number): string {
  return JSON.stringify([mask & 1 ? party : '', mask & 2 ? partyAccount : '', mask & 4 ? text : '']);
}

/** Which identifiers an entry has, as bits. */
function identityMask(entry: Fingerprint): number {
  const { uetr, endToEndId, detailReference, bookingReference, payments } = entry;
  return (
    (uetr === null ? 0 : 1) |
    (endToEndId === null ? 0 : 2) |
    (detailReference === null ? 0 : 4) |
    (bookingReference === null || payments > 1 ? 0 : 8)
  );
}

/** Entries of one day and amount that have the same identifiers and fields. */
interface Alike<T> {
  readonly identity: number;
  readonly content: number;
  readonly entries: T[];
  /** By content, for each choice of fields to compare. */
  readonly indexes: Map<number, Map<string, T[]>>;
}

/**
 * Finds entries of the same day and amount whose party, account and text agree, where no identifier is in both. A field that
 * only one of them has is no contradiction, as long as another one agrees. Comparing goes by key, because there may be
 * thousands of one amount.
 */
export class ContentIndex<T extends Fingerprint> {
  readonly #days = new Map<string, Alike<T>[]>();

  constructor(entries: Iterable<T>) {
    for (const entry of entries) {
      const key = dayAndMoney(entry);
      const day = this.#days.get(key) ?? [];
      if (day.length === 0) this.#days.set(key, day);
      const [identity, content] = [identityMask(entry), contentMask(entry)];
      const alike = day.find((each) => each.identity === identity && each.content === content);
      if (alike !== undefined) alike.entries.push(entry);
      else day.push({ identity, content, entries: [entry], indexes: new Map() });
    }
  }

  find(entry: Fingerprint, given: ReadonlySet<T>): T | undefined {
    const content = contentMask(entry);
    for (const alike of this.#days.get(dayAndMoney(entry)) ?? []) {
      const common = content & alike.content;
      // Had they a kind of identifier in common, it would have decided.
      if ((identityMask(entry) & alike.identity) !== 0) continue;
      if (common === 0 && (content !== 0 || alike.content !== 0)) continue;
      const index = alike.indexes.get(common) ?? indexOf(alike.entries, (each) => [contentKey(each, common)]);
      alike.indexes.set(common, index);
      const found = firstOf(index.get(contentKey(entry, common)), given);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
