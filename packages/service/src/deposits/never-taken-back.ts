import { type JournalEntry, postEntries } from '../ledger/journal.ts';
import { Problem } from '../problems/problem.ts';
import { undoLoss } from './bear-loss.ts';
import { houseEntry } from './funding.ts';
import { matchDeposits } from './match-deposits.ts';
import { approvalDetail, lockForWork, type ManualWork } from './operate-deposit.ts';
import { type DepositRecord, withAmounts } from './record.ts';
import { writeDeposits } from './write-deposits.ts';

/**
 * There was no debit by which a deposit was taken back: its money is in suspense again, and a person's work. Of a deposit that there never
 * was, and of which somebody bears the loss, nothing is there again: who bears the loss of what had left is without it.
 * @param minor what the debit took
 * @returns the deposit as it is then, and the house's entry, to be posted last
 * @throws Problem invalid_state_transition when that is not what is gone of the deposit
 */
export async function bringBack(
  work: ManualWork,
  depositId: string,
  minor: bigint,
): Promise<{ readonly deposit: DepositRecord; readonly entry: JournalEntry }> {
  const { connection, now, actor, reason } = work;
  const before = await lockForWork(connection, depositId);
  const undone = { actor, action: 'return_undone', reason } as const;
  const detail = { ...approvalDetail(work), returnedMinor: (-minor).toString() };
  const isLost = before.bookedAs === 'never_booked' && before.returnedMinor >= minor;
  const borne = isLost ? await undoLoss(connection, before, minor) : undefined;
  if (borne !== undefined) {
    const after = { ...before, version: before.version + 1, updatedAt: now };
    await writeDeposits(connection, [{ ...undone, before, after, detail }], now);
    return { deposit: after, entry: borne };
  }
  if (before.bookedAs !== null || before.returnedMinor < minor) {
    throw new Problem('invalid_state_transition', 'The deposit has no return of this amount.', {
      members: { from: before.status, to: 'unmatched' },
    });
  }
  const after: DepositRecord = {
    ...withAmounts(before, { returnedMinor: before.returnedMinor - minor }),
    exception: before.exception ?? { type: 'unmatched', reason: 'return_never_booked' },
    version: before.version + 1,
    updatedAt: now,
  };
  await writeDeposits(connection, [{ ...undone, before, after, detail }], now);
  return { deposit: after, entry: houseEntry('deposit_returned', after, minor) };
}

/** The same of one deposit, of which the rules look at all as if it had just come: they may find its place again. */
export async function bringBackToItsPlace(work: ManualWork, depositId: string, minor: bigint): Promise<void> {
  const { connection, room, now, actor, reason } = work;
  const { deposit, entry } = await bringBack(work, depositId, minor);
  if (deposit.status === 'unmatched') {
    const again = { actor, reason, detail: approvalDetail(work) };
    await matchDeposits(connection, [deposit], now, room.dates.current, again);
  }
  // The house's balances are held last, as by everybody.
  await postEntries(connection, [entry], now);
}
