import type { Connection, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

export interface BalanceRow {
  readonly currency: string;
  /** What the customer has, in minor units; never negative. */
  readonly available_minor: string;
}

/** A customer's balances, one for each currency that ever had money. */
export async function readBalances(connection: Queryable, customerId: string): Promise<BalanceRow[]> {
  const { rows } = await connection.query<BalanceRow>(
    `select currency, (-balance)::text as available_minor from balances
     where customer_id = $1 and account = 'customer_balance' order by currency`,
    [customerId],
  );
  return rows;
}

/** The reference under which a customer pays into its balance; made when it is first asked for. */
export async function topUpReference(connection: Queryable, customerId: string): Promise<string> {
  await connection.query(
    'insert into balance_references (customer_id) values ($1) on conflict (customer_id) do nothing',
    [customerId],
  );
  const { rows } = await connection.query<{ reference: string }>(
    'select reference from balance_references where customer_id = $1',
    [customerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`customer ${customerId} has no top-up reference`);
  return row.reference;
}

/** Customers whose top-up reference is among those given. */
export async function customersByTopUpReference(
  connection: Queryable,
  references: readonly string[],
): Promise<string[]> {
  if (references.length === 0) return [];
  const { rows } = await connection.query<{ customer_id: string }>(
    'select customer_id from balance_references where reference = any ($1) order by customer_id',
    [references],
  );
  return rows.map((row) => row.customer_id);
}

export interface TopUpRecord {
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly bankReference: string;
  readonly depositId: string | null;
  /** UUID of the OAuth client of the operator; null when it was matched. */
  readonly bookedBy: string | null;
  readonly at: number;
}

/** @returns false when the customer has a top-up under this bank reference, or the deposit was one already */
export async function insertTopUp(connection: Connection, topUp: TopUpRecord): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into balance_top_ups (customer_id, id, currency, amount_minor, bank_reference, deposit_id, booked_by, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      topUp.customerId,
      topUp.id,
      topUp.currency,
      topUp.amountMinor.toString(),
      topUp.bankReference,
      topUp.depositId,
      topUp.bookedBy,
      isoInstant(topUp.at),
    ],
  );
  return rowCount === 1;
}

export async function customerExists(connection: Queryable, id: string): Promise<boolean> {
  const { rows } = await connection.query('select from customers where id = $1', [id]);
  return rows.length === 1;
}
