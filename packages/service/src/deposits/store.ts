import { TRANSACTION_STATUSES } from '@firmquote/fx';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Present, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { depositsWithExcess } from './allocation-store.ts';
import { type DepositRecord, type DepositRow, depositFromRow } from './record.ts';

/**
 * Writes deposits that are not known yet. Another transaction that is writing the same one is waited for, so what is
 * not answered here is there for all to read.
 * @param deposits in the order of account and bank reference, so that two batches cannot lock each other out
 * @returns ids of those that were written
 */
export async function insertDeposits(
  connection: Connection,
  deposits: readonly DepositRecord[],
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<{ id: string }>({
    name: 'insert_deposits',
    text: `insert into deposits select d.* from json_populate_recordset(null::deposits, $1) d
           on conflict (account, bank_reference) do nothing returning id`,
    values: [JSON.stringify(deposits.map(rowOf))],
  });
  return new Set(rows.map((row) => row.id));
}

export async function updateDeposits(
  connection: Connection,
  deposits: readonly DepositRecord[],
): Promise<void> {
  await connection.query({
    name: 'update_deposits',
    text: `update deposits d set status = n.status, exception_type = n.exception_type, exception_reason = n.exception_reason,
             customer_id = n.customer_id, allocated_minor = n.allocated_minor, excess_minor = n.excess_minor,
             returned_minor = n.returned_minor,
             version = n.version, updated_at = n.updated_at
           from json_populate_recordset(null::deposits, $1) n where d.id = n.id and d.id = any ($2::uuid[])`,
    // How many rows the text has the planner does not know, and would rather read all deposits while there are a few thousand.
    values: [JSON.stringify(deposits.map(rowOf)), deposits.map(({ id }) => id)],
  });
}

/** Marks a deposit that was the house's own money. */
export async function setBookedAs(connection: Connection, id: string, bookedAs: string): Promise<void> {
  await connection.query('update deposits set booked_as = $2 where id = $1', [id, bookedAs]);
}

/** Deposits under the same account and bank reference as the given ones. */
export async function findByBankReference(
  connection: Queryable,
  deposits: readonly { readonly account: string; readonly bankReference: string }[],
): Promise<DepositRecord[]> {
  const { rows } = await connection.query<DepositRow>(
    `select d.* from deposits d
     where (d.account, d.bank_reference) in (select * from unnest($1::text[], $2::text[]))`,
    [deposits.map((each) => each.account), deposits.map((each) => each.bankReference)],
  );
  return rows.map(depositFromRow);
}

export async function findDeposit(connection: Queryable, id: string): Promise<DepositRecord | undefined> {
  const { rows } = await connection.query<DepositRow>('select * from deposits where id = $1', [id]);
  return rows[0] && depositFromRow(rows[0]);
}

/** Deposits that were not matched when they arrived, for one of these reasons, and that nobody has touched since; by id. */
export async function untouchedDeposits(
  connection: Queryable,
  reasons: readonly string[],
  after: string,
  rowsMax: number,
): Promise<DepositRecord[]> {
  const { rows } = await connection.query<DepositRow>({
    name: 'untouched_deposits',
    text: `select * from deposits
           where status = 'unmatched' and version = 1 and exception_reason = any ($1::text[]) and id > $2
           order by id limit $3`,
    values: [reasons, after, rowsMax],
  });
  return rows.map(depositFromRow);
}

/** Of these deposits those that no rule has matched, for one of these reasons, and that nobody has touched; oldest first. */
export async function openDeposits(
  connection: Queryable,
  ids: readonly string[],
  reasons: readonly string[],
): Promise<DepositRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<DepositRow>({
    name: 'open_deposits',
    text: `select * from deposits where id = any ($1::uuid[]) and status = 'unmatched' and version = 1
             and exception_reason = any ($2::text[])
           order by id`,
    values: [ids, reasons],
  });
  return rows.map(depositFromRow);
}

export async function lockDeposit(connection: Connection, id: string): Promise<DepositRecord | undefined> {
  const { rows } = await connection.query<DepositRow>('select * from deposits where id = $1 for update', [
    id,
  ]);
  return rows[0] && depositFromRow(rows[0]);
}

