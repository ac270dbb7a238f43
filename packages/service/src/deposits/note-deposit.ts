import { inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { Problem } from '../problems/problem.ts';
import { findException, openExceptionOf, writeException } from './exceptions.ts';
import { type DepositCommand, lockForWork } from './operate-deposit.ts';
import type { DepositRecord } from './record.ts';
import type { DepositsRoom } from './room.ts';
import { writeDeposits } from './write-deposits.ts';

/** Writes something down in the history of a deposit. */
export function noteOnDeposit(room: DepositsRoom, command: DepositCommand): Promise<DepositRecord> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const before = await lockForWork(connection, command.depositId);
    const after = { ...before, version: before.version + 1, updatedAt: now };
    const { actor, reason } = command;
    await writeDeposits(connection, [{ before, after, actor, action: 'noted', reason, detail: {} }], now);
    requireVersion(command.ifMatch, before.version);
    await command.inCommit?.(connection, { done: true, result: after });
    return after;
  });
}

/**
 * Gives the open exception of a deposit to somebody.
 * @throws Problem invalid_state_transition when nothing is to be done about the deposit
 */
export function assignDeposit(
  room: DepositsRoom,
  command: Omit<DepositCommand, 'reason'> & { readonly reason: string | null },
  assignee: string | null,
): Promise<DepositRecord> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const before = await lockForWork(connection, command.depositId);
    const open = await openExceptionOf(connection, before.id);
    const exception = open && (await findException(connection, open.id, true));
    if (exception === undefined) {
      throw new Problem('invalid_state_transition', 'This deposit needs no more work.', {
        members: { from: before.status, to: before.status },
      });
    }
    const { actor, reason } = command;
    const assigned = { ...exception, assignee, version: exception.version + 1 };
    await writeException(connection, assigned, { actor, action: 'assigned', note: reason }, now);
    const after = { ...before, version: before.version + 1, updatedAt: now };
    await writeDeposits(
      connection,
      [{ before, after, actor, action: 'assigned', reason, detail: { assignee } }],
      now,
    );
    requireVersion(command.ifMatch, before.version);
    await command.inCommit?.(connection, { done: true, result: after });
    return after;
  });
}
