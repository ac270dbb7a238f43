import type { Queryable } from '../database/pool.ts';

export interface DebtRow {
  readonly currency: string;
  /** Minor units, above zero. */
  readonly debt_minor: string;
}

/** What a customer owes in each currency apart from what its open trades await. */
export async function readDebts(connection: Queryable, customerId: string): Promise<DebtRow[]> {
  const { rows } = await connection.query<DebtRow>(
    `select b.currency, (b.balance - coalesce(t.open_minor, 0))::text as debt_minor
     from balances b
     left join (
       select sell_currency, sum(sell_minor - received_minor - shortfall_minor) as open_minor from transactions
       where customer_id = $1 and status in ('awaiting_funds', 'partially_funded', 'overdue')
       group by sell_currency
     ) t on t.sell_currency = b.currency
     where b.customer_id = $1 and b.account = 'customer_receivable' and b.balance > coalesce(t.open_minor, 0)
     order by b.currency`,
    [customerId],
  );
  return rows;
}

/** The same in one currency, minor units. */
export async function readDebt(connection: Queryable, customerId: string, currency: string): Promise<bigint> {
  const debt = (await readDebts(connection, customerId)).find((each) => each.currency === currency);
  return BigInt(debt?.debt_minor ?? 0);
}
