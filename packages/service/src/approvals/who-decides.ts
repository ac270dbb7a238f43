import type { Deciding } from '@firmquote/api/operations/approvals';
import { eyesOf, rightsOf } from '../authorization/eyes.ts';
import type { Queryable } from '../database/pool.ts';
import { actorId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { ApprovalKind } from './approvals.ts';
import { isSecond } from './judge.ts';
import type { ApprovalsRoom } from './room.ts';
import type { ApprovalRecord } from './store.ts';

/** Who may decide on a proposal: shown to those who read it, and held in the commit of the decision. */

/** Who decides, as a pair of eyes. */
export interface Decider {
  readonly personId: string | undefined;
  /** The one who has proposed it, as the same or as another client or person. */
  readonly isProposer: boolean;
}

/** A client counts as who answered for it when it proposed, and as who does so now. */
export async function deciderOf(
  connection: Queryable,
  { proposedBy, proposedByPerson }: ApprovalRecord,
  actorId: string,
): Promise<Decider> {
  const personId = await eyesOf(connection, actorId);
  if (actorId === proposedBy) return { personId, isProposer: true };
  const proposers = [proposedByPerson ?? undefined, await eyesOf(connection, proposedBy)];
  return { personId, isProposer: personId !== undefined && proposers.includes(personId) };
}

type Scopes = ReadonlySet<string>;

/** Who wants to approve or reject, and what the token or session permits. */
interface Wanting {
  /** Person or OAuth client (UUID). */
  readonly actorId: string;
  readonly scopes: Scopes;
}

type Bar = 'own' | 'nobody_answers' | 'insufficient_scope' | 'outdated';

/**
 * What keeps somebody from approving a proposal that is pending. Whoever proposed it and whoever approves it may do it still,
 * whatever their tokens say.
 * @param rights what one who acts may do now
 */
async function barOf(
  kind: ApprovalKind,
  approval: ApprovalRecord,
  { actorId, scopes }: Wanting,
  by: Decider,
  rights: (actorId: string) => Promise<Scopes | undefined>,
): Promise<Bar | undefined> {
  if (by.isProposer) return 'own';
  if (by.personId === undefined) return 'nobody_answers';
  const scope = scopeOf(kind, approval);
  if (!hasScope(scopes, scope)) return 'insufficient_scope';
  if (!hasScope(await rights(approval.proposedBy), scope)) return 'outdated';
  return hasScope(await rights(actorId), scope) ? undefined : 'insufficient_scope';
}

/**
 * Looked at in the commit.
 * @throws Problem second_person_required, insufficient_scope, proposal_outdated
 */
export async function requireMayApprove(
  connection: Queryable,
  kind: ApprovalKind,
  approval: ApprovalRecord,
  wanting: Wanting,
  by: Decider,
): Promise<void> {
  const bar = await barOf(kind, approval, wanting, by, (actor) => rightsOf(connection, actor));
  const proposedBy = actorId(approval.proposedBy);
  switch (bar) {
    case undefined:
      return;
    case 'own':
      throw secondPersonRequired(proposedBy, 'The proposer cannot approve this.');
    case 'nobody_answers':
      throw secondPersonRequired(
        proposedBy,
        'No person answers for this client, so it cannot approve. Name one, or approve as a person.',
      );
    case 'outdated':
      throw new Problem('proposal_outdated', 'The proposer no longer has the right to do this.', {
        members: { proposedBy },
      });
    case 'insufficient_scope': {
      requireScope(wanting.scopes, scopeOf(kind, approval));
      const scope = scopeOf(kind, approval);
      throw new Problem('insufficient_scope', `You no longer have the scope ${scope}.`, {
        members: { requiredScope: scope },
      });
    }
  }
}

/** What whoever reads proposals may do with them, judged as the decision itself is. */
export function decidingOf(
  room: ApprovalsRoom,
  wanting: Wanting,
): (approval: ApprovalRecord) => Promise<Deciding> {
  const { pool, kinds, clock } = room;
  const known = new Map<string, Promise<Scopes | undefined>>();
  const rights = (actor: string) => {
    const read = known.get(actor) ?? rightsOf(pool, actor);
    known.set(actor, read);
    return read;
  };
  return async (approval) => {
    const now = clock.now();
    const kind = kinds.get(approval.kind);
    const over = { mayApprove: false, mayReject: false, whyNot: 'decided', requiredScope: null } as const;
    if (kind === undefined || approval.status !== 'pending' || hasExpired(room, approval, now)) return over;
    const scope = scopeOf(kind, approval);
    const missing = [DECIDES, scope].find((each) => !hasScope(wanting.scopes, each)) ?? null;
    const by = await deciderOf(pool, approval, wanting.actorId);
    const bar = missing === DECIDES ? 'insufficient_scope' : await barOf(kind, approval, wanting, by, rights);
    const whyNot = bar ?? ((await isMaker(room, kind, approval, wanting, now)) ? 'maker' : null);
    const requiredScope = whyNot === 'insufficient_scope' ? (missing ?? scope) : null;
    return { mayApprove: whyNot === null, mayReject: missing === null, whyNot, requiredScope };
  };
}

const DECIDES = 'operator:approvals';

async function isMaker(
  { pool }: ApprovalsRoom,
  { makerOf }: ApprovalKind,
  approval: ApprovalRecord,
  { actorId }: Wanting,
  now: number,
): Promise<boolean> {
  const maker = await makerOf?.(approval, now);
  return maker !== undefined && !(await isSecond(pool, maker, actorId));
}

/** Whether nobody has decided in time; the sweep may not have been there yet. */
export function hasExpired({ ttlMs }: ApprovalsRoom, approval: ApprovalRecord, now: number): boolean {
  const { status, proposedAt } = approval;
  return status === 'expired' || (status === 'pending' && now >= proposedAt + ttlMs);
}

/** What deciding takes besides the scope `operator:approvals`. */
export function scopeOf({ scope }: ApprovalKind, { request }: ApprovalRecord): string {
  return typeof scope === 'string' ? scope : scope(JSON.parse(request) as unknown);
}

/** @throws Problem insufficient_scope */
export function requireScope(scopes: Scopes, scope: string): void {
  if (hasScope(scopes, scope)) return;
  throw new Problem('insufficient_scope', `The token lacks the scope ${scope}.`, {
    members: { requiredScope: scope },
  });
}

function hasScope(scopes: Scopes | undefined, scope: string): boolean {
  return scopes !== undefined && (scopes.has(scope) || scopes.has('operator:*'));
}

function secondPersonRequired(proposedBy: string, detail: string): Problem {
  return new Problem('second_person_required', detail, { members: { proposedBy } });
}
