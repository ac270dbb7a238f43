import type { Connection } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** The entries of statements $1, as their files list them: nothing else finds entries by their statement; SQL. */
const ENTRIES_OF = `select l.entry_id from bank_statements s
  join entry_listings l on l.file_id = s.file_id and l.statement_position = s.position where s.id = any ($1::uuid[])`;

/** Details that report detail `e`, and not one of its payments alone; SQL. */
const REPORTING = `
    select o.id, o.entry_id from entry_details o where o.same_as = e.id and o.same_part is null offset 0`;

/**
 * Details that report entry `n` by its sum: they are the same as one of its payments. They are looked up once for all of these, payment by
 * payment: there may be any number of them, and of other details; SQL.
 */
const REPORTING_SUM = `
    select o.id, o.entry_id from entry_details p cross join lateral (
      select o.id, o.entry_id from entry_details o where o.same_as = p.id and o.same_reason = 'sum_of_details' offset 0) o
    where p.entry_id = n.entry_id offset 0`;

/** Whether statement `s` says what was there before and after its entries; SQL. */
export const IS_BALANCED =
  "s.kind = 'statement' and s.opening_minor is not null and s.closing_minor is not null";

/** Whether detail `c` is in a statement with balances; SQL. */
const IS_IN_BALANCED = `exists (
      select from bank_entries b join bank_statements s on s.id = b.statement_id where b.id = c.entry_id and ${IS_BALANCED} offset 0)`;

/** What lists the payments of a sum: entry `b`, or the statement that lists them by entries of their own; SQL. */
export const LIST_OF = 'case when b.payments > 1 then b.id else b.statement_id end';

/**
 * Details `e` by id, and with each (`by`) the one by which a statement with balances lists it, by itself or in the sum of its entry; of a sum
 * whose payments statements list one by one the detail of the first, once each has one; SQL.
 */
export const listedBy = (which: string) => `
  with which as materialized (select e.id, e.entry_id from entry_details e where ${which}), sums as materialized (
    select n.entry_id, s.id from (select distinct entry_id from which) n cross join lateral (
      select c.id from (${REPORTING_SUM}) c where ${IS_IN_BALANCED} order by c.id limit 1) s
  )
  select e.id, coalesce(least(sums.id, (
    select c.id from (${REPORTING}) c where ${IS_IN_BALANCED} order by c.id limit 1
  )), (
    select (array_agg(l.id order by p.id))[1] from (
      select o.id, o.same_reason, ${LIST_OF} as list_id from entry_details o join bank_entries b on b.id = o.entry_id
      where o.same_as = e.id offset 0
    ) p left join lateral (
      select c.id from entry_details c
      where c.same_part = p.id and ${IS_IN_BALANCED} order by c.id limit 1) l on true
    where p.same_reason = 'part_of_sum' and p.list_id = any (array(
      select distinct ${LIST_OF} from entry_details c join entry_details q on q.id = c.same_part
      join bank_entries b on b.id = q.entry_id where c.same_as = e.id))
    having bool_and(l.id is not null)
  )) as by
  from which e left join sums on sums.entry_id = e.entry_id`;

/**
 * Looks up anew what lists details.
 * @param which of details `e`; SQL
 * @returns their entries
 */
export async function listAnew(
  connection: Connection,
  which: string,
  values: readonly unknown[],
): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'entry_details'>, 'entry_id'>>(
    `update entry_details d set listed_by = l.by from (${listedBy(which)}) l where d.id = l.id returning d.entry_id`,
    [...values],
  );
  return [...new Set(rows.map((row) => row.entry_id))];
}

/** Details of a file, with their effects. */
export type ReportedDetail = Pick<Row<'entry_details'>, 'id' | 'deposit_id' | 'payment_state' | 'same_as'> & {
  /** Another file reports the same money, by itself or in the sum of its entry. */
  readonly reported_elsewhere: boolean;
};

/** Whether detail `o` is in another file than $1; SQL. */
const IS_ELSEWHERE = `exists (
         select from bank_entries k join bank_statements t on t.id = k.statement_id where k.id = o.entry_id and t.file_id <> $1 offset 0)`;

/**
 * Of a file, and of files that were withdrawn before what stayed in the books because this one reports it too. At most `rowsMax`, held
 * until the commit.
 */
