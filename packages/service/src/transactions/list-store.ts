import type { QueryOf } from '@firmquote/api/operation';
import type { listTransactions } from '@firmquote/api/operations/transactions';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';
import {
  SUMMARY_COLUMNS,
  type SummaryRow,
  summariesOf,
  type TransactionSummary,
  WITH_QUOTE,
} from './read-rows.ts';

type ListQuery = QueryOf<typeof listTransactions>;
type TransactionSort = ListQuery['sort'];

export interface TransactionFilter extends Omit<ListQuery, 'sort' | 'minSellAmount' | 'maxSellAmount'> {
  readonly minSellMinor: bigint | undefined;
  readonly maxSellMinor: bigint | undefined;
}

/** Sort key and id of the last row of the page before. */
type ListPlace = readonly [key: string, id: string];

interface Order {
  readonly column: string;
  readonly cast: string;
  /** What the key is in a cursor. */
  readonly part: 'uuid' | 'instant' | 'date';
  readonly direction: 'asc' | 'desc';
  readonly keyOf: (row: TransactionSummary) => string;
}

// Ids carry the creation instant, so the order of ids is the order of createdAt.
const ORDERS: Readonly<Record<TransactionSort, Order>> = {
  '-createdAt': { column: 'id', cast: 'uuid', part: 'uuid', direction: 'desc', keyOf: (row) => row.id },
  createdAt: { column: 'id', cast: 'uuid', part: 'uuid', direction: 'asc', keyOf: (row) => row.id },
  updatedAt: {
    column: 'updated_at',
    cast: 'timestamptz',
    part: 'instant',
    direction: 'asc',
    keyOf: (row) => isoInstant(row.updated_at),
  },
  valueDate: {
    column: 'value_date',
    cast: 'date',
    part: 'date',
    direction: 'asc',
    keyOf: (row) => row.value_date,
  },
};

export function placeOf(sort: TransactionSort, row: TransactionSummary): ListPlace {
  return [ORDERS[sort].keyOf(row), row.id];
}

/** What the places of a list in this order consist of. */
export function partsOf(sort: TransactionSort): readonly [key: Order['part'], id: 'uuid'] {
  return [ORDERS[sort].part, 'uuid'];
}

/** One row more than `limit` where there is more. Keyset: the cost does not depend on how far the reader has come. */
export async function findTransactions(
  pool: Pool,
  customerId: string,
  filter: TransactionFilter,
  sort: TransactionSort,
  limit: number,
  after: ListPlace | undefined,
): Promise<TransactionSummary[]> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const narrowing = filterConditions(filter, bind);
  const conditions = [`customer_id = ${bind(customerId)}`, ...narrowing];
  const order = ORDERS[sort];
  if (after !== undefined) {
    const [key, id] = after;
    const compare = order.direction === 'desc' ? '<' : '>';
    conditions.push(
      order.column === 'id'
        ? `id ${compare} ${bind(id)}`
        : `(${order.column}, id) ${compare} (${bind(key)}::${order.cast}, ${bind(id)})`,
    );
  }
  const sorting =
    order.column === 'id'
      ? `id ${order.direction}`
      : `${order.column} ${order.direction}, id ${order.direction}`;
  const text = `select ${SUMMARY_COLUMNS} from (
      select * from transactions where ${conditions.join(' and ')}
      order by customer_id, ${sorting} limit ${bind(limit + 1)}
    ) t ${WITH_QUOTE} order by ${sorting.replaceAll(/^|(?<=, )/g, 't.')}`;
  // What most ask for is planned once: it goes along the key. Filters are too many for a plan of each.
  const isPlain = narrowing.length === 0 && order.column === 'id';
  const name = `list_transactions_${order.direction}${after === undefined ? '' : '_after'}`;
  const { rows } = await pool.query<SummaryRow>(isPlain ? { name, text, values } : { text, values });
  return summariesOf(pool, rows);
}

function filterConditions(filter: TransactionFilter, bind: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const add = <T>(
    value: T | undefined,
    condition: (bound: string) => string,
    text: (value: T) => unknown = (v) => v,
  ) => {
    if (value !== undefined) conditions.push(condition(bind(text(value))));
  };
  add(filter.status, (v) => `status = any (${v}::text[])`);
  add(filter.createdFrom, (v) => `id >= ${v}::uuid`, uuidFloor);
  add(filter.createdTo, (v) => `id < ${v}::uuid`, uuidFloor);
  add(filter.updatedFrom, (v) => `updated_at >= ${v}::timestamptz`, isoInstant);
  add(filter.updatedTo, (v) => `updated_at < ${v}::timestamptz`, isoInstant);
  add(filter.valueDateFrom, (v) => `value_date >= ${v}::date`);
  add(filter.valueDateTo, (v) => `value_date <= ${v}::date`);
  add(filter.sellCurrency, (v) => `sell_currency = ${v}`);
  add(filter.buyCurrency, (v) => `buy_currency = ${v}`);
  add(filter.pair, (v) => `pair = ${v}`);
  add(filter.quoteId, (v) => `quote_id = ${v}::uuid`);
  add(filter.clientReference, (v) => `client_reference = ${v}`);
  add(filter.reference, (v) => `reference = ${v}`);
  add(filter.minSellMinor, (v) => `sell_minor >= ${v}::numeric`, String);
  add(filter.maxSellMinor, (v) => `sell_minor <= ${v}::numeric`, String);
  return conditions;
}
