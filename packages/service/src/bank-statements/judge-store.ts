import type { PaymentState, SameReason } from '@firmquote/api/operations/statement-entries';
import type { Connection } from '../database/pool.ts';

/** An entry that a person says something of, with what was made of it. */
export interface JudgedEntry {
  readonly id: string;
  readonly bookingId: string;
  readonly statementId: string;
  readonly fileId: string;
  readonly account: string;
  readonly currency: string;
  readonly bookingDate: string;
  readonly depositId: string | null;
  readonly paymentState: PaymentState;
  readonly sameAs: string | null;
  readonly sameReason: SameReason | null;
  readonly maybeSameAs: string | null;
  readonly listedBy: string | null;
  readonly missingSince: number | null;
}

/** Held until the transaction ends. */
export async function lockJudged(connection: Connection, ids: readonly string[]): Promise<JudgedEntry[]> {
  const { rows } = await connection.query<JudgedEntry>(
    `select e.id, e.booking_id as "bookingId", b.statement_id as "statementId", s.file_id as "fileId", b.account, b.currency,
       b.booking_date as "bookingDate", e.deposit_id as "depositId", e.payment_state as "paymentState", e.same_as as "sameAs",
       e.same_reason as "sameReason", e.maybe_same_as as "maybeSameAs", e.listed_by as "listedBy",
       e.missing_since as "missingSince"
     from statement_entries e join statement_bookings b on b.id = e.booking_id join bank_statements s on s.id = b.statement_id
     where e.id = any ($1::uuid[]) order by e.id for update of e`,
    [ids],
  );
  return rows;
}

/** An entry is another one again: its file has told news, and it lists nothing else. */
export async function unlist(
  connection: Connection,
  { id, bookingId, fileId, sameAs }: JudgedEntry,
): Promise<void> {
  await connection.query(
    'update statement_listings set is_new = true where file_id = $1 and booking_id = $2',
    [fileId, bookingId],
  );
  const balanced = "s.kind = 'statement' and s.opening_minor is not null and s.closing_minor is not null";
  await connection.query(
    `update statement_bookings b set in_statement = (${balanced}) from bank_statements s where s.id = b.statement_id and b.id = $1`,
    [bookingId],
  );
  const { rows } = await connection.query<{ booking_id: string }>(
    `update statement_entries e set listed_by = (
       select c.id from statement_entries c join statement_bookings b on b.id = c.booking_id
       join bank_statements s on s.id = b.statement_id where c.same_as = e.id and ${balanced} order by c.id limit 1)
     where e.id = $1 and e.listed_by = $2 returning e.booking_id`,
    [sameAs, id],
  );
  await connection.query(
    `update statement_bookings b set in_statement = (${balanced}) or not exists (
       select from statement_entries p where p.booking_id = b.id and p.same_as is null and p.listed_by is null)
     from bank_statements s where s.id = b.statement_id and b.id = any ($1::uuid[])`,
    [rows.map((row) => row.booking_id)],
  );
}

/** The bank has never booked it: it is no money, and nobody waits for it. */
export async function writeNeverBooked(connection: Connection, id: string): Promise<void> {
  await connection.query(
    `update statement_entries set deposit_state = 'none', deposit_id = null, payment_state = 'by_hand', payment_reason = null,
       booked_as = 'never_booked', missing_since = null, revise = null
     where id = $1`,
    [id],
  );
}
