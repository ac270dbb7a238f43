import { TRANSACTION_STATUSES } from '@firmquote/fx';
import type { Connection, Queryable } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** More open trades of one customer and currency than this are not looked through by the rules. */
export const OPEN_TRADES_MAX = 50; // limit: Open trades of a customer and currency that rules look at

/** Whose open trades in which currency. */
export interface OpenTradesOf {
  readonly customerId: string;
  readonly currency: string;
}

/**
 * Locks the trades that deposits may be for, in key order: those that carry one of the references, and those that
 * await money of the customers, by oldest value date and one more than {@link OPEN_TRADES_MAX} of each.
 */
export async function lockCandidates(
  connection: Connection,
  references: readonly string[],
  open: readonly OpenTradesOf[],
): Promise<TransactionRow[]> {
  if (references.length === 0 && open.length === 0) return [];
  const { rows } = await connection.query<TransactionRow>({
    name: 'lock_candidates',
    text: `select t.* from transactions t
           where (t.customer_id, t.id) in (
             select r.customer_id, r.id from transactions r where r.reference = any ($1::text[])
             union
             select o.customer_id, o.id from unnest($2::uuid[], $3::text[]) w (customer_id, currency)
             cross join lateral (
               select x.customer_id, x.id from transactions x
               where x.customer_id = w.customer_id and x.sell_currency = w.currency
                 and x.status in ('awaiting_funds', 'partially_funded', 'overdue')
               order by x.value_date, x.id limit $4
             ) o)
           order by t.customer_id, t.id for update of t`,
    values: [
      references,
      open.map((each) => each.customerId),
      open.map((each) => each.currency),
      OPEN_TRADES_MAX + 1,
    ],
  });
  return rows;
}

export interface AccountOwner {
  readonly account: string;
  readonly customerId: string;
}

/** Customers of active virtual accounts, by number. */
export async function virtualAccountOwners(
  connection: Queryable,
  numbers: readonly string[],
): Promise<AccountOwner[]> {
  const { rows } = await connection.query<AccountOwner>({
    name: 'virtual_account_owners',
    text: `select number as account, customer_id as "customerId" from virtual_accounts
           where status = 'active' and number = any ($1::text[])`,
    values: [numbers],
  });
  return rows;
}

/** Customers that have paid from the accounts before. */
export async function remitterOwners(
  connection: Queryable,
  accounts: readonly string[],
): Promise<AccountOwner[]> {
  const { rows } = await connection.query<AccountOwner>({
    name: 'remitter_owners',
    text: `select account, customer_id as "customerId" from known_remitters where account = any ($1::text[])`,
    values: [accounts],
  });
  return rows;
}

export interface PayingCustomer {
  readonly id: string;
  readonly name: string;
  readonly thirdPartyPayments: 'accept' | 'hold' | null;
  /** Other names under which it pays. */
  readonly payerNames: readonly string[];
  /** Accounts that it is paid to, capitals and digits only: its own. */
  readonly ownAccounts: readonly string[];
  readonly isPreFunded: boolean;
}

export async function payingCustomers(
  connection: Queryable,
  ids: readonly string[],
): Promise<PayingCustomer[]> {
  const { rows } = await connection.query<PayingCustomer>({
    name: 'paying_customers',
    text: `select c.id, c.name, c.settings ->> 'thirdPartyPayments' as "thirdPartyPayments",
             array(select jsonb_array_elements_text(c.settings -> 'payerNames')) as "payerNames",
             array(select regexp_replace(upper(coalesce(s.iban, s.account_number)), '[^A-Z0-9]', '', 'g')
               from settlement_instructions s where s.customer_id = c.id and s.status = 'active') as "ownAccounts",
             coalesce(c.settings ->> 'fundingMode', '') = 'pre_funded' as "isPreFunded" from customers c
           where c.id = any ($1::uuid[])`,
    values: [ids],
  });
  return rows;
}

/** A trade as it is; nothing is locked. */
export async function findTrade(
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
