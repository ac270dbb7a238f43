import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { scopesOfRoles } from './roles.ts';

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

/**
 * What one who acts may do now, whatever a token of theirs says. A client may do nothing while the person who answers for it may
 * not act.
 * @param actorId UUID of a person or of a client
 * @returns undefined for one who may not act
 */
export async function rightsOf(db: Queryable, actorId: string): Promise<ReadonlySet<string> | undefined> {
  const { rows } = await db.query<Pick<Row<'oauth_clients'>, 'scopes' | 'roles'>>(
    `select c.scopes, c.roles from oauth_clients c left join persons p on p.id = c.responsible
     where c.id = $1 and c.kind = 'operator' and c.status = 'active'
       and (c.expires_at is null or c.expires_at > now())
       and (c.responsible is null or p.status in ('invited', 'active'))
     union all
     select '{}', p.roles from persons p where p.id = $1 and p.status in ('invited', 'active')`,
    [actorId],
  );
  const [actor] = rows;
  return actor && new Set([...actor.scopes, ...(await scopesOfRoles(db, actor.roles))]);
}
