import type { Queryable } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { OPEN_TRADES_MAX } from './candidate-store.ts';
import type { Origin } from './candidates.ts';
import { type DepositRecord, type DepositRow, depositFromRow, type TradeAllocation } from './record.ts';

/** By when they were written down, newest first. */
export async function newestDeposits(connection: Queryable, count: number): Promise<DepositRecord[]> {
  // Ids begin with the instant at which they were made.
  const { rows } = await connection.query<DepositRow>('select * from deposits order by id desc limit $1', [
    count,
  ]);
  return rows.map(depositFromRow);
}

/** Trades that the deposits went to or may be for. Nothing is locked. */
export async function tradesFor(
  connection: Queryable,
  deposits: readonly DepositRecord[],
  origins: ReadonlyMap<string, Origin>,
  allocations: readonly TradeAllocation[],
): Promise<TransactionRow[]> {
  const references = deposits.flatMap(({ id }) => origins.get(id)?.references ?? []);
  const open = deposits.flatMap(({ id, currency }) => {
    const origin = origins.get(id);
    const customers = [origin?.accountOwner ?? [], origin?.remitterOf ?? []].flat();
    return customers.map((customerId) => ({ customerId, currency }));
  });
  const { rows } = await connection.query<TransactionRow>(
    `select t.* from transactions t where (t.customer_id, t.id) in (
       select r.customer_id, r.id from transactions r where r.reference = any ($1::text[])
       union
       select * from unnest($2::uuid[], $3::uuid[])
       union
       select o.customer_id, o.id
       from (select distinct * from unnest($4::uuid[], $5::text[]) as w (customer_id, currency)) w
       cross join lateral (
         select x.customer_id, x.id from transactions x
         where x.customer_id = w.customer_id and x.sell_currency = w.currency
           and x.status in ('awaiting_funds', 'partially_funded', 'overdue')
         order by x.value_date, x.id limit $6) o)`,
    [
      references,
      allocations.map((each) => each.customerId),
      allocations.map((each) => each.transactionId),
      open.map((each) => each.customerId),
      open.map((each) => each.currency),
      OPEN_TRADES_MAX + 1,
    ],
  );
  return rows;
}
