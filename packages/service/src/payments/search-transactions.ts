import type { QueryOf } from '@firmquote/api/operation';
import { type listAllTransactions, WORK } from '@firmquote/api/operations/operator-transactions';
import { findCurrency, TRANSACTION_STATUSES, type TransactionStatus } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { amountOf } from '../http/parameters.ts';
import { uuidFloor } from '../platform/ids.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import { withTerms } from '../transactions/list-transactions.ts';
import type { PricedTransaction } from '../transactions/record.ts';

/** Trades of a work list are counted up to here. */
export const COUNTED_MAX = 1_000; // limit: Transactions counted of each kind
/** Days that a search over all customers may look at. */
const DAYS_MAX = 92; // limit: Range of days of a search for transactions by amount, hold or value date
const DAY_MS = 86_400_000;
/** A trade is made on its trade date, or up to a long weekend before. */
const BEFORE_TRADE_DATE_DAYS = 6;
const AFTER_TRADE_DATE_DAYS = 2;

/** What an operator looks for. Amounts in minor units of the currency, of either side of the trade. */
export interface OperatorFilter {
  readonly status?: readonly TransactionStatus[] | undefined;
  /** UUID. */
  readonly customerId?: string | undefined;
  readonly reference?: string | undefined;
  readonly clientReference?: string | undefined;
  /** What is sold or bought. */
  readonly currency?: string | undefined;
  readonly minAmountMinor?: bigint | undefined;
  readonly maxAmountMinor?: bigint | undefined;
  readonly tradeDateFrom?: string | undefined;
  readonly tradeDateTo?: string | undefined;
  readonly valueDateFrom?: string | undefined;
  readonly valueDateTo?: string | undefined;
  /** Whether a hold stands against the payout. */
  readonly held?: boolean | undefined;
}

/**
 * What is looked for.
 * @throws Problem validation_failed with everything that is wrong
 */
export function filterOf(query: QueryOf<typeof listAllTransactions>): OperatorFilter {
  const errors: FieldError[] = [];
  const { minAmount, maxAmount, held, currency: code, ...rest } = query;
  const currency = code === undefined ? undefined : findCurrency(code);
  if (code !== undefined && currency === undefined) {
    errors.push({ pointer: '/query/currency', code: 'unknown', detail: 'is not a currency' });
  }
  const filter: OperatorFilter = {
    ...rest,
    currency: currency?.code,
    minAmountMinor: amountOf(errors, 'minAmount', minAmount, currency, 'currency'),
    maxAmountMinor: amountOf(errors, 'maxAmount', maxAmount, currency, 'currency'),
    held: held === undefined ? undefined : held === 'true',
  };
  requireNarrow(errors, filter);
  if (errors.length > 0) throw validationProblem(errors);
  return filter;
}

/** Whether an index finds what is looked for, whatever the rest of the filter. */
const isNamed = (filter: OperatorFilter) =>
  filter.customerId !== undefined || filter.reference !== undefined || filter.clientReference !== undefined;

/** What no index finds is looked for among the trades of some months, not in all of history. */
function requireNarrow(errors: FieldError[], filter: OperatorFilter): void {
  const refuse = (name: string, problem: string, detail: string) =>
    errors.push({ pointer: `/query/${name}`, code: problem, detail });
  const { currency, held, tradeDateFrom, tradeDateTo, valueDateFrom, valueDateTo } = filter;
  for (const [name, from, to] of [
    ['tradeDateTo', tradeDateFrom, tradeDateTo],
    ['valueDateTo', valueDateFrom, valueDateTo],
  ] as const) {
    if (from !== undefined && to !== undefined && from > to) {
      refuse(name, 'before_start', 'is before the first date');
    }
  }
  const isRare = currency !== undefined || held === true || (valueDateFrom ?? valueDateTo) !== undefined;
  if (isNamed(filter) || !isRare) return;
  const [first, last] = [tradeDateFrom ?? valueDateFrom, tradeDateTo ?? valueDateTo];
  if (first === undefined || last === undefined || midnight(last) - midnight(first) > DAYS_MAX * DAY_MS) {
    refuse(
      'tradeDateFrom',
      'required',
      `without customerId, reference or clientReference this needs a range of trade or value dates of at most ${DAYS_MAX} days`,
    );
  }
}

function midnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

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
  return [...conditions, ...madeBetween(filter, bind)];
}

/** Ids carry the instant of the trade, so a range of dates is a range of the index. */
function madeBetween(filter: OperatorFilter, bind: (value: unknown) => string): string[] {
  const first = filter.tradeDateFrom ?? (isNamed(filter) ? undefined : filter.valueDateFrom);
  const last = filter.tradeDateTo ?? filter.valueDateTo;
  // A value date lies after the trade date, and may have been put off since.
  const back = filter.tradeDateFrom === undefined ? DAYS_MAX : BEFORE_TRADE_DATE_DAYS;
  const from = first === undefined ? undefined : Math.max(0, midnight(first) - back * DAY_MS);
  const to = last === undefined ? undefined : midnight(last) + AFTER_TRADE_DATE_DAYS * DAY_MS;
  return [
    ...(from === undefined ? [] : [`x.id >= ${bind(uuidFloor(from))}::uuid`]),
    ...(to === undefined ? [] : [`x.id < ${bind(uuidFloor(to))}::uuid`]),
  ];
}

export interface WorkCount {
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
