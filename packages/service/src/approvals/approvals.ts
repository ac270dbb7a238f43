import type { ProposalKind } from '@firmquote/api/command-kinds';
import { eyesOf } from '../authorization/eyes.ts';
import { actingAsProposed } from '../database/acting.ts';
import { enclose } from '../database/enclosure.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import type { Effect } from './effects.ts';
import type { ApprovalsRoom } from './room.ts';
import {
  type ApprovalRecord,
  anyProposal,
  countPending,
  expireApprovals,
  findApproval,
  insertApproval,
  lockApproval,
  oldestPending,
  writeDecision,
} from './store.ts';
import {
  type Decider,
  deciderOf,
  hasExpired,
  requireMayApprove,
  requireScope,
  scopeOf,
} from './who-decides.ts';

/** What the work of an approved proposal gets. */
export interface Approved {
  readonly approvalId: string;
  /** As it was proposed. */
  readonly request: unknown;
  readonly reason: string;
  /** Who acted for the two persons, who are never the same: themselves or their OAuth clients (UUIDs). */
  readonly proposedBy: string;
  readonly decidedBy: string;
  /** Of the effects that the one who approves has seen; undefined where none were shown. */
  readonly effectsDigest?: string | undefined;
  /** Takes what it came to, for who looks at the approval later; without secrets. */
  readonly cameTo?: (result: unknown) => void;
  /** Takes a secret for whoever approves, in the answer to this request alone. */
  readonly shows?: (shown: Readonly<Record<string, string>>) => void;
  readonly now: number;
}

/** How one kind of proposal is carried out. */
export interface ApprovalKind {
  /** Scope that the one who approves needs, besides `operator:approvals`. */
  readonly scope: `operator:${string}` | ((request: unknown) => string);
  /**
   * Who began what this goes on with (UUID), and so does not approve it either: a program that nobody answers for may have proposed it
   * for them.
   */
  readonly makerOf?: (approval: ApprovalRecord, now: number) => Promise<string | undefined>;
  /**
   * Does what was proposed, in the transaction that approves it. It looks at everything anew: what it throws (a
   * `Problem`, when the state no longer allows it) undoes the approval, which stays pending. Its own transactions are
   * parts of this one; what this process holds in memory takes it in after the commit (`afterCommit`).
   */
  carryOut(connection: Connection, approved: Approved): Promise<void>;
}

/** What a room can carry out: the kind of its proposals, and how. */
export type Approvable = readonly [kind: ProposalKind, how: ApprovalKind];

export interface Proposal {
  readonly kind: ProposalKind;
  /** Id of what it is about, as the API writes it. One proposal at a time may be pending for it. */
  readonly subject: string;
  /** JSON value that `carryOut` gets back; shown to the one who decides. */
  readonly request: unknown;
  readonly reason: string;
  /** Why it takes two. */
  readonly why?: readonly string[];
  readonly effects?: readonly Effect[];
  /** Of all effects, where they are looked at again when it is approved. */
  readonly effectsDigest?: string;
  /** Who else it touches. */
  readonly affected?: readonly string[];
  /** Person or OAuth client (UUID). */
  readonly proposedBy: string;
}

/**
 * Writes down what a second person has to approve, in the caller's transaction. For rooms: call it instead of doing
 * the work, and answer 202 with the approval.
 * @throws Problem already_exists when something is proposed for the subject already; the transaction must end then
 */
export async function propose(
  connection: Connection,
  proposal: Proposal,
  now: number,
): Promise<ApprovalRecord> {
  const approval: ApprovalRecord = {
    id: newUuid(now),
    kind: proposal.kind,
    subject: proposal.subject,
    request: JSON.stringify(proposal.request),
    reason: proposal.reason,
    why: JSON.stringify(proposal.why ?? []),
    effects: JSON.stringify(proposal.effects ?? []),
    effectsDigest: proposal.effectsDigest ?? null,
    affected: JSON.stringify(proposal.affected ?? []),
    result: null,
    status: 'pending',
    proposedBy: proposal.proposedBy,
    proposedByPerson: (await eyesOf(connection, proposal.proposedBy)) ?? null,
    proposedAt: now,
    decidedBy: null,
    decidedByPerson: null,
    decidedAt: null,
    note: null,
  };
  if (await insertApproval(connection, approval)) return approval;
  throw new Problem(
    'already_exists',
    `A proposal for ${proposal.subject} is already pending. Approve or reject it first.`,
    { members: { subject: proposal.subject } },
  );
}

/** @throws Problem validation_failed: a second person has to see why */
export function requireReason(reason: unknown): string {
  if (typeof reason === 'string' && reason.trim() !== '') return reason;
  const detail = 'is required, because a second person must approve this';
  throw validationProblem([{ pointer: '/header/Firmquote-Reason', code: 'required', detail }]);
}

/** A proposal as it stands, for the room that made it. @param id UUID */
export function findProposal(connection: Queryable, id: string): Promise<ApprovalRecord | undefined> {
  return findApproval(connection, id);
}

/** Whether people have proposed anything about a subject, whatever became of it. */
export function hasProposals(connection: Connection, subject: string): Promise<boolean> {
  return anyProposal(connection, subject);
}

/** How many proposals of each kind wait for a second person. @param most counted in all */
export function pendingByKind(connection: Queryable, most: number): Promise<Map<string, number>> {
  return countPending(connection, most);
}

