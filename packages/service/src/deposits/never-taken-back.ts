import { postEntries } from '../ledger/journal.ts';
import { Problem } from '../problems/problem.ts';
import { houseEntry } from './funding.ts';
import { matchDeposits } from './match-deposits.ts';
import { approvalDetail, lockForWork, type ManualWork } from './operate-deposit.ts';
import { type DepositRecord, withAmounts } from './record.ts';
import { writeDeposits } from './write-deposits.ts';

/**
 * A bank has never booked the debit by which a deposit was taken back: its money is in suspense again, and the rules look at all of a deposit
 * as if it had just come. What they find no place for is a person's.
 * @param minor what the debit took
 * @throws Problem invalid_state_transition when that is not what is gone of the deposit
 */
export async function bringBack(work: ManualWork, depositId: string, minor: bigint): Promise<void> {
  const { connection, room, now, actor, reason } = work;
  const before = await lockForWork(connection, depositId);
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
  const detail = { ...approvalDetail(work), returnedMinor: (-minor).toString() };
  await writeDeposits(connection, [{ before, after, actor, action: 'return_undone', reason, detail }], now);
  if (after.status === 'unmatched') {
    const again = { actor, reason, detail: approvalDetail(work) };
    await matchDeposits(connection, [after], now, room.dates.current, again);
  }
  // The house's balances are held last, as by everybody.
  await postEntries(connection, [houseEntry('deposit_returned', after, minor)], now);
}
