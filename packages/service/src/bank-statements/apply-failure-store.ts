import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import { isoInstant } from '../platform/clock.ts';

/** What is applied: credits become deposits, payments are matched to ours, deposits are taken back, rejections carried out. */
export type AppliedKind = Row<'apply_failures'>['kind'];

/** Excludes what waits for its next attempt. `subject` is a column, `at` a parameter of the query. */
export function isToBeTried(subject: string, at: string): string {
  return `not exists (select from apply_failures f where f.subject_id = ${subject} and f.next_at > ${at}::timestamptz)`;
}

interface NewFailure {
  readonly kind: AppliedKind;
  readonly subjectId: string;
  readonly reason: string;
  readonly detail: string;
}

/**
 * Counts a failed attempt, and puts off the next one.
 * @param wait pause before the second retry, which doubles each time, and the longest one
 * @returns how many attempts have failed
 */
export async function countFailure(
  connection: Connection,
  { kind, subjectId, reason, detail }: NewFailure,
  wait: { readonly firstMs: number; readonly maxMs: number },
  now: number,
): Promise<number> {
  const { rows } = await connection.query<Pick<Row<'apply_failures'>, 'attempts'>>(
    `insert into apply_failures as f (subject_id, kind, attempts, reason, detail, first_at, last_at, next_at)
       values ($1, $2, 1, $3, $4, $5, $5, $5)
       on conflict (subject_id) do update set kind = excluded.kind, attempts = f.attempts + 1, reason = excluded.reason,
         detail = excluded.detail, last_at = excluded.last_at,
         next_at = excluded.last_at + least($6::float8 * 2 ^ least(f.attempts - 1, 20), $7::float8) * interval '1 millisecond'
       returning attempts`,
    [subjectId, kind, reason, detail, isoInstant(now), wait.firstMs, wait.maxMs],
  );
  return rows[0]?.attempts ?? 1;
}

/** Whether an exception is open about the entry or the status. */
export async function hasOpenException(
  connection: Connection,
  kind: AppliedKind,
  subjectId: string,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `select from reconciliation_exceptions where ${kind === 'status' ? 'status_id' : 'entry_id'} = $1 and status = 'open'`,
    [subjectId],
  );
  return rowCount !== 0;
}

const IS_DUE = `case f.kind
  when 'credit' then exists (select from entry_details e where e.id = f.subject_id and e.deposit_state = 'due')
  when 'revise' then exists (select from entry_details e where e.id = f.subject_id and e.revise is not null)
  when 'status' then exists (select from payment_statuses s where s.id = f.subject_id and s.state = 'due')
  else exists (select from entry_details e where e.id = f.subject_id and e.payment_state = 'due') end`;

/** Whether something that could not be applied is no longer due. */
export async function hasOvercome(connection: Queryable): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: 'overcome_failure',
    text: `select from apply_failures f where not (${IS_DUE}) limit 1`,
  });
  return rowCount !== 0;
}

/** Deletes failures of what is no longer due, except those that another instance holds. @returns what they were of */
export async function deleteOvercome(connection: Connection, rowsMax: number): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'apply_failures'>, 'subject_id'>>(
    `delete from apply_failures where subject_id in (
         select f.subject_id from apply_failures f where not (${IS_DUE}) limit $1 for update skip locked)
       returning subject_id`,
    [rowsMax],
  );
  return rows.map((row) => row.subject_id);
}

/** Open exceptions about entries and statuses that could not be applied, held until the transaction ends. */
export async function lockNotApplied(
  connection: Connection,
  subjectIds: readonly string[],
): Promise<ExceptionRow[]> {
  const { rows } = await connection.query<ExceptionRow>(
    `select * from reconciliation_exceptions
       where status = 'open' and type = 'not_applied' and (entry_id = any ($1::uuid[]) or status_id = any ($1::uuid[]))
       order by id for update`,
    [subjectIds],
  );
  return rows;
}

/** Moves the next attempts of all with a clock. */
export async function shiftAttempts(connection: Connection, byMs: number): Promise<void> {
  await connection.query(
    "update apply_failures set next_at = next_at + $1::float8 * interval '1 millisecond'",
    [byMs],
  );
}

/** The next run retries it, however long it would have waited. @returns whether there is a failure to retry */
export async function tryNow(connection: Connection, subjectId: string, now: number): Promise<boolean> {
  const { rowCount } = await connection.query(
    'update apply_failures set next_at = $2 where subject_id = $1',
    [subjectId, isoInstant(now)],
  );
  return rowCount === 1;
}

export type Failure = Omit<CamelRow<'apply_failures'>, 'subjectId'>;

export async function failureOf(
  connection: Pick<Connection, 'query'>,
  subjectId: string,
): Promise<Failure | undefined> {
  const { rows } = await connection.query<Failure>(
    `select kind, attempts, reason, detail, first_at as "firstAt", last_at as "lastAt", next_at as "nextAt"
     from apply_failures where subject_id = $1`,
    [subjectId],
  );
  return rows[0];
}
