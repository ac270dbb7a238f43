import type { Operation } from '@firmquote/api/operation';
import type { FastifyRequest } from 'fastify';
import type { Act, ActingParty } from '../database/acting.ts';
import { uuidIn } from '../platform/ids.ts';

/** Whether a call of the operation leaves a row in the commit of what it changes. */
export function leavesRow({ method, audited }: Operation): boolean {
  return method !== 'GET' && audited === undefined;
}

/** Who sent a request, for the audit trail. */
function partyOf({ caller, ip }: FastifyRequest): ActingParty {
  if (caller === undefined) return { actor: 'unknown', address: ip };
  const { actor, personId, tokenId, customerId } = caller;
  return { actor: actor.kind, actorId: actor.id, personId, customerId, tokenId, address: ip };
}

/** A request as the act that it is. */
export function actOf(
  operation: Pick<Operation, 'id'>,
  request: FastifyRequest,
  kind: Act['kind'] = 'change',
  outcome = 'done',
): Act {
  const path = request.url.split('?', 1)[0] ?? request.url;
  const ids = Object.values((request.params ?? {}) as Readonly<Record<string, string>>);
  const party = partyOf(request);
  const claimed =
    kind === 'refusal' || party.actor !== 'unknown' ? undefined : uuidIn(request.claimedClientId ?? '');
  return {
    ...party,
    // Where credentials come with the request, and were not refused.
    ...(claimed !== undefined && { actor: 'client', actorId: claimed }),
    kind,
    operation: operation.id,
    resource: path,
    subjects: ids.map((id) => uuidIn(id) ?? id),
    outcome,
    requestId: request.id,
  };
}
