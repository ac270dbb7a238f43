import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';

/** For those who follow it: it changes with every change of what operators have set for the market. */
export const MARKET_VERSION_QUERY = 'select revision from market_revision';

export async function readRevision(database: Queryable): Promise<string> {
  const { rows } = await database.query<Pick<Row<'market_revision'>, 'revision'>>({
    name: 'market_revision',
    text: MARKET_VERSION_QUERY,
  });
  const [row] = rows;
  if (row === undefined) throw new Error('market_revision has lost its row');
  return row.revision;
}

/** Begins a change; others wait for it to be committed. */
export async function nextRevision(connection: Connection): Promise<void> {
  await connection.query('update market_revision set revision = revision + 1');
}
