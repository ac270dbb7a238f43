import { logFailure } from '../database/log-failure.ts';
import { type Connection, inTransaction, isConnectionFailure } from '../database/pool.ts';
import { HOUSE_ID, type JournalEntry, postEntries } from '../ledger/journal.ts';
import {
  changeReturn,
  type DepositReturn,
  failedReturns,
  isInstructed,
  lockReturns,
  mayBeTakenBack,
  reopenReturn,
} from '../payments/deposit-returns.ts';
import { requireNoOpenRun } from '../payments/end-run.ts';
import { typeId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { lessenLoss } from './bear-loss.ts';
import { type DepositCommand, lockForWork, underVersion } from './operate-deposit.ts';
import { type DepositRecord, unlessTakenBack, withAmounts } from './record.ts';
import { RETURN_UNDER_WAY } from './return-deposit.ts';
import type { DepositsRoom } from './room.ts';
import { writeDeposits } from './write-deposits.ts';

/** An operator's command on something that goes back to a remitter. */
interface ReturnCommand extends DepositCommand {
  /** UUID. */
  readonly returnId: string;
}

/**
 * The bank has paid it, and no statement says so.
 * @throws Problem deposit_not_found, deposit_return_not_found, version_mismatch, invalid_state_transition
 */
export function confirmReturn(
  room: DepositsRoom,
  command: ReturnCommand,
  bankReference: string,
): Promise<DepositRecord> {
  return onReturn(room, command, 'return_paid', async (connection, deposit, row, now) => {
    if (row.status !== 'pending') throw refuse(row, 'paid');
    await requireNoOpenRun(connection, targetOf(row), { from: 'in_run', to: 'paid' });
    const { entries } = await changeReturn(connection, row, { to: 'paid', bankReference, at: now }, now);
    await postEntries(connection, entries, now);
    return { ...deposit, version: deposit.version + 1, updatedAt: now };
  });
}

/**
 * The bank has refused it or sent it back, and no file says so: the money is in suspense again.
 * @throws Problem as {@link confirmReturn}
 */
export function failReturn(room: DepositsRoom, command: ReturnCommand): Promise<DepositRecord> {
  return onReturn(room, command, 'return_failed', async (connection, deposit, row, now) => {
    if (row.status !== 'pending' && row.status !== 'paid') throw refuse(row, 'failed');
    await requireNoOpenRun(connection, targetOf(row), { from: 'in_run', to: 'failed' });
    const failure = row.status === 'paid' ? 'returned' : 'rejected';
    const change = { to: 'failed', failure, detail: command.reason ?? undefined } as const;
    const { after: failed, entries } = await changeReturn(connection, row, change, now);
    const back = await comeBack(connection, deposit, failed, now);
    await postEntries(connection, [...entries, ...back.entries], now);
    return back.deposit;
  });
}

/**
 * It does not go back after all: the money is in suspense again.
 * @throws Problem as {@link confirmReturn}; invalid_state_transition while a settlement run holds it
 */
export function cancelReturn(room: DepositsRoom, command: ReturnCommand): Promise<DepositRecord> {
  return onReturn(room, command, 'return_cancelled', async (connection, deposit, row, now) => {
    if (row.status !== 'pending') throw refuse(row, 'cancelled');
    if (await isInstructed(connection, row.id)) {
      throw new Problem('invalid_state_transition', 'A settlement run pays it: cancel the run first.', {
        members: { from: 'in_run', to: 'cancelled' },
      });
    }
    const after = await inSuspense(connection, deposit, row, 'return_cancelled', now);
    const entry = await reopenReturn(connection, row, 'cancelled', now);
    await postEntries(connection, [entry], now);
    return after;
  });
}

function targetOf({ id: subjectId }: DepositReturn) {
  return { customerId: HOUSE_ID, subjectId, purpose: 'deposit_return', attempt: 1 } as const;
}

async function onReturn(
  room: DepositsRoom,
  command: ReturnCommand,
  action: 'return_paid' | 'return_failed' | 'return_cancelled',
  work: (
    connection: Connection,
    deposit: DepositRecord,
    row: DepositReturn,
    now: number,
  ) => Promise<DepositRecord>,
): Promise<DepositRecord> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const before = await lockForWork(connection, command.depositId);
    const [row] = await lockReturns(connection, [command.returnId]);
    if (row === undefined || row.deposit_id !== before.id) {
      throw new Problem('deposit_return_not_found', 'The deposit has no such return.');
    }
    const after = await underVersion(command, before, () => work(connection, before, row, now));
    const { actor, reason } = command;
    const detail = { returnId: typeId('dpr', row.id) };
    await writeDeposits(connection, [{ before, after, actor, action, reason, detail }], now);
    await command.inCommit?.(connection, { done: true, result: after });
    return after;
  });
}

