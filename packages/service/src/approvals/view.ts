import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { ApprovalAnswer } from './schema.ts';
import type { ApprovalRecord } from './store.ts';

export function approvalView(approval: ApprovalRecord): ApprovalAnswer {
  return {
    approvalId: typeId('apr', approval.id),
    kind: approval.kind,
    subject: approval.subject,
    request: JSON.parse(approval.request) as unknown,
    reason: approval.reason,
    status: approval.status,
    proposedBy: typeId('cli', approval.proposedBy),
    proposedAt: isoInstant(approval.proposedAt),
    decidedBy: approval.decidedBy === null ? null : typeId('cli', approval.decidedBy),
    decidedAt: approval.decidedAt === null ? null : isoInstant(approval.decidedAt),
    note: approval.note,
  };
}

/** Where an approval is found; for the `Location` of a 202. */
export function approvalLocation(approval: ApprovalRecord): string {
  return `/v1/operator/approvals/${typeId('apr', approval.id)}`;
}
