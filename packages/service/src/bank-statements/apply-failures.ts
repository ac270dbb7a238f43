import { isPassing } from '../database/log-failure.ts';
import { type Connection, inTransaction, sqlState } from '../database/pool.ts';
import { openExceptions, writeException } from '../deposits/exceptions.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import {
  type AppliedKind,
  countFailure,
  deleteOvercome,
  hasOpenException,
  hasOvercome,
  lockNotApplied,
  shiftAttempts,
} from './apply-failure-store.ts';
import { reportStillMissing } from './follow-statement.ts';
import type { StatementsRoom } from './room.ts';

/** The next sweep makes the first retry; the pause before the second one, which doubles each time. */
const FIRST_WAIT_MS = 2_000;
const WAIT_MAX_MS = 3_600_000; // limit: Longest pause before an entry that could not be applied is tried again
const WAIT = { firstMs: FIRST_WAIT_MS, maxMs: WAIT_MAX_MS } as const;
/** A transient failure (a lock, a conflict, a full disk) becomes an exception after so many attempts; any other one at once. */
const PASSING_ATTEMPTS = 4;
const DETAIL_MAX = 300;
const BATCH = 200;
const ACTOR = 'bank_feed';

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
    const attempts = await countFailure(connection, { kind, subjectId, reason, detail }, WAIT, now);
    if (isPassing(error) && attempts < PASSING_ATTEMPTS) return;
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
  if (await hasOpenException(connection, kind, subjectId)) return;
  const about = kind === 'status' ? { statusId: subjectId } : { entryId: subjectId };
  const base = { depositId: null, customerId: null, transactionId: null, assignee: null, actor: ACTOR };
  await openExceptions(
    connection,
    [{ ...base, ...about, id: newUuid(now), type: 'not_applied', reason }],
    now,
  );
}

/**
 * Forgets the failures of what has been applied since, or decided by a person, and closes their exceptions.
 * @returns how many
 */
export async function forgetOvercome({ pool, clock }: StatementsRoom): Promise<number> {
  if (!(await hasOvercome(pool))) return 0;
  const now = clock.now();
  return inTransaction(pool, async (connection) => {
    const subjectIds = await deleteOvercome(connection, BATCH);
    for (const row of await lockNotApplied(connection, subjectIds)) {
      const closed = {
        ...row,
        status: 'resolved',
        resolved_at: now,
        resolution: 'applied',
        version: row.version + 1,
      } as const;
      await writeException(connection, closed, { actor: ACTOR, action: 'resolved', note: null }, now);
    }
    await reportStillMissing(connection, subjectIds, now);
    return subjectIds.length;
  });
}

/** The clock of a sandbox goes back: what is to be tried again is as far away as it was. */
export function bringBackAttempts(connection: Connection, byMs: number): Promise<void> {
  return shiftAttempts(connection, byMs);
}
