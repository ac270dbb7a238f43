import { WORK } from '@firmquote/api/operations/operator-transactions';
import { TRANSACTION_STATUSES } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { uuidFloor } from '../platform/ids.ts';
import type { PricedTransaction } from '../transactions/record.ts';
import { withTerms } from '../transactions/room.ts';
import { COUNTED_MAX, madeBetween, type OperatorFilter } from './search-transactions.ts';

/**
 * Trades of all customers or of one, newest first. Each way is served by an index: the reference; the customer's trades; the
 * customers one by one for their own reference; else the newest of each status, so that a page costs the same however rare
 * a status is and however many trades there are.
 */
export async function listForOperator(
  connection: Queryable,
  filter: OperatorFilter,
  before: string | undefined,
  rowsMax: number,
): Promise<PricedTransaction[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, bind);
  if (before !== undefined) conditions.push(`x.id < ${bind(before)}::uuid`);
  const statuses = bind(filter.status ?? TRANSACTION_STATUSES);
  const most = bind(rowsMax);
  const found = sourceOf(filter, conditions, statuses, most);
  const { rows } = await connection.query<PricedTransaction>(
    `select * from (${withTerms(found)}) t order by id desc`,
    values,
  );
  return rows;
}

function sourceOf(
  filter: OperatorFilter,
  conditions: readonly string[],
  statuses: string,
  most: string,
): string {
  const all = ['true', ...conditions].join(' and ');
  if (filter.reference !== undefined || filter.customerId !== undefined) {
    const order = filter.reference === undefined ? 'x.customer_id, x.id desc' : 'x.id desc';
    return `select x.customer_id, x.id from transactions x where ${all} and x.status = any (${statuses}::text[]) order by ${order} limit ${most}`;
  }
  const [of, key] =
    filter.clientReference === undefined
      ? [`unnest(${statuses}::text[]) as s (status)`, 'x.status = s.status']
      : ['customers s', `x.customer_id = s.id and x.status = any (${statuses}::text[])`];
  return `select t.customer_id, t.id from ${of}
    cross join lateral (select x.customer_id, x.id from transactions x where ${key} and ${all} order by x.id desc limit ${most}) t
    order by t.id desc limit ${most}`;
}

function conditionsOf(filter: OperatorFilter, bind: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const add = (value: unknown, condition: (bound: string) => string) => {
    if (value !== undefined) conditions.push(condition(bind(value)));
  };
  add(filter.customerId, (v) => `x.customer_id = ${v}::uuid`);
  add(filter.reference, (v) => `x.reference = ${v}`);
  add(filter.clientReference, (v) => `x.client_reference = ${v}`);
  add(filter.tradeDateFrom, (v) => `x.trade_date >= ${v}::date`);
  add(filter.tradeDateTo, (v) => `x.trade_date <= ${v}::date`);
  add(filter.valueDateFrom, (v) => `x.value_date >= ${v}::date`);
  add(filter.valueDateTo, (v) => `x.value_date <= ${v}::date`);
  if (filter.held !== undefined) conditions.push(`(json_array_length(x.holds) > 0) = ${bind(filter.held)}`);
  if (filter.currency !== undefined) {
    const currency = bind(filter.currency);
    const least = bind(filter.minAmountMinor?.toString() ?? '0');
    const most = filter.maxAmountMinor === undefined ? undefined : bind(filter.maxAmountMinor.toString());
    const side = (leg: 'sell' | 'buy') =>
      `x.${leg}_currency = ${currency} and x.${leg}_minor >= ${least}::numeric${most === undefined ? '' : ` and x.${leg}_minor <= ${most}::numeric`}`;
    conditions.push(`(${side('sell')} or ${side('buy')})`);
  }
  return [...conditions, ...idsBetween(filter, bind)];
}

/** Ids carry the instant of the trade, so a range of dates is a range of the index. */
function idsBetween(filter: OperatorFilter, bind: (value: unknown) => string): string[] {
  const { from, to } = madeBetween(filter);
  return [
    ...(from === undefined ? [] : [`x.id >= ${bind(uuidFloor(from))}::uuid`]),
    ...(to === undefined ? [] : [`x.id < ${bind(uuidFloor(to))}::uuid`]),
  ];
}

interface WorkCount {
  readonly work: (typeof WORK)[number];
  readonly count: number;
}

/** How much of each kind waits. @param most counted of each */
export async function countWork(connection: Queryable, most = COUNTED_MAX + 1): Promise<WorkCount[]> {
  const { rows } = await connection.query<WorkCount>(
    `select s.status as work, (
       select count(*) from (select from transactions x where x.status = s.status limit $2) c)::int as count
     from unnest($1::text[]) with ordinality as s (status, place) where s.place <= $3
     union all
     select 'refund_pending', (
       select count(*) from (select from transactions x where x.refund ->> 'status' = 'pending' limit $2) c)::int
     union all
     select 'withdrawal_pending', (
       select count(*) from (select from balance_withdrawals w where w.status = 'pending' limit $2) c)::int`,
    [WORK, most, WORK.length - 2],
  );
  return rows;
}
