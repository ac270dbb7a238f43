import type { WithdrawalStatus } from '@firmquote/api/operations/balances';
import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { WithdrawalRow } from './withdrawal-record.ts';

export interface NewWithdrawal {
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly clientReference: string | null;
  readonly requestedAs: WithdrawalRow['requested_as'];
  readonly requestedBy: string;
  readonly approvedBy: string | null;
  readonly reason: string | null;
}

/** Writes a pending withdrawal to the customer's account in the currency; undefined when it has none. */
export async function insertWithdrawal(
  connection: Connection,
  given: NewWithdrawal,
  at: number,
): Promise<WithdrawalRow | undefined> {
  const { rows } = await connection.query<WithdrawalRow>(
    `insert into balance_withdrawals (customer_id, id, currency, amount_minor, status, destination_id, destination_masked,
       client_reference, requested_as, requested_by, approved_by, reason, created_at, updated_at)
     select $1, $2, $3, $4, 'pending', s.id, s.masked, $5, $6, $7, $8, $9, $10, $10
     from settlement_instructions s where s.customer_id = $1 and s.currency = $3 and s.status = 'active'
     returning *`,
    [
      given.customerId,
      given.id,
      given.currency,
      given.amountMinor.toString(),
      given.clientReference,
      given.requestedAs,
      given.requestedBy,
      given.approvedBy,
      given.reason,
      isoInstant(at),
    ],
  );
  return rows[0];
}

/** @param customerId only when it is this customer's */
export async function findWithdrawal(
  connection: Queryable,
  id: string,
  customerId: string | undefined,
  lock = false,
): Promise<WithdrawalRow | undefined> {
  const { rows } = await connection.query<WithdrawalRow>(
    `select * from balance_withdrawals where id = $1 and ($2::uuid is null or customer_id = $2)
     ${lock ? 'for update' : ''}`,
    [id, customerId ?? null],
  );
  return rows[0];
}

/** Writes the state of a locked withdrawal. */
export async function writeWithdrawal(connection: Connection, row: WithdrawalRow): Promise<void> {
  const { rowCount } = await connection.query(
    `update balance_withdrawals set status = $3, bank_reference = $4, paid_at = $5, failure = $6, detail = $7,
       version = $8, updated_at = $9
     where customer_id = $1 and id = $2 and version = $8 - 1`,
    [
      row.customer_id,
      row.id,
      row.status,
      row.bank_reference,
      row.paid_at === null ? null : isoInstant(row.paid_at),
      row.failure,
      row.detail,
      row.version,
      isoInstant(row.updated_at),
    ],
  );
  if (rowCount !== 1) throw new Error(`withdrawal ${row.id} changed under its lock`);
}

/** Sends a locked withdrawal to the account that the customer has in its currency; undefined when there is none. */
export async function writeDestination(
  connection: Connection,
  row: WithdrawalRow,
  at: number,
): Promise<WithdrawalRow | undefined> {
  const { rows } = await connection.query<WithdrawalRow>(
    `update balance_withdrawals w set destination_id = s.id, destination_masked = s.masked, version = w.version + 1,
       updated_at = $4
     from settlement_instructions s
     where w.customer_id = $1 and w.id = $2 and s.customer_id = $1 and s.currency = $3 and s.status = 'active' returning w.*`,
    [row.customer_id, row.id, row.currency, isoInstant(at)],
  );
  return rows[0];
}

/** The run, which is held from then on, that the withdrawal is in; undefined when it is in none that was not cancelled. */
export async function runOf(
  connection: Connection,
  id: string,
): Promise<Pick<Row<'settlement_runs'>, 'id' | 'status'> | undefined> {
  const { rows } = await connection.query<Pick<Row<'settlement_runs'>, 'id' | 'status'>>(
    `select r.id, r.status from payment_items i
     join payments p on p.id = i.payment_id join settlement_runs r on r.id = p.run_id
     where i.withdrawal_id = $1 and i.live for share of r`,
    [id],
  );
  return rows[0];
}

/**
 * Minor units that the customer owes in a currency: what the balance has of deposits that remitters' banks have taken back and that
 * are in the books still, as the balance was spent or another part was, and the proceeds of trades that they have paid, as long as nobody
 * is done with the exception. That of a deposit which others have parts of is no one customer's.
 */
export async function owedOnReturns(
  connection: Queryable,
  customerId: string,
  currency: string,
): Promise<bigint> {
  const { rows } = await connection.query<{ owed: string }>(
    `select balance_brought_by(array(
       select e.deposit_id from reconciliation_exceptions e where e.status = 'open' and e.type = 'returned'
     ), $1, $2) as owed`,
    [customerId, currency],
  );
  return BigInt(rows[0]?.owed ?? 0);
}

interface WithdrawalFilter {
  readonly customerId?: string | undefined;
  readonly status: readonly WithdrawalStatus[] | undefined;
  readonly currency: string | undefined;
}

/** Newest first. `before` is the id that the page begins after. */
export async function listWithdrawals(
  connection: Queryable,
  { customerId, status, currency }: WithdrawalFilter,
  before: string | undefined,
  rowsMax: number,
): Promise<WithdrawalRow[]> {
  const { rows } = await connection.query<WithdrawalRow>(
    `select * from balance_withdrawals
     where ($1::uuid is null or customer_id = $1) and ($2::text[] is null or status = any ($2))
       and ($3::text is null or currency = $3) and ($4::uuid is null or id < $4)
     order by id desc limit $5`,
    [customerId ?? null, status ?? null, currency ?? null, before ?? null, rowsMax],
  );
  return rows;
}

export interface NamedWithdrawal
  extends Pick<CamelRow<'balance_withdrawals'>, 'customerId' | 'id' | 'reference' | 'currency'> {
  readonly amountMinor: bigint;
}

/** Withdrawals by their references. */
export async function withdrawalsByReference(
  connection: Queryable,
  references: readonly string[],
): Promise<NamedWithdrawal[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<Omit<NamedWithdrawal, 'amountMinor'> & { amount_minor: string }>({
    name: 'withdrawals_by_reference',
    text: `select customer_id as "customerId", id, reference, currency, amount_minor from balance_withdrawals
           where reference = any ($1::text[]) order by customer_id, id`,
    values: [references],
  });
  return rows.map(({ amount_minor: minor, ...row }) => ({ ...row, amountMinor: BigInt(minor) }));
}

/** Withdrawals in key order, held until the transaction ends. */
export async function lockWithdrawals(
  connection: Connection,
  ids: readonly string[],
): Promise<WithdrawalRow[]> {
  const { rows } = await connection.query<WithdrawalRow>(
    'select * from balance_withdrawals where id = any ($1::uuid[]) order by customer_id, id for update',
    [ids],
  );
  return rows;
}
