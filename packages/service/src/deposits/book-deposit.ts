import type { HouseAccount } from '@firmquote/api/operations/ledger';
import { worthOf } from '../approvals/do-or-propose.ts';
import { postEntries } from '../ledger/journal.ts';
import { Problem } from '../problems/problem.ts';
import { bankEntry, houseEntry } from './funding.ts';
import { approvalDetail, type DepositAction } from './operate-deposit.ts';
import { type DepositRecord, suspenseMinorOf, withAmounts } from './record.ts';
import { setBookedAs } from './store.ts';
import { writeDeposits } from './write-deposits.ts';

interface BookRequest {
  /** What the money is. */
  readonly as: HouseAccount;
}

/**
 * A deposit that is nobody's but the house's: interest, a refund of charges, a transfer from its other accounts. It leaves
 * suspense as if it went back, and comes to the account of the ledger that it is for.
 */
export const bookingAsHouse: DepositAction<BookRequest> = {
  kind: 'deposit_book_as',
  worth: async (work, deposit) => worthOf(work.room, deposit.currency, suspenseMinorOf(deposit)),
  async carryOut(work, before, { as }) {
    const { connection, now, reason } = work;
    const minor = before.amountMinor;
    if (suspenseMinorOf(before) !== minor) {
      throw new Problem(
        'invalid_state_transition',
        'Only a whole deposit can be booked as house money. Unmatch it first.',
        { members: { from: before.status, to: as } },
      );
    }
    const after: DepositRecord = {
      ...withAmounts(before, { returnedMinor: minor }),
      bookedAs: as,
      exception: null,
      version: before.version + 1,
      updatedAt: now,
    };
    const detail = { ...approvalDetail(work), bookedAs: as };
    await writeDeposits(
      connection,
      [{ before, after, actor: work.actor, action: 'booked', reason, detail }],
      now,
    );
    await setBookedAs(connection, before.id, as);
    await postEntries(
      connection,
      [houseEntry('deposit_returned', after, -minor), bankEntry(before.currency, minor, as, before.id)],
      now,
    );
    return after;
  },
};
