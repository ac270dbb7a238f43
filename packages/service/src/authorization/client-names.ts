import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

type NamedClient = Pick<Row<'oauth_clients'>, 'id' | 'name'>;

/** By what name people know clients, those that were revoked too: what they did stays on record. */
export async function clientNames(db: Queryable, ids: readonly string[]): Promise<NamedClient[]> {
  const { rows } = await db.query<NamedClient>(
    'select id, name from oauth_clients where id = any ($1::uuid[]) order by id',
    [ids],
  );
  return rows;
}
