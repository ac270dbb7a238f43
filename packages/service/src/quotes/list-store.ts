import type { QueryOf } from '@firmquote/api/operation';
import type { listQuotes } from '@firmquote/api/operations/quotes';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';
import { type QuoteRecord, type QuoteRow, quotesFromRows } from './record.ts';

export type QuoteFilter = QueryOf<typeof listQuotes>;

export interface FoundQuotes {
  readonly records: readonly QuoteRecord[];
  /** UUID of the quote to go on from, when there may be more behind it. */
  readonly next: string | undefined;
}

/**
 * Quotes that one page looks at, at most. No index but that of the ids helps a filter, and one more would cost each
 * quote that is made: so a page of a rare kind ends here, with fewer items, and the reader goes on from where it ended.
 */
const LOOKED_AT_MAX = 5_000; // limit: Quotes that one page of the list looks at

/** What a page looks through: whether an open quote was executed is asked of its trade, for those alone who ask for it. */
export const lookedThrough = (filter: QuoteFilter) =>
  filter.status === undefined ? 'quotes' : 'current_quotes';

/** Newest first. `now` decides which open quotes have expired. */
export async function findQuotes(
  pool: Pool,
  customerId: string,
  filter: QuoteFilter,
  now: number,
  limit: number,
  before: string | undefined,
): Promise<FoundQuotes> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const range = [`customer_id = ${bind(customerId)}`];
  if (before !== undefined) range.push(`id < ${bind(before)}::uuid`);
  // Ids carry the creation instant.
  if (filter.createdFrom !== undefined) range.push(`id >= ${bind(uuidFloor(filter.createdFrom))}::uuid`);
  if (filter.createdTo !== undefined) range.push(`id < ${bind(uuidFloor(filter.createdTo))}::uuid`);
  const conditions = filterConditions(filter, now, bind);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const lookedAt = conditions.length === 0 ? limit + 1 : LOOKED_AT_MAX;
  const text = `with looked_at as materialized (
       select id, status, expires_at, pair, sell_currency, buy_currency, client_reference,
         row_number() over (order by id desc) as place
       from ${lookedThrough(filter)} where ${range.join(' and ')} order by customer_id, id desc limit ${bind(lookedAt)}
     ), found as (
       select id, place from looked_at ${where} order by place limit ${bind(limit + 1)}
     )
     select e.ended_at, q.* from (select (select id from looked_at where place = ${bind(lookedAt)}) as ended_at) e
     left join (found f cross join lateral (
       select * from current_quotes x where x.customer_id = $1 and x.id = f.id limit 1) q) on true
     order by f.place`;
  // What most ask for is planned once: it goes along the key. Filters are too many for a plan of each.
  const isPlain = conditions.length === 0 && range.length === (before === undefined ? 1 : 2);
  const name = before === undefined ? 'list_quotes' : 'list_quotes_before';
  const { rows } = await pool.query<QuoteRow & { id: string | null; ended_at: string | null }>(
    isPlain ? { name, text, values } : { text, values },
  );
  return foundIn(pool, rows, limit);
}

/** @param rows one more than a page holds, where there are as many; each says where the looking ended */
export async function foundIn(
  pool: Pool,
  rows: readonly (QuoteRow & { id: string | null; ended_at: string | null })[],
  limit: number,
): Promise<FoundQuotes> {
  const found = rows.filter((row) => row.id !== null);
  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1)?.id : (rows[0]?.ended_at ?? undefined);
  return { records: await quotesFromRows(pool, shown), next };
}

export function filterConditions(
  filter: QuoteFilter,
  now: number,
  bind: (value: unknown) => string,
): string[] {
  const conditions: string[] = [];
  if (filter.status !== undefined) {
    // As it is shown: an open quote whose time is over has expired, whether or not that is written down yet.
    const shown = `case when status = 'open' and expires_at <= ${bind(isoInstant(now))} then 'expired' else status end`;
    conditions.push(`${shown} = any (${bind(filter.status)}::text[])`);
  }
  if (filter.pair !== undefined) conditions.push(`pair = ${bind(filter.pair)}`);
  if (filter.sellCurrency !== undefined) conditions.push(`sell_currency = ${bind(filter.sellCurrency)}`);
  if (filter.buyCurrency !== undefined) conditions.push(`buy_currency = ${bind(filter.buyCurrency)}`);
  if (filter.clientReference !== undefined) {
    conditions.push(`client_reference = ${bind(filter.clientReference)}`);
  }
  return conditions;
}
