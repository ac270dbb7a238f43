import { worthOf } from '../approvals/do-or-propose.ts';
import { Problem } from '../problems/problem.ts';
import { learnRemitter } from './known-remitter-store.ts';
import { matchDeposits } from './match-deposits.ts';
import { approvalDetail, type DepositAction } from './operate-deposit.ts';
import { suspenseMinorOf } from './record.ts';

interface ReleaseRequest {
  /** The payer is the customer after all: what comes from this account is not held again. */
  readonly remember: boolean;
}

/** A person has looked at who pays for the customer and lets it pass: the rules match the deposit as if it were its own. */
export const releasing: DepositAction<ReleaseRequest> = {
  kind: 'deposit_release',
  worth: async (work, deposit) => worthOf(work.room, deposit.currency, suspenseMinorOf(deposit)),
  async carryOut(work, before, { remember }) {
    const { connection, room, now, actor, reason } = work;
    if (before.exception?.type !== 'third_party') {
      throw new Problem('invalid_state_transition', 'The deposit is not held because of its payer.', {
        members: { from: before.status, to: 'matched' },
      });
    }
    const detail = { ...approvalDetail(work), released: true, remember };
    const again = { actor, reason, detail, acceptsAnyPayer: true };
    const found = await matchDeposits(connection, [before], now, room.dates.current, again);
    const after = found.get(before.id);
    if (after === undefined) {
      throw new Problem('invalid_state_transition', 'The rules no longer find a match: match it by hand.', {
        members: { from: before.status, to: 'matched' },
      });
    }
    if (remember) await learnRemitter(work, after);
    return after;
  },
};
