import { inTransaction, type Queryable } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import type { AuthorizationRoom } from './room.ts';
import { covers } from './scopes.ts';
import { type ClientRecord, type ClientReference, lockClient } from './store.ts';

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
    actor && scopes.find((scope) => scope.startsWith('operator:') && !covers([...actor.scopes], scope));
  if (missing === undefined) return;
  throw new Problem(
    'insufficient_scope',
    `The client has the scope ${missing}, which your token does not have.`,
    {
      members: { requiredScope: missing },
    },
  );
}

/** @throws Problem own_client: at least the client that acts stays, so operators cannot lock themselves out */
export function requireOther(actor: Actor | undefined, clientId: string): void {
  if (actor?.clientId !== clientId) return;
  throw new Problem('own_client', 'Use another client to suspend or end the one that you are calling with.');
}

export function clientNotFound(): Problem {
  return new Problem('client_not_found', 'There is no such client.');
}

/**
 * Changes one client under a lock on its row, so that changes of one client happen one after the other.
 * @throws Problem client_not_found, also for revoked clients and those of another owner; insufficient_scope
 */
export async function changeClient<T>(
  context: AuthorizationRoom,
  reference: ClientReference,
  change: (db: Queryable, client: ClientRecord, now: number) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(context.pool, async (connection) => {
    const client = await lockClient(connection, reference);
    if (client === undefined) throw clientNotFound();
    requireRights(context.actor, client.scopes);
    // Read under the lock: a later change has a later instant.
    return change(connection, client, context.realClock.now());
  });
  context.onChange(reference.id);
  return result;
}
