import type { Queryable } from '../database/pool.ts';
import type { Result } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import {
  type PricedTransaction,
  stepActorsOf,
  type TimelineEntry,
  type TransactionRow,
} from '../transactions/record.ts';
import { renderSummary, renderTransaction } from '../transactions/render.ts';
import { type MissingFunds, missingFunds } from './store.ts';

/** The transaction with its version. */
export async function transactionAnswer(
  connection: Queryable,
  row: PricedTransaction,
  now: number,
): Promise<Result> {
  return { version: row.version, body: await operatorView(connection, row, now) };
}

/** The transaction as an object, with the customer, who executed it and what holds it back in front. */
export async function operatorView(
  connection: Queryable,
  row: PricedTransaction,
  now: number,
): Promise<Record<string, unknown>> {
  const view = withCustomer(
    row,
    await missingFunds(connection, [row]),
    renderTransaction(row, now, 'operator'),
  );
  const actors = stepActorsOf(row);
  const timeline = (view.timeline as readonly TimelineEntry[]).map((step) => ({
    ...step,
    ...actors[step.sequence],
  }));
  return { ...view, timeline };
}

/** The same as an item of a list. */
export function operatorSummary(row: PricedTransaction, missing: MissingFunds): Record<string, unknown> {
  return withCustomer(row, missing, renderSummary(row, 'operator'));
}

function withCustomer(row: TransactionRow, missing: MissingFunds, json: string): Record<string, unknown> {
  const since = missing.get(row.id);
  return {
    customerId: typeId('cus', row.customer_id),
    executedBy: row.client_id === null ? null : actorId(row.client_id),
    fundsMissingSince: since === undefined ? null : isoInstant(since),
    ...(JSON.parse(json) as Record<string, unknown>),
  };
}
