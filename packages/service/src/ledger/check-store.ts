import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { NIL_UUID } from '../platform/ids.ts';

interface BalanceDifference extends Pick<Row<'balances'>, 'customer_id' | 'account' | 'currency'> {
  /** As it is kept; null when there is none. */
  readonly balance: Row<'balances'>['balance'] | null;
  /** As the journal has it. */
  readonly journal: string | null;
}

/** Accounts whose balance is not the last closing balance and the entries since, in one snapshot. */
export async function balanceDifferences(database: Queryable, rowsMax: number): Promise<BalanceDifference[]> {
  const { rows } = await database.query<BalanceDifference & Record<string, unknown>>(
    // The accounts that were ever closed are hopped over in the index: reading every day of each would grow with history.
    `with recursive keys as (
       (select customer_id, account, currency from ledger_days order by 1, 2, 3 limit 1)
       union all
       select n.* from keys k cross join lateral (
         select d.customer_id, d.account, d.currency from ledger_days d
         where (d.customer_id, d.account, d.currency) > (k.customer_id, k.account, k.currency)
         order by 1, 2, 3 limit 1
       ) n
     ), closed as (select closed_through as day from ledger_closing),
     parts as (
       select k.customer_id, k.account, k.currency, d.balance as amount
       from keys k cross join lateral (
         select balance from ledger_days d
         where d.customer_id = k.customer_id and d.account = k.account and d.currency = k.currency
         order by d.day desc limit 1
       ) d
     ), moved as (
       select e.customer_id, p.account, p.currency, sum(p.amount) as amount
       from journal_entries e, unnest(e.accounts, e.currencies, e.amounts) as p (account, currency, amount)
       where e.id >= coalesce(
           uuid_floor(((select day from closed) + 1)::timestamptz), '${NIL_UUID}')
       group by 1, 2, 3
     ), journal as (
       select customer_id, account, currency, sum(amount) as amount
       from (select * from parts union all select * from moved) s group by 1, 2, 3
     )
     select customer_id, account, currency, b.balance, j.amount as journal
     from balances b full join journal j using (customer_id, account, currency)
     where coalesce(b.balance, 0) <> coalesce(j.amount, 0)
     order by customer_id, account, currency limit $1`,
    [rowsMax],
  );
  return rows;
}
