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

/**
 * Holds what people and rules are about to decide on entries with these bank references, until the transaction ends: a top-up by hand alone,
 * deposits together. Taken after deposits and before trades; whoever comes second sees what the first has done.
 */
export async function holdBankReferences(
  connection: Connection,
  bankReferences: readonly string[],
  as: 'top_up' | 'deposits',
): Promise<void> {
  const hold = as === 'top_up' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await connection.query({
    name: `hold_bank_references_of_${as}`,
    text: `select ${hold}(hashtext('bank_references'), h.hash)
           from (select distinct hashtext(r) as hash from unnest($1::text[]) r order by 1) h`,
    values: [bankReferences],
  });
}

/** @returns false when the customer has a top-up under this bank reference, by hand or by a deposit */
export async function insertTopUp(connection: Connection, topUp: TopUpRecord): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into balance_top_ups (customer_id, id, currency, amount_minor, bank_reference, booked_by, at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
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

/**
 * The deposit that is the money of a top-up and somebody has already, or is at work on: one that a balance of the customer has a part of, or
 * one of this amount and of these days. One that nobody has touched can still take the top-up's place, and one that the bank never had is none.
 */
export async function takenDeposit(
  connection: Queryable,
  topUp: Pick<TopUpRecord, 'customerId' | 'currency' | 'amountMinor' | 'bankReference' | 'at'>,
  withinDays: number,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(
    `select d.id from deposits_under($1) d
     where d.currency = $2 and (exists (
         select from deposit_allocations a where a.deposit_id = d.id and a.customer_id = $4 and a.transaction_id is null
       ) or (d.amount_minor = $3 and not (d.status = 'unmatched' and d.version = 1)
         and coalesce(d.booked_as, '') not in ('same_entry', 'never_booked')
         and coalesce(d.booked_on::timestamptz, d.received_at)
           between $5::timestamptz - $6 * interval '1 day' and $5::timestamptz + $6 * interval '1 day'))
     order by d.id limit 1`,
    [
      ...[topUp.bankReference, topUp.currency, topUp.amountMinor.toString(), topUp.customerId],
      ...[isoInstant(topUp.at), withinDays],
    ],
  );
  return rows[0]?.id;
}

/** A top-up that an operator has booked by hand. */
export type BookedTopUp = Pick<
  CamelRow<'balance_top_ups'>,
  'id' | 'customerId' | 'bankReference' | 'currency' | 'amountMinor' | 'at'
>;

const BOOKED = `t.id, t.customer_id as "customerId", t.bank_reference as "bankReference", t.currency, t.amount_minor as "amountMinor", t.at`;

/** Top-ups that operators have booked under these bank references, and whose place no deposit has, or one of these. */
export async function topUpsUnder(
  connection: Queryable,
  bankReferences: readonly string[],
  depositIds: readonly string[],
): Promise<BookedTopUp[]> {
  const { rows } = await connection.query<BookedTopUp>({
    name: 'top_ups_under',
    text: `select ${BOOKED} from balance_top_ups t
           where t.bank_reference = any ($1::text[]) and (t.deposit_id is null or t.deposit_id = any ($2::uuid[])) order by t.id`,
    values: [bankReferences, depositIds],
  });
  return rows;
}

/** At most so many top-ups whose place no deposit has, and that may be this money: first those under the bank reference, then those of the amount. */
export async function topUpsLike(
  connection: Queryable,
  money: Pick<TopUpRecord, 'currency' | 'amountMinor' | 'bankReference'>,
  rowsMax: number,
): Promise<BookedTopUp[]> {
  const { rows } = await connection.query<BookedTopUp>(
    `select ${BOOKED} from (
       (select * from balance_top_ups where bank_reference = $1 and currency = $2 and deposit_id is null order by id limit $4)
       union
       (select * from balance_top_ups where currency = $2 and amount_minor = $3 and deposit_id is null order by id limit $4)
     ) t order by t.bank_reference = $1 desc, t.id limit $4`,
    [money.bankReference, money.currency, money.amountMinor.toString(), rowsMax],
  );
  return rows;
}

/** A deposit has the place of a top-up from now on. */
export async function setTopUpReplaced(
  connection: Connection,
  { customerId, id }: Pick<BookedTopUp, 'customerId' | 'id'>,
  depositId: string,
): Promise<void> {
  const { rowCount } = await connection.query(
    `update balance_top_ups t set deposit_id = $3, journal_entry_id = coalesce(t.journal_entry_id, entry_of_top_up(t))
     where t.customer_id = $1 and t.id = $2 and t.deposit_id is null`,
    [customerId, id, depositId],
  );
  if (rowCount !== 1) throw new Error(`top-up ${id} has been replaced before`);
}

/** The top-ups whose place a deposit has had, of these customers, have it again. */
export async function setTopUpsBack(
  connection: Connection,
  depositId: string,
  customerIds: readonly string[],
): Promise<BookedTopUp[]> {
  const { rows } = await connection.query<BookedTopUp>(
    `update balance_top_ups t set deposit_id = null where t.deposit_id = $1 and t.customer_id = any ($2::uuid[]) returning ${BOOKED}`,
    [depositId, customerIds],
  );
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
