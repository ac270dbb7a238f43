import type { Approvable, ApprovalKind } from '../approvals/approvals.ts';
import { uuidOf } from '../platform/ids.ts';
import { bookingAsHouse } from './book-deposit.ts';
import { forgiving } from './forgive-shortfall.ts';
import { ignoring } from './ignore-deposit.ts';
import { matchingByHand } from './match-by-hand.ts';
import { type DepositAction, lockForWork, type Proposed, underVersion } from './operate-deposit.ts';
import { releasing } from './release-deposit.ts';
import { replacingTopUp } from './replace-top-up.ts';
import { returning } from './return-deposit.ts';
import type { DepositsRoom } from './room.ts';
import { toppingUp } from './top-up-by-hand.ts';
import { unmatching } from './unmatch-deposit.ts';

/** What a second person can approve of this room. */
export function depositApprovals(room: DepositsRoom): Approvable[] {
  return [
    kindOf(room, matchingByHand),
    kindOf(room, toppingUp, 'operator:funding'),
    kindOf(room, replacingTopUp, 'operator:funding'),
    kindOf(room, unmatching),
    kindOf(room, returning),
    kindOf(room, releasing),
    kindOf(room, forgiving),
    kindOf(room, ignoring),
    kindOf(room, bookingAsHouse),
  ];
}

function kindOf<Request>(
  room: DepositsRoom,
  action: DepositAction<Request>,
  scope: ApprovalKind['scope'] = 'operator:deposits',
): Approvable {
  const kind: ApprovalKind = {
    scope,
    carryOut: async (connection, approved) => {
      const { depositId, version, order } = approved.request as Proposed<Request>;
      const deposit = await lockForWork(connection, uuidOf('dep', depositId));
      const { now, reason, proposedBy, decidedBy } = approved;
      const work = { connection, room, now, actor: proposedBy, approvedBy: decidedBy, reason };
      await underVersion({ ifMatch: version }, deposit, () => action.carryOut(work, deposit, order));
    },
  };
  return [action.kind, kind];
}
