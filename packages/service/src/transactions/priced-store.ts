import { TRANSACTION_STATUSES } from '@firmquote/fx';
import { IDS } from '../database/ids.ts';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import type { PricedTransaction } from './record.ts';
import type { TransactionId } from './store.ts';

/** SQL of trades with all that is shown of them, in the caller's transaction. */

/** By a query for their `customer_id` and `id`. What is read does not grow with history. */
export function withTerms(ids: string): string {
  return `select t.* from (${ids}) i
    cross join lateral (select * from priced_transactions x where x.customer_id = i.customer_id and x.id = i.id limit 1) t`;
}

/** In no order; those that there are not are left out. */
export async function pricedTransactions(
  connection: Queryable,
  ids: readonly TransactionId[],
): Promise<PricedTransaction[]> {
  const { rows } = await connection.query<PricedTransaction>({
    name: 'priced_transactions',
    text: withTerms(`select * from ${IDS} as n (customer_id, id)`),
    values: [ids.map((each) => each.customerId), ids.map((each) => each.id)],
  });
  return rows;
}

/** Transactions of whichever customers by their keys, in the order in which they are locked; ids that there are not are left out. */
export async function keysOfTransactions(
  connection: Queryable,
  ids: readonly string[],
): Promise<TransactionId[]> {
  const { rows } = await connection.query<Pick<Row<'transactions'>, 'customer_id' | 'id'>>(
    `select t.customer_id, t.id from unnest($2::text[]) as s (status), unnest($1::uuid[]) as w (id)
     join transactions t on t.id = w.id where t.status = s.status order by t.customer_id, t.id`,
    [ids, TRANSACTION_STATUSES],
  );
  return rows.map((row) => ({ customerId: row.customer_id, id: row.id }));
}

/** A transaction of whichever customer. */
export async function findAnyTransaction(
  connection: Queryable,
  id: string,
): Promise<PricedTransaction | undefined> {
  const { rows } = await connection.query<PricedTransaction>(
    withTerms(
      `select t.customer_id, t.id from unnest($2::text[]) as s (status) join transactions t on t.status = s.status and t.id = $1`,
    ),
    [id, TRANSACTION_STATUSES],
  );
  return rows[0];
}