/** Deposits of which a trade keeps more than it needs, held until the transaction ends. */
export async function lockDepositsWithExcess(
  connection: Connection,
  trade: TransactionId,
): Promise<DepositRecord[]> {
  return lockDeposits(connection, await depositsWithExcess(connection, trade));
}

/** Deposits in the order in which everybody holds several of them, until the transaction ends. */
export async function lockDeposits(connection: Connection, ids: readonly string[]): Promise<DepositRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<DepositRow>(
    'select * from deposits where id = any ($1::uuid[]) order by account, bank_reference for update',
    [ids],
  );
  return rows.map(depositFromRow);
}

function rowOf(deposit: DepositRecord): Record<string, unknown> {
  return {
    id: deposit.id,
    account: deposit.account,
    bank_reference: deposit.bankReference,
    fingerprint: deposit.fingerprint,
    source: deposit.source,
    amount_minor: deposit.amountMinor.toString(),
    currency: deposit.currency,
    remitter_name: deposit.remitterName,
    remitter_account: deposit.remitterAccount,
    remittance_text: deposit.remittanceText,
    value_date: deposit.valueDate,
    booked_on: deposit.bookedOn ?? null,
    received_at: isoInstant(deposit.receivedAt),
    status: deposit.status,
    exception_type: deposit.exception?.type ?? null,
    exception_reason: deposit.exception?.reason ?? null,
    customer_id: deposit.customerId,
    allocated_minor: deposit.allocatedMinor.toString(),
    excess_minor: deposit.excessMinor.toString(),
    returned_minor: deposit.returnedMinor.toString(),
    virtual_account: deposit.virtualAccount ?? null,
    version: deposit.version,
    created_at: isoInstant(deposit.createdAt),
    updated_at: isoInstant(deposit.updatedAt),
  };
}

/** Since when no statement lists the entries that deposits were made of, by the deposits' ids. Instants as the API writes them. */
export async function missingDeposits(
  connection: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await connection.query<
    Present<Pick<Row<'entry_details'>, 'deposit_id' | 'missing_since'>>
  >(
    'select deposit_id, missing_since from entry_details where deposit_id = any ($1::uuid[]) and missing_since is not null',
    [ids],
  );
  return new Map(rows.map((row) => [row.deposit_id, isoInstant(row.missing_since)]));
}

/** By when they were written down, newest first. */
export async function newestDeposits(connection: Queryable, count: number): Promise<DepositRecord[]> {
  // Ids begin with the instant at which they were made.
  const { rows } = await connection.query<DepositRow>('select * from deposits order by id desc limit $1', [
    count,
  ]);
  return rows.map(depositFromRow);
}

/** A trade as it is; nothing is locked. */
export async function findTransaction(
  connection: Queryable,
  customerId: string,
  id: string,
): Promise<TransactionRow | undefined> {
  const { rows } = await connection.query<TransactionRow>(
    'select * from transactions where customer_id = $1 and id = $2',
    [customerId, id],
  );
  return rows[0];
}

/** See `recall_booked_as`. */
export async function recallBookedAs(connection: Queryable, depositId: string): Promise<string | null> {
  const { rows } = await connection.query<{ as: string | null }>('select recall_booked_as($1) as "as"', [
    depositId,
  ]);
  return rows[0]?.as ?? null;
}

/** Locks trades by their ids, in key order; ids that there are not are left out. */
export async function lockTransactions(
  connection: Connection,
  ids: readonly string[],
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<TransactionRow>(
    `select t.* from transactions t
     where (t.customer_id, t.id) in (
       select f.customer_id, f.id from unnest($2::text[]) as s (status), unnest($1::uuid[]) as w (id)
       join transactions f on f.id = w.id where f.status = s.status)
     order by t.customer_id, t.id for update of t`,
    [ids, TRANSACTION_STATUSES],
  );
  return rows;
}

/** Whose these trades are; nothing is locked. */
export async function customersOfTransactions(
  connection: Queryable,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<{ customer_id: string }>(
    `select distinct f.customer_id from unnest($2::text[]) as s (status), unnest($1::uuid[]) as w (id)
     join transactions f on f.id = w.id where f.status = s.status`,
    [ids, TRANSACTION_STATUSES],
  );
  return rows.map((row) => row.customer_id);
}
