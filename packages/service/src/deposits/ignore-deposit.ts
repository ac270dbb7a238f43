import { worthOf } from '../approvals/do-or-propose.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { approvalDetail, type DepositAction } from './operate-deposit.ts';
import { type DepositRecord, suspenseMinorOf } from './record.ts';
import { writeDeposits } from './write-deposits.ts';

/**
 * Sets a deposit aside that is nobody's business here, such as a transfer between the house's own accounts. Its money
 * stays in suspense, and it can still be matched or returned.
 */
export const ignoring: DepositAction<Record<string, never>> = {
  kind: 'deposit_ignore',
  worth: async (work, deposit) => worthOf(work.room, deposit.currency, suspenseMinorOf(deposit)),
  async carryOut(work, before) {
    const { connection, now, reason } = work;
    if (before.status !== 'unmatched') {
      throw new Problem(
        'invalid_state_transition',
        `A deposit that is ${inWords(before.status)} cannot be ignored.`,
        {
          members: { from: before.status, to: 'ignored' },
        },
      );
    }
    const after: DepositRecord = {
      ...before,
      status: 'ignored',
      exception: null,
      version: before.version + 1,
      updatedAt: now,
    };
    const detail = approvalDetail(work);
    await writeDeposits(
      connection,
      [{ before, after, actor: work.actor, action: 'ignored', reason, detail }],
      now,
    );
    return after;
  },
};
