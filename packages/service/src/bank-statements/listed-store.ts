import type { Connection } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { listedBy } from './withdraw-store.ts';

/** How far before its own days a statement may show that an entry is missing. */
const LOOK_BACK_DAYS = 7;

/** Days of an account that a file covers. */
export interface ReportedDays {
  readonly account: string;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
}

/** With whose money it was booked as, if of one customer. */
export interface MissingDetail
  extends Pick<CamelRow<'reconciliation_exceptions'>, 'id' | 'customerId' | 'transactionId'> {
  /** No other exception is open about it. */
  readonly isFree: boolean;
}

/**
 * Whether a statement `s` covers the day of an entry `b`. It does not cover the day of its opening balance, which may
 * belong to the statement before it, unless that one ended earlier. What is reported after the statement of its own day may
 * come in another one of that day: it waits for a statement that goes further. A last page covers nothing while the page
 * before it is missing.
 */
const COVERS = `s.kind = 'statement' and not s.closing_interim and s.opening_minor is not null and s.closing_minor is not null
  and s.period_to >= b.booking_date and s.period_from <= b.booking_date
  and (s.id > b.statement_id or exists (
    select from bank_statements n where n.account = s.account and n.currency = s.currency and n.kind = 'statement'
      and n.opening_minor is not null and n.closing_minor is not null and n.period_to > b.booking_date))
  and (s.period_from < b.booking_date or s.period_from = s.period_to or exists (
    select from bank_statements p where p.account = s.account and p.currency = s.currency and p.kind = 'statement'
      and p.opening_minor is not null and p.closing_minor is not null and p.period_to < s.period_from))
  and (not s.opening_interim or exists (
    select from bank_statements q where q.account = s.account and q.currency = s.currency and q.kind = 'statement'
      and q.closing_interim and q.closing_minor = s.opening_minor and q.period_to = s.period_from))`;

/** Of `missing`. */
const MISSING = `select m.id, a.customer_id as "customerId", a.transaction_id as "transactionId",
    not exists (select from reconciliation_exceptions x where x.entry_id = m.id and x.status = 'open') as "isFree"
  from missing m
  left join lateral (
    select min(d.customer_id::text)::uuid as customer_id, min(d.transaction_id::text)::uuid as transaction_id
    from deposit_allocations d where d.deposit_id = m.deposit_id having count(*) = 1
  ) a on true order by m.id`;

/** Marks the entries of these days that the statements which cover them do not list. */
export async function markMissing(
  connection: Connection,
  { account, currency, from, to }: ReportedDays,
  now: number,
): Promise<MissingDetail[]> {
  const { rows: found } = await connection.query<Pick<Row<'entry_details'>, 'id'>>({
    name: 'find_missing_details',
    // What covers a day is asked once for each day and statement, and details are looked up entry by entry: most of them
    // wait for the statement of their day, and there may be any number of them.
    text: `with reported as materialized (
             select b.id, b.statement_id, b.booking_date from bank_entries b
             where b.account = $1 and b.currency = $2 and b.booking_date between $3::date - $5::int and $4
               and not b.in_statement and b.status = 'booked'
           ), covered as materialized (
             select b.* from (select distinct statement_id, booking_date from reported) b
             where exists (select from bank_statements s where s.account = $1 and s.currency = $2 and s.is_own and ${COVERS})
               -- What a statement lists and its closing balance leaves out, because it is valued later, is not missing.
               and not exists (select from bank_statements o where o.id = b.statement_id and o.kind = 'statement'
                 and o.opening_minor is not null and o.closing_minor is not null)
           )
           select f.id from covered join reported using (statement_id, booking_date) cross join lateral (
             select e.id from entry_details e
             where e.entry_id = reported.id and coalesce(e.same_as, e.listed_by) is null and e.missing_since is null
               and e.amount_minor > 0 and e.booked_as is distinct from 'never_booked' offset 0) f`,
    values: [account, currency, from, to, LOOK_BACK_DAYS],
  });
  if (found.length === 0) return [];
  const { rows } = await connection.query<MissingDetail>({
    name: 'mark_details_missing',
    text: `with missing as (
             update entry_details e set missing_since = $2 where e.id = any ($1::uuid[]) returning e.id, e.deposit_id
           )
           ${MISSING}`,
    values: [found.map((each) => each.id), isoInstant(now)],
  });
  return rows;
}

/** Those of the entries that are marked as missing. */
export async function stillMissing(
  connection: Connection,
  ids: readonly string[],
): Promise<readonly MissingDetail[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<MissingDetail>({
    name: 'details_still_missing',
    text: `with missing as (
             select e.id, e.deposit_id from entry_details e where e.id = any ($1::uuid[]) and e.missing_since is not null
           )
           ${MISSING}`,
    values: [ids],
  });
  return rows;
}

/** Those of the sums that carry the money of payments, and whose payments statements with balances list one by one, to the last. */
export async function listedSums(
  connection: Connection,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly by: string }[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<{ readonly id: string; readonly by: string }>(
    `select s.id, s.by from (${listedBy('e.id = any ($1::uuid[]) and e.listed_by is null')}) s where s.by is not null`,
    [ids],
  );
  return rows;
}

/** Those of the entries that are marked as missing. */
export async function missingAmong(connection: Connection, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'id'>>(
    'select id from entry_details where id = any ($1::uuid[]) and missing_since is not null',
    [ids],
  );
  return rows.map((row) => row.id);
}
