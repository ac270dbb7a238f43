import type { QueryOf } from '@firmquote/api/operation';
import type { listTransactions } from '@firmquote/api/operations/transactions';
import { findCurrency, TRANSACTION_STATUSES } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { amountOf } from '../http/parameters.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { TransactionFilter } from './list-store.ts';
import type { TransactionRow } from './record.ts';

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

/**
 * A transaction of whichever customer.
 * @throws Problem transaction_not_found
 */
export async function existingTransaction(connection: Queryable, id: string): Promise<TransactionRow> {
  const { rows } = await connection.query<TransactionRow>(
    `select t.* from unnest($2::text[]) as s (status) join transactions t on t.status = s.status and t.id = $1`,
    [id, TRANSACTION_STATUSES],
  );
  if (rows[0] === undefined) throw transactionNotFound();
  return rows[0];
}

export function transactionNotFound(): Problem {
  return new Problem('transaction_not_found', 'There is no such transaction.');
}