export async function lockDetailsOfFile(
  connection: Connection,
  fileId: string,
  rowsMax: number,
): Promise<ReportedDetail[]> {
  const { rows } = await connection.query<ReportedDetail>(
    `with own as materialized (
       select o.id, o.same_as, o.same_reason from entry_listings l join entry_details o on o.entry_id = l.entry_id where l.file_id = $1
     ), kept as (
       select e.id from own o join entry_details f on f.id = o.same_as
       cross join lateral (
         select f.id union all
         select p.id from entry_details p where o.same_reason = 'sum_of_details' and p.entry_id = f.entry_id and p.id <> f.id offset 0
       ) e
       join bank_entries b on b.id = f.entry_id join bank_statements s on s.id = b.statement_id
       join statement_files w on w.id = s.file_id
       where w.withdrawn_at is not null
     ), held as materialized (
       select i.id from (select id from own union select id from kept) i order by i.id limit $2
     ), sums as materialized (
       select n.entry_id from (select distinct d.entry_id from entry_details d where d.id = any (array(select id from held))) n
       where exists (select from (${REPORTING_SUM}) o where ${IS_ELSEWHERE})
     )
     select e.id, e.deposit_id, e.payment_state, e.same_as,
       sums.entry_id is not null or exists (select from (${REPORTING}) o where ${IS_ELSEWHERE}) as reported_elsewhere
     from entry_details e left join sums on sums.entry_id = e.entry_id
     where e.id = any (array(select id from held)) order by e.id for update of e`,
    [fileId, rowsMax],
  );
  return rows;
}

/** Statuses that have changed payments. */
export async function appliedStatuses(connection: Connection, fileId: string): Promise<number> {
  const { rows } = await connection.query<{ statuses: number }>(
    "select count(*)::int as statuses from payment_statuses where file_id = $1 and state in ('applied', 'mismatch')",
    [fileId],
  );
  return rows[0]?.statuses ?? 0;
}

/**
 * Retires statements: they precede and follow no other, close no day and list no entry. What they said is kept in `withdrawn`.
 */
export async function retireStatements(
  connection: Connection,
  statementIds: readonly string[],
): Promise<void> {
  if (statementIds.length === 0) return;
  await clearDaysAndBalances(connection, statementIds);
  await connection.query(
    `update bank_entries b set in_statement = false where b.id in (${ENTRIES_OF}) and b.in_statement`,
    [statementIds],
  );
  await listRetired(connection, statementIds);
}

/** What only these statements listed is in none any more; what another one with balances lists too is in that one. */
async function listRetired(connection: Connection, statementIds: readonly string[]): Promise<void> {
  const { rows: lost } = await connection.query<Pick<Row<'entry_details'>, 'id'>>(
    `with retired as materialized (
       select o.id, o.same_as, o.same_part from entry_details o where o.entry_id in (${ENTRIES_OF})
     )
     select id from retired where same_as is null
     union select e.id from retired r join entry_details e on e.listed_by = r.id
     union select same_as from retired where same_part is not null`,
    [statementIds],
  );
  const entryIds = await listAnew(connection, 'e.id = any ($1::uuid[])', [lost.map((row) => row.id)]);
  await connection.query(
    `update bank_entries b set in_statement = not exists (
       select from entry_details p where p.entry_id = b.id and coalesce(p.same_as, p.listed_by) is null)
     where b.id = any ($1::uuid[])`,
    [entryIds],
  );
}

/** Takes days and balances from statements. What they list stays listed. */
export async function clearDaysAndBalances(
  connection: Connection,
  statementIds: readonly string[],
): Promise<void> {
  await connection.query(
    `update bank_statements s set withdrawn = json_build_object('from', period_from, 'to', period_to,
         'opening', opening_minor::text, 'closing', closing_minor::text, 'number', number::text),
       period_from = null, period_to = null, opening_minor = null, opening_currency = null, opening_date = null,
       closing_minor = null, closing_currency = null, closing_date = null
     where id = any ($1::uuid[]) and withdrawn is null`,
    [statementIds],
  );
}

/**
 * Makes entries informational; what was booked on them has been undone. Of an entry whose other payments another file reports these are
 * none that the bank has booked.
 */
export async function forgetDetails(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connection.query('delete from apply_failures where subject_id = any ($1::uuid[])', [ids]);
  const { rows: kept } = await connection.query<Pick<Row<'entry_details'>, 'entry_id'>>(
    `select distinct p.entry_id from entry_details p
     where p.entry_id in (select d.entry_id from entry_details d where d.id = any ($1::uuid[]))
       and not exists (select from unnest($1::uuid[]) g (id) where g.id = p.id)`,
    [ids],
  );
  const values = [ids, kept.map((row) => row.entry_id)];
  await connection.query(
    `update entry_details set deposit_state = 'none', deposit_id = null, returned_deposit_id = null, payment_reason = null,
       payment_state = case when entry_id = any ($2::uuid[]) then 'by_hand' else 'none' end,
       booked_as = case when entry_id = any ($2::uuid[]) then 'never_booked' else booked_as end,
       same_as = null, same_part = null, same_reason = null, maybe_same_as = null, missing_since = null, revise = null
     where id = any ($1::uuid[])`,
    values,
  );
  await connection.query(
    `update bank_entries set status = 'information'
     where id in (select d.entry_id from entry_details d where d.id = any ($1::uuid[])) and id <> all ($2::uuid[])`,
    values,
  );
}

