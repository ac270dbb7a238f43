import type { Caller } from '../http/context.ts';
import { Problem } from '../problems/problem.ts';
import type { AuthorizationRoom } from './room.ts';
import { covers } from './scopes.ts';

export interface Actor {
  /** UUID of the actor's own client, or of the person. */
  readonly clientId: string;
  /** UUID of the pair of eyes. */
  readonly personId?: string | undefined;
  readonly scopes: ReadonlySet<string>;
}

/**
 * Nobody gives, or takes hold of, rights that it does not have itself: whoever may make operators' clients could
 * otherwise make itself one that may do everything.
 * @throws Problem insufficient_scope
 */
export function requireRights(actor: Actor | undefined, scopes: readonly string[]): void {
  const missing =
    actor && scopes.find((scope) => scope.startsWith('operator:') && !covers(actor.scopes, scope));
  if (missing === undefined) return;
  throw new Problem('insufficient_scope', `It takes the scope ${missing}, which you do not have.`, {
    members: { requiredScope: missing },
  });
}

/** @throws Problem own_client: at least the client that acts stays, so operators cannot lock themselves out */
export function requireOther(actor: Actor | undefined, clientId: string): void {
  if (actor?.clientId !== clientId) return;
  throw new Problem('own_client', 'Use another client to suspend or end the one that you are calling with.');
}

/** The room as it is for a caller, who may reach no further than its own rights. */
export function by<Room extends AuthorizationRoom>({ actor, personId, scopes }: Caller, room: Room): Room {
  return { ...room, actor: { clientId: actor.id, personId, scopes } };
}