/** Who decides on a proposal. */
export interface Decision {
  /** As the API writes it. */
  readonly approvalId: string;
  /** Person or OAuth client (UUID). */
  readonly actorId: string;
  readonly scopes: ReadonlySet<string>;
  readonly note: string | undefined;
  /** Of the effects that were seen, where they are not those of the proposal. */
  readonly effectsDigest?: string | undefined;
  /** Runs in the same transaction; what it throws undoes everything. */
  readonly inCommit?: (connection: Connection, approval: ApprovalRecord) => Promise<void>;
}

/**
 * Approves a proposal and carries it out, in one commit.
 * @throws Problem approval_not_found, invalid_state_transition, approval_expired, second_person_required, insufficient_scope, and what
 *   the work itself throws
 */
export async function approve(
  room: ApprovalsRoom,
  decision: Decision,
): Promise<{
  readonly approval: ApprovalRecord;
  readonly shown: Readonly<Record<string, string>> | undefined;
}> {
  let shown: Readonly<Record<string, string>> | undefined;
  let committed: (() => Promise<void>) | undefined;
  const carryOut: Work = async (connection, approval, now, by) => {
    const kind = room.kinds.get(approval.kind);
    if (kind === undefined) throw new Error(`nobody carries out approvals of kind ${approval.kind}`);
    const request = JSON.parse(approval.request) as unknown;
    await requireMayApprove(connection, kind, approval, decision, by);
    const { effectsDigest } = approval;
    let result: unknown;
    const work = () =>
      kind.carryOut(connection, {
        approvalId: approval.id,
        request,
        reason: approval.reason,
        proposedBy: approval.proposedBy,
        decidedBy: decision.actorId,
        ...(effectsDigest !== null && { effectsDigest: decision.effectsDigest ?? effectsDigest }),
        cameTo: (came) => {
          result = came;
        },
        shows: (secret) => {
          shown = secret;
        },
        now,
      });
    const enclosed = await enclose(connection, () => actingAsProposed(approval.proposedBy, work));
    committed = enclosed.committed;
    return { status: 'approved', result };
  };
  const deciding = () => decide(room, decision, 'approved', carryOut);
  const approval = await (room.inTurn === undefined ? deciding() : room.inTurn(deciding));
  await committed?.();
  return { approval, shown };
}

/** Rejects a proposal; the one who made it withdraws it so. Nothing else happens. */
export function reject(room: ApprovalsRoom, decision: Decision): Promise<ApprovalRecord> {
  return decide(room, decision, 'rejected', async (_connection, approval, _now, by) => {
    const kind = room.kinds.get(approval.kind);
    if (kind !== undefined) requireScope(decision.scopes, scopeOf(kind, approval));
    return { status: by.isProposer ? 'withdrawn' : 'rejected' };
  });
}

type Work = (
  connection: Connection,
  approval: ApprovalRecord,
  now: number,
  by: Decider,
) => Promise<{ readonly status: 'approved' | 'rejected' | 'withdrawn'; readonly result?: unknown }>;

async function decide(
  room: ApprovalsRoom,
  decision: Decision,
  to: string,
  work: Work,
): Promise<ApprovalRecord> {
  const now = room.clock.now();
  return inTransaction(room.pool, async (connection) => {
    const approval = await lockApproval(connection, decision.approvalId);
    if (approval === undefined) throw approvalNotFound();
    if (hasExpired(room, approval, now)) {
      throw new Problem('approval_expired', 'The proposal expired without a decision.', {
        members: { expiredAt: isoInstant(approval.decidedAt ?? approval.proposedAt + room.ttlMs) },
      });
    }
    if (approval.status !== 'pending') {
      throw new Problem('invalid_state_transition', `The proposal is already ${approval.status}.`, {
        members: { from: approval.status, to },
      });
    }
    const by = await deciderOf(connection, approval, decision.actorId);
    const { status, result } = await work(connection, approval, now, by);
    const decided: ApprovalRecord = {
      ...approval,
      status,
      result: result === undefined ? null : JSON.stringify(result),
      decidedBy: decision.actorId,
      decidedByPerson: by.personId ?? null,
      decidedAt: now,
      note: decision.note ?? null,
    };
    await writeDecision(connection, decided);
    await decision.inCommit?.(connection, decided);
    return decided;
  });
}

/** Proposals in one commit. */
const EXPIRY_BATCH = 500;

/** Ends proposals that nobody has decided on in time; they stay readable. */
export function approvalExpirySweep({ pool, clock, ttlMs }: ApprovalsRoom): Sweep {
  return {
    name: 'expire_approvals',
    does: 'Expires proposals that were not decided in time.',
    everyMs: 60_000,
    isAudited: true,
    run: async () => {
      let expired = 0;
      for (;;) {
        const now = clock.now();
        const moved = await inTransaction(pool, (connection) =>
          expireApprovals(connection, now - ttlMs, now, EXPIRY_BATCH),
        );
        expired += moved;
        if (moved < EXPIRY_BATCH) return expired;
      }
    },
    nextDueAt: async () => {
      const oldest = await oldestPending(pool);
      return oldest === undefined ? undefined : oldest + ttlMs;
    },
  };
}

/** @throws Problem approval_not_found */
export async function showApproval(room: ApprovalsRoom, approvalId: string): Promise<ApprovalRecord> {
  const approval = await findApproval(room.pool, approvalId);
  if (approval === undefined) throw approvalNotFound();
  return approval;
}

function approvalNotFound(): Problem {
  return new Problem('approval_not_found', 'There is no approval with this id.');
}
