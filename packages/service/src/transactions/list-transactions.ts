import type { QueryOf } from '@firmquote/api/operation';
import type { listTransactions } from '@firmquote/api/operations/transactions';
import { findCurrency } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { amountsOf } from '../http/parameters.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { TransactionFilter } from './list-store.ts';
import { findAnyTransaction, pricedTransactions } from './priced-store.ts';
import type { PricedTransaction, TransactionRow } from './record.ts';

/** @throws Problem validation_failed with everything that is wrong */
export function filterOf(query: QueryOf<typeof listTransactions>): TransactionFilter {
  const { minSellAmount: _, maxSellAmount: __, sort: ___, ...rest } = query;
  const currency = query.sellCurrency === undefined ? undefined : findCurrency(query.sellCurrency);
  const errors: FieldError[] = [];
  const names = ['minSellAmount', 'maxSellAmount'] as const;
  const [minSellMinor, maxSellMinor] = amountsOf(errors, names, query, currency, 'sellCurrency');
  if (errors.length > 0) throw validationProblem(errors);
  return { ...rest, minSellMinor, maxSellMinor };
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

/**
 * A transaction of whichever customer.
 * @throws Problem transaction_not_found
 */
export async function existingTransaction(connection: Queryable, id: string): Promise<PricedTransaction> {
  const found = await findAnyTransaction(connection, id);
  if (found === undefined) throw transactionNotFound();
  return found;
}

export function transactionNotFound(): Problem {
  return new Problem('transaction_not_found', 'There is no transaction with this id.');
}