/** What has failed is there again, and work for people; of what there never was it lessens the loss. @returns the entries, to be posted last */
async function comeBack(
  connection: Connection,
  deposit: DepositRecord,
  row: DepositReturn,
  now: number,
): Promise<{ readonly deposit: DepositRecord; readonly entries: readonly JournalEntry[] }> {
  const entry = await reopenReturn(connection, row, 'failed', now);
  if (deposit.bookedAs !== 'never_booked') {
    return { deposit: await inSuspense(connection, deposit, row, 'return_failed', now), entries: [entry] };
  }
  const lessened = await lessenLoss(connection, deposit, BigInt(row.amount_minor));
  return {
    deposit: { ...deposit, version: deposit.version + 1, updatedAt: now },
    entries: [entry, ...lessened],
  };
}

/** The money is there again, unless its remitter's bank has taken it back meanwhile: then it is given to nobody before a person decides. */
async function inSuspense(
  connection: Connection,
  deposit: DepositRecord,
  row: DepositReturn,
  why: string,
  now: number,
): Promise<DepositRecord> {
  const after = withAmounts(deposit, { returnedMinor: deposit.returnedMinor - BigInt(row.amount_minor) });
  const exception = (await mayBeTakenBack(connection, row.id))
    ? ({ type: 'returned', reason: RETURN_UNDER_WAY } as const)
    : ({ type: 'unmatched', reason: why } as const);
  return {
    ...after,
    exception: unlessTakenBack(deposit, after, exception),
    version: deposit.version + 1,
    updatedAt: now,
  };
}

function refuse(row: DepositReturn, to: string): Problem {
  return new Problem(
    'invalid_state_transition',
    `A return that is ${inWords(row.status)} cannot be ${inWords(to)}.`,
    {
      members: { from: row.status, to },
    },
  );
}

const EVERY_MS = 1_000;
const BATCH = 100;

/** What a bank refused to send back to a remitter, or sent back to us, is in suspense again, and work for people. */
export function failedReturnsSweep(room: DepositsRoom, logger: Logger): Sweep {
  return {
    name: 'reopen_failed_returns',
    does: 'Reopens deposits whose return the bank has refused or sent back.',
    everyMs: EVERY_MS,
    run: async () => {
      let reopened = 0;
      for (const { id, deposit_id: depositId } of await failedReturns(room.pool, BATCH)) {
        try {
          if (await reopen(room, depositId, id)) reopened += 1;
        } catch (error) {
          if (isConnectionFailure(error)) throw error;
          logFailure(
            logger,
            error,
            { returnId: typeId('dpr', id) },
            'returned money could not be put into suspense',
          );
        }
      }
      return reopened;
    },
  };
}

function reopen(room: DepositsRoom, depositId: string, id: string): Promise<boolean> {
  return inTransaction(room.pool, async (connection) => {
    const now = room.clock.now();
    const before = await lockForWork(connection, depositId);
    const [row] = await lockReturns(connection, [id]);
    if (row?.status !== 'failed' || row.reopened_at !== null) return false;
    const { deposit: after, entries } = await comeBack(connection, before, row, now);
    const detail = { returnId: typeId('dpr', id), failure: row.failure, detail: row.detail };
    const step = { before, after, actor: 'bank_feed', action: 'return_failed', reason: null, detail };
    await writeDeposits(connection, [step], now);
    await postEntries(connection, entries, now);
    return true;
  });
}
