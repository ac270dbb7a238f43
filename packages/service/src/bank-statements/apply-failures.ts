import { isPassing } from '../database/log-failure.ts';
import { type Connection, inTransaction, sqlState } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { type ExceptionRow, openExceptions, writeException } from '../deposits/exceptions.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { StatementsRoom } from './room.ts';

/** What is applied: credits become deposits, payments are matched to ours, deposits are taken back, rejections carried out. */
export type AppliedKind = Row<'apply_failures'>['kind'];

/** The next sweep makes the first retry; the pause before the second one, which doubles each time. */
const FIRST_WAIT_MS = 2_000;
const WAIT_MAX_MS = 3_600_000; // limit: Longest pause before an entry that could not be applied is tried again
/** A transient failure (a lock, a conflict, a full disk) becomes an exception after so many attempts; any other one at once. */
const PASSING_ATTEMPTS = 4;
const DETAIL_MAX = 300;
const BATCH = 200;
const ACTOR = 'bank_feed';

/** Excludes what waits for its next attempt. `subject` is a column, `at` a parameter of the query. */
export function isToBeTried(subject: string, at: string): string {
  return `not exists (select from apply_failures f where f.subject_id = ${subject} and f.next_at > ${at}::timestamptz)`;
}

/**
 * Records that an entry or a status could not be applied, and why: it is retried later, and operators see an exception
 * meanwhile. In a commit of its own, because that of the attempt has failed.
 */
export async function noteFailure(
  { pool, clock }: StatementsRoom,
  kind: AppliedKind,
  subjectId: string,
  error: unknown,
): Promise<void> {
  const now = clock.now();
  const { reason, detail } = reasonOf(error);
  await inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<Pick<Row<'apply_failures'>, 'attempts'>>(
      `insert into apply_failures as f (subject_id, kind, attempts, reason, detail, first_at, last_at, next_at)
       values ($1, $2, 1, $3, $4, $5, $5, $5)
       on conflict (subject_id) do update set kind = excluded.kind, attempts = f.attempts + 1, reason = excluded.reason,
         detail = excluded.detail, last_at = excluded.last_at,
         next_at = excluded.last_at + least($6::float8 * 2 ^ least(f.attempts - 1, 20), $7::float8) * interval '1 millisecond'
       returning attempts`,
      [subjectId, kind, reason, detail, isoInstant(now), FIRST_WAIT_MS, WAIT_MAX_MS],
    );
    if (isPassing(error) && (rows[0]?.attempts ?? 1) < PASSING_ATTEMPTS) return;
    await openFailure(connection, kind, subjectId, reason, now);
  });
}

function reasonOf(error: unknown): { reason: string; detail: string } {
  if (error instanceof Problem) return { reason: error.code, detail: error.message.slice(0, DETAIL_MAX) };
  const state = sqlState(error);
  if (isPassing(error))
    return { reason: 'overloaded', detail: 'Something else holds a lock that this needs.' };
  const detail = `Internal error${state === undefined ? '' : ` (${state})`}; see the log of the service.`;
  return { reason: 'internal_error', detail };
}

async function openFailure(
  connection: Connection,
  kind: AppliedKind,
  subjectId: string,
  reason: string,
  now: number,
): Promise<void> {
  const about = kind === 'status' ? { statusId: subjectId } : { entryId: subjectId };
  const { rowCount } = await connection.query(
    `select from reconciliation_exceptions where ${kind === 'status' ? 'status_id' : 'entry_id'} = $1 and status = 'open'`,
    [subjectId],
  );
  if (rowCount !== 0) return;
  const base = { depositId: null, customerId: null, transactionId: null, assignee: null, actor: ACTOR };
  await openExceptions(
    connection,
    [{ ...base, ...about, id: newUuid(now), type: 'not_applied', reason }],
    now,
  );
}

const IS_DUE = `case f.kind
  when 'credit' then exists (select from entry_details e where e.id = f.subject_id and e.deposit_state = 'due')
  when 'revise' then exists (select from entry_details e where e.id = f.subject_id and e.revise is not null)
  when 'status' then exists (select from payment_statuses s where s.id = f.subject_id and s.state = 'due')
  else exists (select from entry_details e where e.id = f.subject_id and e.payment_state = 'due') end`;

/**
 * Forgets the failures of what has been applied since, or decided by a person, and closes their exceptions.
 * @returns how many
 */
export async function forgetOvercome({ pool, clock }: StatementsRoom): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'overcome_failure',
    text: `select from apply_failures f where not (${IS_DUE}) limit 1`,
  });
  if (rowCount === 0) return 0;
  const now = clock.now();
  return inTransaction(pool, async (connection) => {
    const { rows } = await connection.query<Pick<Row<'apply_failures'>, 'subject_id'>>(
      `delete from apply_failures where subject_id in (
         select f.subject_id from apply_failures f where not (${IS_DUE}) limit $1 for update skip locked)
       returning subject_id`,
      [BATCH],
    );
    const { rows: open } = await connection.query<ExceptionRow>(
      `select * from reconciliation_exceptions
       where status = 'open' and type = 'not_applied' and (entry_id = any ($1::uuid[]) or status_id = any ($1::uuid[]))
       order by id for update`,
      [rows.map((row) => row.subject_id)],
    );
    for (const row of open) {
      const closed = {
        ...row,
        status: 'resolved',
        resolved_at: now,
        resolution: 'applied',
        version: row.version + 1,
      } as const;
      await writeException(connection, closed, { actor: ACTOR, action: 'resolved', note: null }, now);
    }
    return rows.length;
  });
}

/** The next run retries it, however long it would have waited. @returns whether there is a failure to retry */
export async function tryNow(connection: Connection, subjectId: string, now: number): Promise<boolean> {
  const { rowCount } = await connection.query(
    'update apply_failures set next_at = $2 where subject_id = $1',
    [subjectId, isoInstant(now)],
  );
  return rowCount === 1;
}

/** An operator has given up a status that could not be applied: it changes nothing any more. */
export async function giveUpStatus(connection: Connection, statusId: string): Promise<void> {
  await connection.query(
    `update payment_statuses s set state = 'mismatch', mismatch_reason = 'given_up'
     where s.id = $1 and s.state = 'due'`,
    [statusId],
  );
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
