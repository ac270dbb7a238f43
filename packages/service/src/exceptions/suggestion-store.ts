import type { Queryable } from '../database/pool.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** Trades of each kind that are looked at. */
const ROWS_MAX = 20; // limit: Trades of each kind that suggestions are made from

interface SuggestionSearch {
  readonly references: readonly string[];
  readonly customerIds: readonly string[];
  readonly currency: string;
  readonly minor: bigint;
}

/**
 * Trades that carry one of the references; that await money of the customers in the currency; and, of all customers,
 * that await the amount or up to one percent more. The last look goes through the open trades, of which there are few.
 */
export async function suggestibleTransactions(
  connection: Queryable,
  { references, customerIds, currency, minor }: SuggestionSearch,
): Promise<TransactionRow[]> {
  const { rows } = await connection.query<TransactionRow>(
    `with open as (select unnest('{awaiting_funds,partially_funded,overdue}'::text[]) as status), found as (
       (select customer_id, id from transactions where reference = any ($1::text[]) limit ${ROWS_MAX})
       union
       (select t.customer_id, t.id from unnest($2::uuid[]) w (customer_id), open o, lateral (
          select x.customer_id, x.id from transactions x
          where x.customer_id = w.customer_id and x.status = o.status and x.sell_currency = $3
          order by x.id limit ${ROWS_MAX}) t)
       union
       (select t.customer_id, t.id from transactions t
        -- As literals, so that the planner sees how few trades are in these states.
        where t.status in ('awaiting_funds', 'partially_funded', 'overdue') and t.sell_currency = $3 and t.sell_minor - t.received_minor - t.shortfall_minor between $4 and $4 * 1.01
        order by t.sell_minor - t.received_minor - t.shortfall_minor, t.id limit ${ROWS_MAX})
     )
     select t.* from found f join transactions t on t.customer_id = f.customer_id and t.id = f.id`,
    [references, customerIds, currency, minor.toString()],
  );
  return rows;
}
