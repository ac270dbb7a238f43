import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow } from '../database/rows.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { PayingCustomer } from './match-context.ts';
import { OPEN_TRADES_MAX } from './receivables.ts';
import type { TransactionAllocation } from './record.ts';

/** Whose open trades in which currency. */
export interface OpenTransactionsOf {
  readonly customerId: string;
  readonly currency: string;
}

/** Trades that deposits may be for, by what is known of the deposits. */
export interface SoughtTransactions {
  readonly references: readonly string[];
  readonly open: readonly OpenTransactionsOf[];
}

/** $1 references, $2 and $3 customers and currencies, $4 how many of each. */
const CANDIDATES = `
  select r.customer_id, r.id from transactions r where r.reference = any ($1::text[])
  union
  select o.customer_id, o.id from unnest($2::uuid[], $3::text[]) w (customer_id, currency)
  cross join lateral (
    select x.customer_id, x.id from transactions x
    where x.customer_id = w.customer_id and x.sell_currency = w.currency
      and x.status in ('awaiting_funds', 'partially_funded', 'overdue')
    order by x.value_date, x.id limit $4
  ) o`;

function candidateValues({ references, open }: SoughtTransactions): unknown[] {
  const customers = open.map((each) => each.customerId);
  return [references, customers, open.map((each) => each.currency), OPEN_TRADES_MAX + 1];
}

/**
 * Locks the trades that deposits may be for, in key order: those that carry one of the references, and those that
 * await money of the customers, by oldest value date and one more than {@link OPEN_TRADES_MAX} of each.
 */
export async function lockCandidates(
  connection: Connection,
  references: readonly string[],
  open: readonly OpenTransactionsOf[],
): Promise<TransactionRow[]> {
  if (references.length === 0 && open.length === 0) return [];
  const { rows } = await connection.query<TransactionRow>({
    name: 'lock_candidates',
    text: `select t.* from transactions t where (t.customer_id, t.id) in (${CANDIDATES})
           order by t.customer_id, t.id for update of t`,
    values: candidateValues({ references, open }),
  });
  return rows;
}

/** The same trades and those that have parts of the deposits already. Nothing is locked. */
export async function findCandidates(
  connection: Queryable,
  sought: SoughtTransactions,
  parts: readonly TransactionAllocation[] = [],
): Promise<TransactionRow[]> {
  const { rows } = await connection.query<TransactionRow>(
    `select t.* from transactions t where (t.customer_id, t.id) in (${CANDIDATES}
       union
       select * from unnest($5::uuid[], $6::uuid[]))`,
    [
      ...candidateValues(sought),
      parts.map((each) => each.customerId),
      parts.map((each) => each.transactionId),
    ],
  );
  return rows;
}

/** Customers of the trades that carry one of the references. Nothing is locked. */
export async function tradeOwners(
  connection: Queryable,
  references: readonly string[],
): Promise<Pick<CamelRow<'transactions'>, 'reference' | 'customerId'>[]> {
  const { rows } = await connection.query<Pick<CamelRow<'transactions'>, 'reference' | 'customerId'>>(
    'select reference, customer_id as "customerId" from transactions where reference = any ($1::text[])',
    [references],
  );
  return rows;
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
