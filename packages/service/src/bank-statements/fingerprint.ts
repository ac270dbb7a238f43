import {
  compact,
  cut,
  type Direction,
  type EntryStatus,
  type StatementEntry,
  type TransactionDetails,
} from '@firmquote/bank-formats';

/** What an entry is known again by: one payment of a booking. Texts are letters and digits only. */
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
  /** As it was told. */
  readonly detail: TransactionDetails;
  readonly bankReference: string | null;
}

/** An entry that was told of before and carries the money of its payment. */
export interface KnownEntry extends Fingerprint {
  /** Whether a statement of the end of the day has told of it; else only notifications and reports have. */
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

const TEXT_MAX = 1_000;

/** What instances of the version before this one know a booking again by. */
export interface BookingMarks {
  readonly reference: string | null;
  readonly uetr: string | null;
  readonly endToEndId: string | null;
  readonly text: string;
}

export function marksOf({ bankReference, details }: StatementEntry): BookingMarks {
  const [only] = details.length === 1 ? details : [];
  const text = details
    .slice(0, 100)
    .map((each) => compact(each.remittanceText ?? ''))
    .join('');
  return {
    reference: keyOf(bankReference),
    uetr: only?.uetr ?? null,
    endToEndId: keyOf(only?.endToEndId ?? null),
    text: cut(text, TEXT_MAX),
  };
}

/** The bank's references by which a payment may be named in another message: of a batch only its own. */
export function referencesOf({ detailReference, bookingReference, payments }: Fingerprint): string[] {
  const own = payments === 1 ? [detailReference, bookingReference] : [detailReference];
  return [...new Set(own.flatMap((each) => each ?? []))];
}
