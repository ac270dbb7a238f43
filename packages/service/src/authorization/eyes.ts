import type { Queryable } from '../database/pool.ts';

/**
 * The pair of eyes behind one who acts: a person, or the one who answers for a client, if that person may act.
 * @param actorId UUID of a person or of a client
 */
export async function eyesOf(db: Queryable, actorId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select p.id from persons p
     where p.id = coalesce((select c.responsible from oauth_clients c where c.id = $1), $1) and p.status in ('invited', 'active')`,
    [actorId],
  );
  return rows[0]?.id;
}