/**
 * Several messages may have listed the payments of a sum that stays. Where the first of them is forgotten the next one lists these: its details are
 * the payments of the sum from now on, and what was the same as one of the first is the same as the one in its place.
 * @param ids details that are forgotten
 * @returns the sums
 */
export async function listPaymentsAnew(connection: Connection, ids: readonly string[]): Promise<string[]> {
  const { rows: lists } = await connection.query<{ readonly sum_id: string; readonly entry_id: string }>(
    `select distinct on (d.same_as) d.same_as as sum_id, d.entry_id
     from entry_details d join bank_entries b on b.id = d.entry_id join entry_details s on s.id = d.same_as
     where d.same_part = any ($1::uuid[]) and not exists (select from unnest($1::uuid[]) g (id) where g.id = d.same_as)
       and b.amount_minor = s.amount_minor and d.amount_minor < s.amount_minor
       and not exists (select from entry_details q where q.entry_id = d.entry_id and q.same_as is distinct from d.same_as)
     order by d.same_as, d.id`,
    [ids],
  );
  if (lists.length === 0) return [];
  const entryIds = lists.map((each) => each.entry_id);
  await connection.query(
    `update entry_details d set same_part = q.id from entry_details q
     where q.entry_id = any ($1::uuid[]) and d.same_part = q.same_part and d.same_as = q.same_as and d.entry_id <> q.entry_id`,
    [entryIds],
  );
  await connection.query(
    `update entry_details set same_part = null, same_reason = 'part_of_sum', differs = '{}' where entry_id = any ($1::uuid[])`,
    [entryIds],
  );
  return lists.map((each) => each.sum_id);
}

/** Statements of the simulated bank that reach this day or a later one. */
export async function simulatedStatementsFrom(connection: Connection, day: string): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'bank_statements'>, 'id'>>(
    `select s.id from bank_statements s join statement_files f on f.id = s.file_id
     where f.source = 'sandbox' and s.kind = 'statement' and s.period_to >= $1 order by s.id`,
    [day],
  );
  return rows.map((row) => row.id);
}

export async function statementsOfFile(connection: Connection, fileId: string): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'bank_statements'>, 'id'>>(
    'select id from bank_statements where file_id = $1 order by position',
    [fileId],
  );
  return rows.map((row) => row.id);
}

export async function setWithdrawn(
  connection: Connection,
  id: string,
  by: {
    readonly now: number;
    readonly reason: string;
    readonly actor: string;
    readonly approvedBy: string | undefined;
  },
): Promise<void> {
  await connection.query("update payment_statuses set state = 'noted' where file_id = $1 and state = 'due'", [
    id,
  ]);
  await connection.query(
    `update statement_files set withdrawn_at = $2, withdrawn_reason = $3, withdrawn_by = $4, withdrawal_approved_by = $5
     where id = $1`,
    [id, isoInstant(by.now), by.reason, by.actor, by.approvedBy ?? null],
  );
}

/**
 * Statements that this one corrects: of the same account and day, with other balances, and with the same number. Where the bank
 * counts none, with the same name, period and opening balance, as long as neither ends where the other begins: one name for
 * all is used for statements that follow each other, too.
 * @returns their ids
 */
export async function correctedBy(
  connection: Connection,
  account: string,
  one: {
    readonly fileId: string;
    readonly currency: string;
    readonly number: bigint | null;
    readonly page: number | null;
    readonly reference?: string | null;
    readonly from: string | null;
    readonly to: string | null;
    readonly opening: bigint | null;
    readonly closing: bigint | null;
  },
): Promise<string[]> {
  const isNamed = one.number !== null || (one.reference != null && one.from !== null);
  if (!isNamed || one.to === null || one.opening === null || one.closing === null) return [];
  const { rows } = await connection.query<Pick<Row<'bank_statements'>, 'id'>>(
    `select id from bank_statements
     where kind = 'statement' and account = $1 and currency = $2 and number is not distinct from $3 and page is not distinct from $4
       and period_to = $5 and file_id <> $6 and opening_minor is not null and closing_minor is not null
       and (opening_minor, closing_minor) is distinct from ($7::numeric, $8::numeric)
       and ($3::numeric is not null or (reference = $9 and period_from = $10 and opening_minor = $7
         and opening_minor <> closing_minor and $7::numeric <> $8::numeric))
     order by id`,
    [
      ...[account, one.currency, one.number, one.page, one.to, one.fileId, one.opening, one.closing],
      ...[one.reference ?? null, one.from],
    ],
  );
  return rows.map((row) => row.id);
}

export async function setCorrected(
  connection: Connection,
  ids: readonly string[],
  by: string,
): Promise<void> {
  if (ids.length === 0) return;
  await connection.query('update bank_statements set corrected_by = $2 where id = any ($1::uuid[])', [
    ids,
    by,
  ]);
}
