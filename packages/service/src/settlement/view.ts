import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { renderSummary, renderTransaction } from '../transactions/render.ts';

/** The transaction as an object, with the customer and the OAuth client that executed it in front. */
export function operatorView(row: TransactionRow, now: number): Record<string, unknown> {
  return withCustomer(row, renderTransaction(row, now, 'operator'));
}

/** The same as an item of a list. */
export function operatorSummary(row: TransactionRow): Record<string, unknown> {
  return withCustomer(row, renderSummary(row, 'operator'));
}

function withCustomer(row: TransactionRow, json: string): Record<string, unknown> {
  return {
    customerId: typeId('cus', row.customer_id),
    executedBy: row.client_id === null ? null : typeId('cli', row.client_id),
    ...(JSON.parse(json) as Record<string, unknown>),
  };
}
