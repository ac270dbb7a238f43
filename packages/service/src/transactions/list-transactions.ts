import type { QueryOf } from '@firmquote/api/operation';
import type { listTransactions } from '@firmquote/api/operations/transactions';
import { findCurrency, TRANSACTION_STATUSES } from '@firmquote/fx';
import { IDS } from '../database/ids.ts';
import type { Queryable } from '../database/pool.ts';
import { amountOf } from '../http/parameters.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { TransactionFilter } from './list-store.ts';
import type { PricedTransaction, TransactionRow } from './record.ts';
import type { TransactionId } from './store.ts';

/** @throws Problem validation_failed with everything that is wrong */
export function filterOf(query: QueryOf<typeof listTransactions>): TransactionFilter {
  const { minSellAmount, maxSellAmount, sort: _, ...rest } = query;
  const currency = query.sellCurrency === undefined ? undefined : findCurrency(query.sellCurrency);
  const errors: FieldError[] = [];
  const filter = {
    ...rest,
    minSellMinor: amountOf(errors, 'minSellAmount', minSellAmount, currency, 'sellCurrency'),
    maxSellMinor: amountOf(errors, 'maxSellAmount', maxSellAmount, currency, 'sellCurrency'),
  };
  if (errors.length > 0) throw validationProblem(errors);
  return filter;
}

/** Trades with all that is shown of them, by a query for their `customer_id` and `id`. What is read does not grow with history. */
export function withTerms(ids: string): string {
  return `select t.* from (${ids}) i
    cross join lateral (select * from priced_transactions x where x.customer_id = i.customer_id and x.id = i.id limit 1) t`;
}

/** A trade as a change has left it, with what it has in common with others. */
export async function pricedTransaction(
  connection: Queryable,
  row: TransactionRow,
): Promise<PricedTransaction> {
  const [read] = await pricedTransactions(connection, [{ customerId: row.customer_id, id: row.id }]);
  if (read === undefined) throw new Error(`transaction ${row.id} is gone`);
  const { rate, pricing, evidence, instructions } = read;
  return { ...row, rate, pricing, evidence, instructions };
}

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

/**
 * A transaction of whichever customer.
 * @throws Problem transaction_not_found
 */
export async function existingTransaction(connection: Queryable, id: string): Promise<PricedTransaction> {
  const { rows } = await connection.query<PricedTransaction>(
    withTerms(
      `select t.customer_id, t.id from unnest($2::text[]) as s (status) join transactions t on t.status = s.status and t.id = $1`,
    ),
    [id, TRANSACTION_STATUSES],
  );
  if (rows[0] === undefined) throw transactionNotFound();
  return rows[0];
}

export function transactionNotFound(): Problem {
  return new Problem('transaction_not_found', 'There is no such transaction.');
}
