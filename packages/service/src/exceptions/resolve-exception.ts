import type { Resolution } from '@firmquote/api/operations/exceptions';
import { giveUpStatus, tryNow } from '../bank-statements/room.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { type ExceptionWithSum, findException, isEntryOpen, writeException } from '../deposits/exceptions.ts';
import { lockForWork } from '../deposits/operate-deposit.ts';
import { type DepositRecord, suspenseMinorOf } from '../deposits/record.ts';
import { writeDeposits } from '../deposits/write-deposits.ts';
import { requireVersion } from '../http/conditional.ts';
import { Problem } from '../problems/problem.ts';
import type { ExceptionsRoom } from './room.ts';

/** An operator's command on one exception. */
export interface ExceptionCommand {
  /** UUID. */
  readonly exceptionId: string;
  readonly ifMatch: number | '*' | undefined;
  /** Person or OAuth client (UUID). */
  readonly actor: string;
  readonly note: string | null;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, exception: ExceptionWithSum) => Promise<void>;
}

/** Gives an exception to somebody, or to nobody. */
export function assignException(
  room: ExceptionsRoom,
  command: ExceptionCommand,
  assignee: string | null,
): Promise<ExceptionWithSum> {
  return onException(room, command, 'assigned', (row) => ({ ...row, assignee }));
}

/**
 * Closes an exception. Money in suspense is not resolved away: its deposit has to be matched, returned or ignored.
 * @throws Problem exception_not_found, version_mismatch, invalid_state_transition
 */
export function resolveException(
  room: ExceptionsRoom,
  command: ExceptionCommand,
  resolution: Resolution,
): Promise<ExceptionWithSum> {
  return onException(room, command, 'resolved', (row, deposit, now) => {
    if (deposit !== undefined && suspenseMinorOf(deposit) > 0n) {
      throw new Problem(
        'invalid_state_transition',
        'This deposit has money in suspense. Match, return or ignore it.',
        { members: { from: 'open', to: 'resolved' } },
      );
    }
    return { ...row, status: 'resolved', resolved_at: now, resolution };
  });
}

/**
 * What a statement or a report says and could not be applied is tried again at once.
 * @throws Problem exception_not_found, version_mismatch, invalid_state_transition
 */
export function retryException(room: ExceptionsRoom, command: ExceptionCommand): Promise<ExceptionWithSum> {
  let isWaiting = false;
  const change: Change = (row) => {
    if (isWaiting) return row;
    throw new Problem('invalid_state_transition', 'There is nothing to retry.', {
      members: { from: row.status, to: 'retried' },
    });
  };
  return onException(
    room,
    command,
    'retried',
    change,
    async ({ type, entry_id, status_id }, now, connection) => {
      const subject = entry_id ?? status_id;
      isWaiting = type === 'not_applied' && subject !== null && (await tryNow(connection, subject, now));
    },
  );
}

type Change = (row: ExceptionWithSum, deposit: DepositRecord | undefined, now: number) => ExceptionWithSum;

async function onException(
  room: ExceptionsRoom,
  command: ExceptionCommand,
  action: 'assigned' | 'resolved' | 'retried',
  change: Change,
  /** What is locked before the exception, as by those who close it (`apply-failures.ts`); undone where the command is refused. */
  first?: (seen: ExceptionWithSum, now: number, connection: Connection) => Promise<void>,
): Promise<ExceptionWithSum> {
  const { exceptionId, actor, note } = command;
  const seen = await existingException(room.pool, exceptionId);
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    // The deposit first, as everybody does who works on one.
    const before = seen.deposit_id === null ? undefined : await lockForWork(connection, seen.deposit_id);
    await first?.(seen, now, connection);
    const row = await existingException(connection, seen.id, true);
    if (row.status === 'resolved') {
      throw new Problem('invalid_state_transition', 'The exception is already resolved.', {
        members: { from: row.status, to: action },
      });
    }
    if (action === 'resolved' && row.entry_id !== null && (await isEntryOpen(connection, row.entry_id))) {
      throw new Problem(
        'invalid_state_transition',
        'The entry of the statement is not in the books yet: book it or match it.',
        { members: { from: row.status, to: action } },
      );
    }
    requireVersion(command.ifMatch, row.version);
    if (action === 'resolved' && row.status_id !== null) await giveUpStatus(connection, row.status_id);
    const changed = { ...change(row, before, now), version: row.version + 1 };
    await writeException(connection, changed, { actor, action, note }, now);
    if (before !== undefined) {
      const exception = action === 'resolved' ? null : before.exception;
      const after = { ...before, exception, version: before.version + 1, updatedAt: now };
      const { assignee, resolution } = changed;
      const detail = action === 'resolved' ? { resolution } : { assignee };
      await writeDeposits(connection, [{ before, after, actor, action, reason: note, detail }], now);
    }
    await command.inCommit?.(connection, changed);
    return changed;
  });
}

/** @throws Problem exception_not_found */
export async function existingException(
  connection: Queryable,
  id: string,
  lock = false,
): Promise<ExceptionWithSum> {
  const row = await findException(connection, id, lock);
  if (row === undefined) throw new Problem('exception_not_found', 'There is no exception with this id.');
  return row;
}
