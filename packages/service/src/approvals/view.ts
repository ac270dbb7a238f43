import type { Approval } from '@firmquote/api/operations/approvals';
import type { Result } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import type { ApprovalRecord } from './store.ts';

export function approvalView(approval: ApprovalRecord): Approval {
  return {
    approvalId: typeId('apr', approval.id),
    kind: approval.kind,
    subject: approval.subject,
    request: JSON.parse(approval.request) as unknown,
    reason: approval.reason,
    why: JSON.parse(approval.why) as string[],
    effects: JSON.parse(approval.effects) as Approval['effects'],
    effectsDigest: approval.effectsDigest,
    affected: JSON.parse(approval.affected) as string[],
    result: approval.result === null ? null : (JSON.parse(approval.result) as unknown),
    status: approval.status,
    proposedBy: actorId(approval.proposedBy),
    proposedByPerson: approval.proposedByPerson === null ? null : actorId(approval.proposedByPerson),
    proposedAt: isoInstant(approval.proposedAt),
    decidedBy: approval.decidedBy === null ? null : actorId(approval.decidedBy),
    decidedByPerson: approval.decidedByPerson === null ? null : actorId(approval.decidedByPerson),
    decidedAt: approval.decidedAt === null ? null : isoInstant(approval.decidedAt),
    note: approval.note,
  };
}

/** The answer of an order that waits for a second person. */
export function proposed(approval: ApprovalRecord): Result {
  return { status: 202, headers: { Location: approvalLocation(approval) }, body: approvalView(approval) };
}

/** Where an approval is found; for the `Location` of a 202. */
function approvalLocation(approval: ApprovalRecord): string {
  return `/v1/operator/approvals/${typeId('apr', approval.id)}`;
}

/** An answer with what is shown once, and kept nowhere. */
export function withSecret(answer: Result, shown: Readonly<Record<string, string>> | undefined): Result {
  if (shown === undefined) return answer;
  const headers = { ...answer.headers, 'Cache-Control': 'no-store' };
  return { ...answer, headers, body: { ...(answer.body as object), ...shown } };
}
