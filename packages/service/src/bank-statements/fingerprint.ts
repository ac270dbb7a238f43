import {
  compact,
  type Direction,
  type EntryStatus,
  type StatementEntry,
  type TransactionDetails,
} from '@firmquote/bank-formats';
import { daysBetween } from '@firmquote/fx';

/** What the details of a payment are recognised by. Texts are reduced to letters and digits. */
export interface Fingerprint {
  readonly id: string;
  readonly entryId: string;
  /** Place in the entry, and how many payments that has. */
  readonly number: number;
  readonly payments: number;
  readonly direction: Direction;
  readonly status: EntryStatus;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly entryMinor: bigint;
  readonly bookingDate: string;
  readonly uetr: string | null;
  readonly endToEndId: string | null;
  /** The bank's references of the payment and of its entry. */
  readonly detailReference: string | null;
  readonly entryReference: string | null;
  readonly party: string | null;
  readonly partyAccount: string | null;
  readonly text: string | null;
  /** As it was reported. */
  readonly detail: TransactionDetails;
  readonly bankReference: string | null;
}

/** Details that were reported before. They carry the money of their payment, unless others do. */
export interface KnownDetail extends Fingerprint {
  /** The sum that carries it. */
  readonly sumId: string | null;
  /** Of a payment in an entry of several: the details that carry it. */
  readonly repeats: string | null;
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
  entry: Facts,
  detail: TransactionDetails,
  place: {
    readonly id: string;
    readonly entryId: string;
    readonly number: number;
    readonly payments: number;
  },
): Fingerprint {
  const { direction, status, currency, bookingDate, bankReference } = entry;
  return {
    ...place,
    direction,
    status,
    currency,
    bookingDate,
    bankReference,
    amountMinor: detail.amountMinor,
    entryMinor: entry.amountMinor,
    uetr: detail.uetr,
    endToEndId: keyOf(detail.endToEndId),
    detailReference: keyOf(detail.detailReference),
    entryReference: keyOf(bankReference),
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
export function referencesOf({ detailReference, entryReference, payments }: Fingerprint): string[] {
  const own = payments === 1 ? [detailReference, entryReference] : [detailReference];
  return [...new Set(own.flatMap((each) => each ?? []))];
}

/** A notified payment is booked at most this much later, over the longest holidays. */
const BOOKING_DAYS = 5; // limit: Days within which a notified payment is booked
/** Payments under one key that are compared one by one. */
const COMPARED_MAX = 50; // limit: Known payments that a new one is compared with

export const money = ({ direction, status, currency, amountMinor }: Fingerprint) =>
  `${direction} ${status} ${currency} ${amountMinor}`;
export const dayAndMoney = (payment: Fingerprint) => `${payment.bookingDate} ${money(payment)}`;

export function indexOf<T>(items: Iterable<T>, keys: (item: T) => readonly string[]): Map<string, T[]> {
  const index = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keys(item)) {
      const others = index.get(key);
      if (others === undefined) index.set(key, [item]);
      else others.push(item);
    }
  }
  return index;
}

/** The first that is not taken yet and for which the condition holds. Of very many under one key not all are tried. */
export function firstOf<T>(
  items: T[] | undefined,
  given: ReadonlySet<T>,
  holds: (item: T) => boolean = () => true,
): T | undefined {
  if (items === undefined) return undefined;
  const from = items.findIndex((each) => !given.has(each));
  // Those before it are taken for good.
  items.splice(0, from === -1 ? items.length : from);
  return items.slice(0, COMPARED_MAX).find((each) => !given.has(each) && holds(each));
}

export function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

/** Both have an identifier and it differs. References are compared on one level: of payments, or of entries of one payment. */
export function identifiersDiffer(a: Fingerprint, b: Fingerprint): boolean {
  return differ(a.uetr, b.uetr) || differ(a.endToEndId, b.endToEndId) || referencesDiffer(a, b);
}

export function referencesDiffer(a: Fingerprint, b: Fingerprint): boolean {
  const others = referencesOf(b);
  if (referencesOf(a).some((each) => others.includes(each))) return false;
  return (
    differ(a.detailReference, b.detailReference) ||
    (a.payments === 1 && b.payments === 1 && differ(a.entryReference, b.entryReference))
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

/** Which identifiers are given, as bits. */
function identityMask(payment: Fingerprint): number {
  const { uetr, endToEndId, detailReference, entryReference, payments } = payment;
  return (
    (uetr === null ? 0 : 1) |
    (endToEndId === null ? 0 : 2) |
    (detailReference === null ? 0 : 4) |
    (entryReference === null || payments > 1 ? 0 : 8)
  );
}

/** Payments of one day and amount that have the same identifiers and fields. */
interface Alike<T> {
  readonly identity: number;
  readonly content: number;
  readonly payments: T[];
  /** By content, for each choice of fields to compare. */
  readonly indexes: Map<number, Map<string, T[]>>;
}

/**
 * Finds payments of the same day and amount whose party, account and text agree, where no identifier is in both. A field that
 * only one of them has is no contradiction, as long as another one agrees. Comparing goes by key, because there may be
 * thousands of one amount.
 */
export class ContentIndex<T extends Fingerprint> {
  readonly #days = new Map<string, Alike<T>[]>();

  constructor(payments: Iterable<T>) {
    for (const payment of payments) {
      const key = dayAndMoney(payment);
      const day = this.#days.get(key) ?? [];
      if (day.length === 0) this.#days.set(key, day);
      const [identity, content] = [identityMask(payment), contentMask(payment)];
      const alike = day.find((each) => each.identity === identity && each.content === content);
      if (alike !== undefined) alike.payments.push(payment);
      else day.push({ identity, content, payments: [payment], indexes: new Map() });
    }
  }

  find(payment: Fingerprint, given: ReadonlySet<T>): T | undefined {
    const content = contentMask(payment);
    for (const alike of this.#days.get(dayAndMoney(payment)) ?? []) {
      const common = content & alike.content;
      // Had they a kind of identifier in common, it would have decided.
      if ((identityMask(payment) & alike.identity) !== 0) continue;
      if (common === 0 && (content !== 0 || alike.content !== 0)) continue;
      const index =
        alike.indexes.get(common) ?? indexOf(alike.payments, (each) => [contentKey(each, common)]);
      alike.indexes.set(common, index);
      const found = firstOf(index.get(contentKey(payment, common)), given);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
