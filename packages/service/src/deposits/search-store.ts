import { DEPOSIT_STATUSES } from '@firmquote/api/operations/deposits';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { type DepositRecord, type DepositRow, depositFromRow, plainAccount } from './record.ts';
import { type DepositFilter, isExact } from './search-deposits.ts';

/** The place that a page begins after. */
type DepositPlace = readonly [receivedAt: string, id: string];

/**
 * Newest first by time of receipt. Each way is served by an index: what names a deposit, its customer, its exact amount, else
 * the newest of each status and currency, so that a page costs the same however rare they are.
 */
export async function searchDeposits(
  connection: Queryable,
  filter: DepositFilter,
  before: DepositPlace | undefined,
  rowsMax: number,
): Promise<DepositRecord[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, bind);
  if (before !== undefined) {
    const [receivedAt, id] = before;
    conditions.push(`(x.received_at, x.id) < (${bind(receivedAt)}::timestamptz, ${bind(id)}::uuid)`);
  }
  const sources = sourcesOf(filter, bind);
  const most = bind(rowsMax);
  const order = (alias: string) => `order by ${alias}.received_at desc, ${alias}.id desc limit ${most}`;
  const newest = sources.map(
    ([from, key]) =>
      `(select t.* from ${from} cross join lateral (
         select x.* from deposits x where ${[key, ...conditions].join(' and ')} ${order('x')}) t ${order('t')})`,
  );
  const { rows } = await connection.query<DepositRow>(
    `select d.* from (${newest.join(' union all ')}) d ${order('d')}`,
    values,
  );
  return rows.map(depositFromRow);
}

const ONE = '(values (1)) as s (one)';

/** Disjoint sets that a page comes from, each with the key that an index has. */
function sourcesOf(filter: DepositFilter, bind: (value: unknown) => string): [from: string, key: string][] {
  const { bankReference, reference, remitterAccount, customerId } = filter;
  const shared = (customer: string) =>
    `x.customer_id is null and x.allocated_minor + x.excess_minor > 0
       and exists (select from deposit_allocations a where a.deposit_id = x.id and a.customer_id = ${customer})`;
  const owner = customerId === undefined ? undefined : bind(customerId);
  const isOwned = owner === undefined ? 'true' : `(x.customer_id = ${owner} or ${shared(owner)})`;
  if (reference !== undefined) {
    const named = bind(reference);
    const ids = `(select a.deposit_id as id from transactions t join deposit_allocations a
        on a.customer_id = t.customer_id and a.transaction_id = t.id where t.reference = ${named}
      union select k.deposit_id from deposit_keys k where k.kind = 'reference' and k.key = ${named}) s`;
    return [[ids, `x.id = s.id and ${isOwned}`]];
  }
  if (bankReference !== undefined || remitterAccount !== undefined) return [[ONE, isOwned]];
  if (owner !== undefined) {
    return [
      [ONE, `x.customer_id = ${owner}`],
      [ONE, shared(owner)],
    ];
  }
  if (isExact(filter) || filter.bookedFrom !== undefined || filter.valueDateFrom !== undefined) {
    return [[ONE, 'true']];
  }
  const statuses = `unnest(${bind(filter.status ?? DEPOSIT_STATUSES)}::text[]) as s (status)`;
  if (filter.currencies === undefined) return [[statuses, 'x.status = s.status']];
  const currencies = `unnest(${bind(filter.currencies)}::text[]) as c (currency)`;
  return [[`${statuses} cross join ${currencies}`, 'x.status = s.status and x.currency = c.currency']];
}

function conditionsOf(filter: DepositFilter, bind: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const add = (value: unknown, condition: (bound: string) => string) => {
    if (value !== undefined) conditions.push(condition(bind(value)));
  };
  const [only] = filter.currencies?.length === 1 ? filter.currencies : [];
  // Said as one value where there is one, because the index of amounts is chosen by it.
  if (only !== undefined) add(only, (v) => `x.currency = ${v}`);
  else add(filter.currencies, (v) => `x.currency = any (${v}::text[])`);
  if (isExact(filter)) add(filter.minAmountMinor?.toString(), (v) => `x.amount_minor = ${v}::numeric`);
  else {
    add(filter.minAmountMinor?.toString(), (v) => `x.amount_minor >= ${v}::numeric`);
    add(filter.maxAmountMinor?.toString(), (v) => `x.amount_minor <= ${v}::numeric`);
  }
  add(filter.status, (v) => `x.status = any (${v}::text[])`);
  add(spellingsOf(filter.account), (v) => `x.account = any (${v}::text[])`);
  add(filter.bankReference, (v) => `x.bank_reference = ${v}`);
  add(spellingsOf(filter.remitterAccount), (v) => `x.remitter_account = any (${v}::text[])`);
  // Not LIKE: what is looked for may hold its signs.
  add(filter.remitter?.toLowerCase(), (v) => `strpos(lower(x.remitter_name), ${v}) > 0`);
  add(filter.text?.toLowerCase(), (v) => `strpos(lower(x.remittance_text), ${v}) > 0`);
  add(
    filter.from === undefined ? undefined : isoInstant(filter.from),
    (v) => `x.received_at >= ${v}::timestamptz`,
  );
  add(
    filter.to === undefined ? undefined : isoInstant(filter.to),
    (v) => `x.received_at < ${v}::timestamptz`,
  );
  add(filter.bookedFrom, (v) => `x.booked_on >= ${v}::date`);
  add(filter.bookedTo, (v) => `x.booked_on <= ${v}::date`);
  add(filter.valueDateFrom, (v) => `x.value_date >= ${v}::date`);
  add(filter.valueDateTo, (v) => `x.value_date <= ${v}::date`);
  return conditions;
}

/** An account as it is written, and as banks mostly write it. */
function spellingsOf(account: string | undefined): string[] | undefined {
  return account === undefined ? undefined : [...new Set([account, plainAccount(account)])];
}
