import { insertRows } from '../../database/insert-rows.ts';
import type { Connection } from '../../database/pool.ts';
import type { Booking, SetAsideReason, StatementBegin, StatementEnd } from './entry.ts';
import type { Marks } from './recognise.ts';
import type { DepositState, PaymentState } from './record.ts';

/** Any number that nothing else locks. */
const IMPORT_LOCK = 4_201_985;
/** How long an import waits for the one under way. */
export const IMPORT_WAIT_MS = 60_000;

/** Imports go one after the other, because two that overlap must see each other's bookings. Held until the commit. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(
    `set local lock_timeout = ${IMPORT_WAIT_MS}; set local statement_timeout = ${IMPORT_WAIT_MS + 1_000}`,
  );
  await connection.query({
    text: `select pg_advisory_xact_lock(${IMPORT_LOCK})`,
    query_timeout: IMPORT_WAIT_MS + 5_000,
  } as { text: string });
  await connection.query("set local lock_timeout = '10s'; set local statement_timeout = '30s'");
}

export interface NewStatement {
  readonly id: string;
  readonly fileId: string;
  readonly position: number;
  readonly account: string;
  readonly isOwn: boolean;
  readonly begin: StatementBegin;
  readonly end: StatementEnd;
  readonly bookings: number;
  readonly newBookings: number;
  readonly setAside?: { readonly reason: SetAsideReason; readonly entries: number };
}

export async function insertStatement(connection: Connection, statement: NewStatement): Promise<void> {
  const { begin, end } = statement;
  await connection.query({
    name: 'insert_bank_statement',
    text: `insert into bank_statements (id, file_id, position, line, kind, account, is_own, currency, reference, number, page,
             period_from, period_to, opening_minor, opening_currency, opening_date, closing_minor, closing_currency,
             closing_date, bookings, new_bookings, set_aside, entries_left)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
    values: [
      statement.id,
      statement.fileId,
      statement.position,
      begin.line,
      begin.kind,
      statement.account,
      statement.isOwn,
      end.currency,
      begin.reference,
      end.number,
      end.page,
      end.from,
      end.to,
      end.opening?.minor,
      end.opening?.currency,
      end.opening?.date,
      end.closing?.minor,
      end.closing?.currency,
      end.closing?.date,
      statement.bookings,
      statement.newBookings,
      statement.setAside?.reason ?? null,
      statement.setAside?.entries ?? null,
    ],
  });
}

export interface KnownBooking extends Marks {
  readonly id: string;
}

/** Bookings that the given ones could be, without those that `toldBy` has been given already. */
export async function findKnown(
  connection: Connection,
  account: string,
  told: readonly Marks[],
  toldBy: string,
): Promise<KnownBooking[]> {
  const nameless = told.filter((each) => each.reference === null);
  const { rows } = await connection.query<KnownRow>({
    name: 'find_known_bookings',
    // A way of being known again each, by an index of its own: a file may have as many entries of one day as it likes.
    text: `with found as (
             select id from statement_bookings where account = $1 and known_reference = any ($2::text[])
             union
             select id from statement_bookings where account = $1 and known_uetr = any ($3::text[])
             union
             select b.id from statement_bookings b join unnest($4::date[], $5::numeric[]) t (day, amount)
               on b.booking_date = t.day and b.amount_minor = t.amount
             where b.account = $1 and b.known_reference is null
             union
             select b.id from statement_bookings b join unnest($6::date[], $7::numeric[]) t (day, amount)
               on b.booking_date = t.day and b.amount_minor = t.amount
             where b.account = $1
           )
           select b.id, b.direction, b.status, b.amount_minor, b.currency, b.booking_date, b.known_reference,
             b.known_uetr, b.known_end_to_end, b.known_text
           from found f join statement_bookings b on b.id = f.id where b.last_told_by <> $8 order by b.id`,
    values: [
      account,
      [...new Set(told.flatMap((each) => each.reference ?? []))],
      [...new Set(told.flatMap((each) => each.uetr ?? []))],
      ...daysOf(told),
      ...daysOf(nameless),
      toldBy,
    ],
  });
  return rows.map((row) => ({
    id: row.id,
    direction: row.direction,
    status: row.status,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    bookingDate: row.booking_date,
    reference: row.known_reference,
    uetr: row.known_uetr,
    endToEndId: row.known_end_to_end,
    text: row.known_text,
  }));
}

