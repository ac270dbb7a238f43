import type { Approvable, ApprovalKind } from '../approvals/approvals.ts';
import { carryOutProposed, ENTRY_KIND, type ProposedEntry } from './command-entry.ts';
import { FILE_APPROVALS } from './refused-files.ts';
import type { StatementsRoom } from './room.ts';
import { withdrawApproval } from './withdraw-file.ts';

/** What a second person can approve of this room. */
export function statementApprovals(room: StatementsRoom): Approvable[] {
  return [entryApproval(room), ...FILE_APPROVALS, withdrawApproval(room)];
}

function entryApproval(room: StatementsRoom): Approvable {
  const kind: ApprovalKind = {
    scope: 'operator:entries',
    carryOut: (connection, { request, now, reason, proposedBy: actor, decidedBy: approvedBy }) =>
      carryOutProposed({ connection, room, now, actor, approvedBy, reason }, request as ProposedEntry),
  };
  return [ENTRY_KIND, kind];
}
