import type { Connection, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { isToBeTried } from './apply-failures.ts';
import type { DueSpan } from './settle-due.ts';

/** A credit of a statement that has yet to become a deposit. */
export interface DueCredit {
  readonly id: string;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly valueDate: string;
  readonly bookingDate: string;
  readonly bankReference: string | null;
  readonly detailReference: string | null;
  /** Place in its booking, and how many payments that has. */
  readonly number: number;
  readonly payments: number;
  readonly endToEndId: string | null;
  readonly structuredReferences: readonly string[];
  readonly remittanceText: string | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly creditedAccount: string | null;
  readonly receivedAt: number;
}

/** Those that another instance holds are passed over. */
export async function lockDueCredits(
  connection: Connection,
  { rowsMax, after, upTo, now }: DueSpan,
): Promise<DueCredit[]> {
  const { rows } = await connection.query<{
    id: string;
    account: string;
    currency: string;
    amount_minor: string;
    value_date: string;
    booking_date: string;
    bank_reference: string | null;
    detail_reference: string | null;
    number: number;
    payments: string;
    end_to_end_id: string | null;
    structured_references: string[];
    remittance_text: string | null;
    counterparty_name: string | null;
    counterparty_account: string | null;
    credited_account: string | null;
    received_at: number;
  }>({
    name: 'lock_due_credits',
    text: `with due as materialized (
             select * from statement_entries c where deposit_state = 'due' and id > $2 and ($3::uuid is null or id <= $3)
               and ${isToBeTried('c.id', '$4')}
             order by id limit $1 for update skip locked
           )
           select e.id, b.account, b.currency, e.amount_minor, b.value_date, b.booking_date, b.bank_reference, e.detail_reference, e.number,
             (select count(*) from statement_entries p where p.booking_id = b.id) as payments, e.end_to_end_id,
             e.structured_references, e.remittance_text, e.counterparty_name, e.counterparty_account, e.credited_account, f.received_at
           from due e
           join statement_bookings b on b.id = e.booking_id
           join bank_statements s on s.id = b.statement_id
           join statement_files f on f.id = s.file_id
           -- In the order of the file.
           order by f.received_at, b.statement_id, b.line, e.number`,
    values: [rowsMax, after, upTo, isoInstant(now)],
  });
  return rows.map((row) => ({
    id: row.id,
    account: row.account,
    currency: row.currency,
    amountMinor: BigInt(row.amount_minor),
    valueDate: row.value_date,
    bookingDate: row.booking_date,
    bankReference: row.bank_reference,
    detailReference: row.detail_reference,
    number: row.number,
    payments: Number.parseInt(row.payments, 10),
    endToEndId: row.end_to_end_id,
    structuredReferences: row.structured_references,
    remittanceText: row.remittance_text,
    counterpartyName: row.counterparty_name,
    counterpartyAccount: row.counterparty_account,
    creditedAccount: row.credited_account,
    receivedAt: row.received_at,
  }));
}

/** Id of the first due credit after another one. */
export async function nextDueCredit(
  connection: Queryable,
  after: string,
  now: number,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from statement_entries c where deposit_state = 'due' and id > $1 and ${isToBeTried('c.id', '$2')}
     order by id limit 1`,
    [after, isoInstant(now)],
  );
  return rows[0]?.id;
}

/** Deposits first, as everybody does: they are locked before trades and balances. */
export async function lockDeposits(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connection.query(
    'select 1 from deposits where id = any ($1::uuid[]) order by account, bank_reference for update',
    [ids],
  );
}

export async function linkDeposits(
  connection: Connection,
  links: readonly { readonly entryId: string; readonly depositId: string }[],
): Promise<void> {
  await connection.query(
    `update statement_entries e set deposit_state = 'booked', deposit_id = n.deposit_id
     from unnest($1::uuid[], $2::uuid[]) n (id, deposit_id) where e.id = n.id`,
    [links.map((each) => each.entryId), links.map((each) => each.depositId)],
  );
}

/** Those of the deposits that an entry has told of. */
export async function depositsOfEntries(
  connection: Queryable,
  depositIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (depositIds.length === 0) return new Set();
  const { rows } = await connection.query<{ deposit_id: string }>(
    'select deposit_id from statement_entries where deposit_id = any ($1::uuid[])',
    [depositIds],
  );
  return new Set(rows.map((row) => row.deposit_id));
}

/** @param accounts names that the account may be filed under */
export async function depositOfBooking(
  connection: Queryable,
  accounts: readonly string[],
  knownReference: string,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ deposit_id: string }>({
    name: 'deposit_of_booking',
    text: `select e.deposit_id from statement_bookings b join statement_entries e on e.booking_id = b.id
           where b.account = any ($1) and b.known_reference = $2 and e.deposit_id is not null limit 1`,
    values: [accounts, knownReference],
  });
  return rows[0]?.deposit_id;
}