/** Days and amounts, each pair once. */
function daysOf(told: readonly Marks[]): [string[], bigint[]] {
  const pairs = new Map(told.map((each) => [`${each.bookingDate} ${each.amountMinor}`, each]));
  return [
    [...pairs.values()].map((each) => each.bookingDate),
    [...pairs.values()].map((each) => each.amountMinor),
  ];
}

interface KnownRow {
  id: string;
  direction: string;
  status: string;
  amount_minor: string;
  currency: string;
  booking_date: string;
  known_reference: string | null;
  known_uetr: string | null;
  known_end_to_end: string | null;
  known_text: string;
}

export interface NewEntry {
  readonly id: string;
  readonly depositState: DepositState;
  readonly paymentState: PaymentState;
}

export interface NewBooking {
  readonly id: string;
  readonly statementId: string;
  readonly account: string;
  readonly booking: Booking;
  readonly marks: Marks;
  readonly toldBy: string;
  /** One for each payment of the booking. */
  readonly entries: readonly NewEntry[];
}

export async function insertBookings(connection: Connection, bookings: readonly NewBooking[]): Promise<void> {
  const rows = bookings.map(({ id, statementId, account, booking, marks, toldBy }) => ({
    id,
    statement_id: statementId,
    line: booking.line,
    account,
    currency: booking.currency,
    direction: booking.direction,
    status: booking.status,
    amount_minor: booking.amountMinor.toString(),
    booking_date: booking.bookingDate,
    value_date: booking.valueDate,
    bank_reference: booking.bankReference,
    transaction_code: booking.transactionCode,
    known_reference: marks.reference,
    known_uetr: marks.uetr,
    known_end_to_end: marks.endToEndId,
    known_text: marks.text,
    last_told_by: toldBy,
    in_statement: false,
  }));
  await insertRows(connection, 'statement_bookings', rows);
  const entries = bookings.flatMap(({ id, booking, entries: given }) =>
    booking.details.map((detail, index) => ({
      id: given[index]?.id,
      booking_id: id,
      number: index + 1,
      kind: detail.kind,
      amount_minor: detail.amountMinor.toString(),
      end_to_end_id: detail.endToEndId,
      uetr: detail.uetr,
      instruction_id: detail.instructionId,
      payment_information_id: detail.paymentInformationId,
      detail_reference: detail.detailReference,
      structured_references: detail.structuredReferences,
      remittance_text: detail.remittanceText,
      counterparty_name: detail.counterpartyName,
      counterparty_account: detail.counterpartyAccount,
      credited_account: detail.creditedAccount,
      return_reason: detail.returnReason,
      original_reference: detail.originalReference,
      exchange: detail.exchange,
      deposit_state: given[index]?.depositState,
      payment_state: given[index]?.paymentState,
    })),
  );
  await insertRows(connection, 'statement_entries', entries);
}

/**
 * Marks the bookings of a statement that has a balance: they are in it.
 * @param closesWithout the day after which what is valued is not in the closing balance
 */
export async function markInStatement(
  connection: Connection,
  fileId: string,
  statementPosition: number,
  closesWithout: string | undefined,
): Promise<void> {
  await connection.query(
    `update statement_bookings b set in_statement = true from statement_listings l
     where l.file_id = $1 and l.statement_position = $2 and b.id = l.booking_id and not b.in_statement
       and ($3::date is null or b.value_date <= $3)`,
    [fileId, statementPosition, closesWithout],
  );
}

/** Marks known bookings as told of by this file or report. */
export async function markTold(
  connection: Connection,
  ids: readonly string[],
  toldBy: string,
): Promise<void> {
  if (ids.length === 0) return;
  await connection.query('update statement_bookings set last_told_by = $2 where id = any ($1::uuid[])', [
    ids,
    toldBy,
  ]);
}

export interface Listing {
  readonly fileId: string;
  readonly position: number;
  readonly statementPosition: number;
  readonly line: number;
  readonly bookingId: string;
  readonly isNew: boolean;
}

export async function insertListings(connection: Connection, listings: readonly Listing[]): Promise<void> {
  const rows = listings.map((each) => ({
    file_id: each.fileId,
    position: each.position,
    statement_position: each.statementPosition,
    line: each.line,
    booking_id: each.bookingId,
    is_new: each.isNew,
  }));
  await insertRows(connection, 'statement_listings', rows);
}
