import { afterCommit } from '../database/enclosure.ts';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { requireRights } from './rights.ts';
import { holdRoles, scopesOfRoles } from './roles.ts';
import type { AuthorizationRoom } from './room.ts';
import { type ClientRecord, type ClientReference, lockClient } from './store.ts';

export function clientNotFound(detail = 'There is no client with this id, or it was revoked.'): Problem {
  return new Problem('client_not_found', detail);
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
    await holdRoles(connection);
    const client = await lockClient(connection, reference);
    if (client === undefined) throw clientNotFound();
    requireRights(context.actor, [...client.scopes, ...(await scopesOfRoles(connection, client.roles))]);
    // Read under the lock: a later change has a later instant.
    return change(connection, client, context.realClock.now());
  });
  await afterCommit(() => context.onChange(reference.id));
  return result;
}
