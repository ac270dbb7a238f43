import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
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

/**
 * The reference under which a customer pays into its balance; made when it is first asked for.
 * @returns empty where there is none yet and the transaction may only read
 */
export async function topUpReference(connection: Queryable, customerId: string): Promise<string> {
  const { rows: known } = await connection.query<{ reference: string | null; reads: boolean }>(
    `select (select reference from balance_references where customer_id = $1) as reference,
       current_setting('transaction_read_only') = 'on' as reads`,
    [customerId],
  );
  const { reference = null, reads = false } = known[0] ?? {};
  if (reference !== null) return reference;
  if (reads) return '';
  await connection.query(
    'insert into balance_references (customer_id) values ($1) on conflict (customer_id) do nothing',
    [customerId],
  );
  const { rows } = await connection.query<Pick<Row<'balance_references'>, 'reference'>>(
    'select reference from balance_references where customer_id = $1',
    [customerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`customer ${customerId} has no top-up reference`);
  return row.reference;
}

export type BalanceOwner = CamelRow<'balance_references'>;

/** Whose balances the references are. */
export async function findBalanceOwners(
  connection: Queryable,
  references: readonly string[],
): Promise<BalanceOwner[]> {
  const { rows } = await connection.query<BalanceOwner>({
    name: 'balance_owners',
    text: `select reference, customer_id as "customerId" from balance_references
           where reference = any ($1) order by customer_id`,
    values: [references],
  });
  return rows;
}

interface TopUpRecord {
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly bankReference: string;
  /** UUID of the person or OAuth client; null when nobody is known. */
  readonly bookedBy: string | null;
  readonly at: number;
}

/** @returns false when the customer has a top-up under this bank reference, by hand or by a deposit */
export async function insertTopUp(connection: Connection, topUp: TopUpRecord): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into balance_top_ups (customer_id, id, currency, amount_minor, bank_reference, booked_by, at)
     select $1, $2, $3, $4, $5, $6, $7
     where not exists (
       select from deposits d join deposit_allocations a on a.deposit_id = d.id
       where d.bank_reference = $5 and d.currency = $3 and a.customer_id = $1 and a.transaction_id is null)
     on conflict do nothing`,
    [
      topUp.customerId,
      topUp.id,
      topUp.currency,
      topUp.amountMinor.toString(),
      topUp.bankReference,
      topUp.bookedBy,
      isoInstant(topUp.at),
    ],
  );
  return rowCount === 1;
}

export type BookedTopUp = Pick<
  CamelRow<'balance_top_ups'>,
  'customerId' | 'bankReference' | 'currency' | 'amountMinor'
>;

/** Top-ups that operators have booked under these bank references. */
export async function topUpsUnder(
  connection: Queryable,
  customerIds: readonly string[],
  bankReferences: readonly string[],
): Promise<BookedTopUp[]> {
  const { rows } = await connection.query<BookedTopUp>({
    name: 'top_ups_under',
    text: `select customer_id as "customerId", bank_reference as "bankReference", currency,
             amount_minor as "amountMinor"
           from balance_top_ups where customer_id = any ($1::uuid[]) and bank_reference = any ($2::text[])`,
    values: [customerIds, bankReferences],
  });
  return rows;
}

/** Holds the customers' feeds, by which everything that moves a balance goes, until the transaction ends. */
export async function lockUsage(connection: Connection, customerIds: readonly string[]): Promise<void> {
  await connection.query(
    'select from customer_usage where customer_id = any ($1::uuid[]) order by customer_id for update',
    [customerIds],
  );
}

/** Minor units that a customer has in a currency. */
export async function readAvailable(
  connection: Queryable,
  customerId: string,
  currency: string,
): Promise<bigint> {
  const { rows } = await connection.query<{ available: string }>(
    `select -balance as available from balances
     where customer_id = $1 and account = 'customer_balance' and currency = $2`,
    [customerId, currency],
  );
  return BigInt(rows[0]?.available ?? 0);
}
