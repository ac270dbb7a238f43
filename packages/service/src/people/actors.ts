import type { Actor } from '@firmquote/api/operations/actors';
import { clientNames } from '../authorization/room.ts';
import type { Queryable } from '../database/pool.ts';
import { actorId, isPersonId, uuidIn } from '../platform/ids.ts';
import { personNames } from './store.ts';

/**
 * Names of those who acted, for whoever reads that they did.
 * @param ids `per_…` and `cli_…`; one that nobody has is left out, and one that is given twice is named once
 */
export async function readActors(db: Queryable, ids: readonly string[]): Promise<Actor[]> {
  const uuids = [...new Set(ids.flatMap((id) => uuidIn(id) ?? []))];
  const [persons, clients] = await Promise.all([
    personNames(
      db,
      uuids.filter((uuid) => isPersonId(uuid)),
    ),
    clientNames(
      db,
      uuids.filter((uuid) => !isPersonId(uuid)),
    ),
  ]);
  return [
    ...persons.map(({ id, name }): Actor => ({ actorId: actorId(id), type: 'person', name })),
    ...clients.map(({ id, name }): Actor => ({ actorId: actorId(id), type: 'client', name })),
  ];
}
