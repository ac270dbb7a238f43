import type { Queryable } from '../database/pool.ts';
import { type NamedClient, readClientNames } from './store.ts';

/** By what name people know clients, those that were revoked too: what they did stays on record. In the order of the ids. */
export function clientNames(db: Queryable, ids: readonly string[]): Promise<NamedClient[]> {
  return readClientNames(db, ids);
}
