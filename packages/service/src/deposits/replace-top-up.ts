import { worthOf } from '../approvals/do-or-propose.ts';
import { availableMinor } from '../balances/balances.ts';
import { bookedByHand } from '../balances/replace-top-up.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import type { DepositAction } from './operate-deposit.ts';
import { type BalanceShare, giveShare, holdBalances, planShare } from './top-up-by-hand.ts';

interface ReplaceRequest extends BalanceShare {
  /** Under which the balance was topped up by hand. */
  readonly bankReference: string;
}

/**
 * A person says that a deposit is the money for which a balance was topped up by hand, where the rules do not: the bank calls it otherwise, or
 * has less or more of it. The deposit takes the top-up's place, and the balance has what the bank has.
 */
export const replacingTopUp: DepositAction<ReplaceRequest> = {
  kind: 'top_up_replace',
  async worth(work, deposit, request) {
    return worthOf(work.room, deposit.currency, (await planShare(work, deposit, request, '')).minor);
  },
  async carryOut(work, before, request) {
    const { connection } = work;
    const { bankReference } = request;
    const share = await planShare(work, before, request, '');
    await holdBalances(work, share);
    const found = await bookedByHand(connection, [bankReference]);
    const topUp = found.find(
      (each) => each.customerId === share.customerId && each.currency === before.currency,
    );
    if (topUp === undefined) {
      const detail = `is of no top-up by hand of this customer in ${before.currency} that waits for its deposit`;
      throw validationProblem([{ pointer: '/bankReference', code: 'not_permitted', detail }]);
    }
    const tooMuch = BigInt(topUp.amountMinor) - share.minor;
    if (tooMuch > 0n && (await availableMinor(connection, share.customerId, before.currency)) < tooMuch) {
      throw new Problem(
        'invalid_state_transition',
        'The balance no longer covers what the top-up was more than the deposit.',
        { members: { from: before.status, to: 'matched' } },
      );
    }
    return giveShare(work, before, share, topUp);
  },
};
