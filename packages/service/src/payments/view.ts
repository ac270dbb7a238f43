import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import {
  type PricedTransaction,
  stepActorsOf,
  type TimelineEntry,
  type TransactionRow,
} from '../transactions/record.ts';
import { renderSummary, renderTransaction } from '../transactions/render.ts';

/** Since when the bank's statements do not list money that trades rest on, by the trades' ids. Epoch milliseconds. */
type MissingFunds = ReadonlyMap<string, number>;

/**
 * The trades that are held back, because a notification told of their money and the statements of its day do not list it.
 * By the same functions as payouts and runs.
 */
export async function missingFunds(
  connection: Queryable,
  trades: readonly Pick<TransactionRow, 'customer_id' | 'id' | 'pre_funded' | 'sell_currency'>[],
): Promise<MissingFunds> {
  if (trades.length === 0) return new Map();
  const { rows } = await connection.query<{ id: string; since: number }>({
    name: 'missing_funds_of_trades',
    // Few are missing at a time, so these are read first.
    text: `with missing as materialized (
             select a.customer_id, a.transaction_id, d.currency, e.missing_since from entry_details e
             join deposits d on d.id = e.deposit_id join deposit_allocations a on a.deposit_id = d.id
             where e.missing_since is not null
           )
           select t.id, min(m.missing_since) as since
           from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::text[]) t (customer_id, id, pre_funded, currency)
           join missing m on m.customer_id = t.customer_id
             and (m.transaction_id = t.id or (t.pre_funded and m.transaction_id is null and m.currency = t.currency))
           where rests_on_missing_money(t.customer_id, t.id)
             or (t.pre_funded and balance_rests_on_missing_money(t.customer_id, t.currency))
           group by t.id`,
    values: [
      trades.map((each) => each.customer_id),
      trades.map((each) => each.id),
      trades.map((each) => each.pre_funded),
      trades.map((each) => each.sell_currency),
    ],
  });
  return new Map(rows.map((row) => [row.id, row.since]));
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
