import { inTransaction, type Pool, type Queryable } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { type ClientRecord, type ClientReference, lockClient } from './store.ts';

/** What the use cases around OAuth clients work with. */
export interface ClientContext {
  readonly pool: Pool;
  readonly realClock: Clock;
  /** Told after every committed change, so that this process acts on it at once. */
  readonly onChange: (clientId: string) => void;
}

export function clientNotFound(): Problem {
  return new Problem('client_not_found', 'The customer has no such client.');
}

/**
 * Changes one client under a lock on its row, so that changes of one client happen one after the other.
 * @throws Problem client_not_found, also for revoked clients and those of another customer
 */
export async function changeClient<T>(
  context: ClientContext,
  reference: ClientReference,
  change: (db: Queryable, client: ClientRecord, now: number) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(context.pool, async (connection) => {
    const client = await lockClient(connection, reference);
    if (client === undefined) throw clientNotFound();
    // Read under the lock: a later change has a later instant.
    return change(connection, client, context.realClock.now());
  });
  context.onChange(reference.id);
  return result;
}
