import type { Pool } from '../database/pool.ts';
import { uuidFloor } from '../platform/ids.ts';
import {
  type FoundQuotes,
  filterConditions,
  foundIn,
  lookedThrough,
  type QuoteFilter,
} from './list-store.ts';
import { type PricedQuoteRow, type QuoteRecord, type QuoteRow, quoteFromPriced } from './record.ts';

/**
 * A quote of whichever customer. Keys begin with the customer, so each customer's is looked up (20 ms
 * for 20,000 customers) instead of reading a table that grows with every quote; `offset 0` keeps the planner from that.
 */
export async function findAnyQuote(pool: Pool, id: string): Promise<QuoteRecord | undefined> {
  const { rows } = await pool.query<PricedQuoteRow>(
    `select q.* from customers c
     cross join lateral (select * from priced_quotes p where p.customer_id = c.id and p.id = $1 offset 0) q`,
    [id],
  );
  return rows[0] && quoteFromPriced(rows[0]);
}

/**
 * Quotes that one page looks at, at most, where it is of all customers: each of them may have as many that are newer than all
 * of the others'.
 */
const LOOKED_AT_MAX = 500; // limit: Quotes that one page of the list of all customers looks at

/**
 * Quotes of all customers, newest first. Each customer's newest is looked up in its own index; the newest n of all are of the n
 * customers whose newest are the newest, so no more is read than n of each of these, whatever there is behind them.
 */
export async function findQuotesOfAll(
  pool: Pool,
  filter: QuoteFilter,
  now: number,
  limit: number,
  before: string | undefined,
): Promise<FoundQuotes> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const range = [
    ...(before === undefined ? [] : [`id < ${bind(before)}::uuid`]),
    // Ids carry the creation instant.
    ...(filter.createdFrom === undefined ? [] : [`id >= ${bind(uuidFloor(filter.createdFrom))}::uuid`]),
    ...(filter.createdTo === undefined ? [] : [`id < ${bind(uuidFloor(filter.createdTo))}::uuid`]),
  ].map((condition) => `and ${condition}`);
  const conditions = filterConditions(filter, now, bind);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const lookedAt = bind(conditions.length === 0 ? limit + 1 : LOOKED_AT_MAX);
  const newest = (count: string, of: string) =>
    `select customer_id, id, status, expires_at, pair, sell_currency, buy_currency, client_reference from ${of}
     where customer_id = c.id ${range.join(' ')} order by customer_id, id desc limit ${count}`;
  const { rows } = await pool.query<QuoteRow & { id: string | null; ended_at: string | null }>(
    `with active as materialized (
       select c.id from customers c cross join lateral (${newest('1', 'quotes')}) q order by q.id desc limit ${lookedAt}
     ), looked_at as materialized (
       select q.*, row_number() over (order by q.id desc) as place
       from active c cross join lateral (${newest(lookedAt, lookedThrough(filter))}) q order by q.id desc limit ${lookedAt}
     ), found as (
       select customer_id, id, place from looked_at ${where} order by place limit ${bind(limit + 1)}
     )
     select e.ended_at, q.* from (select (select id from looked_at where place = ${lookedAt}) as ended_at) e
     left join (found f join current_quotes q on q.customer_id = f.customer_id and q.id = f.id) on true
     order by f.place`,
    values,
  );
  return foundIn(pool, rows, limit);
}
