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
 * What one who acts may have approved or approve now, whatever a token of theirs says. For a client that is nothing while the person who
 * answers for it may not act.
 * @param actorId UUID of a person or of a client
 * @returns undefined for one who may not act
 */
export async function rightsOf(db: Queryable, actorId: string): Promise<ReadonlySet<string> | undefined> {
  const { rows } = await db.query<Granted>(
    `select c.scopes, c.roles from oauth_clients c left join persons p on p.id = c.responsible
     where c.id = $1 and c.kind = 'operator' and c.status = 'active'
       and (c.expires_at is null or c.expires_at > now())
       and (c.responsible is null or p.status in ('invited', 'active'))
     union all
     select '{}', p.roles from persons p where p.id = $1 and p.status in ('invited', 'active')`,
    [actorId],
  );
  return scopesOf(db, rows[0]);
}

/**
 * What a client of operators may do: also while the person who answers for it may not act, for programs go on when somebody leaves.
 * @returns undefined for a client that is not active, and for a person
 */
export async function rightsOfProgram(
  db: Queryable,
  clientId: string,
): Promise<ReadonlySet<string> | undefined> {
  const { rows } = await db.query<Granted>(
    `select scopes, roles from oauth_clients
     where id = $1 and kind = 'operator' and status = 'active' and (expires_at is null or expires_at > now())`,
    [clientId],
  );
  return scopesOf(db, rows[0]);
}

type Granted = Pick<Row<'oauth_clients'>, 'scopes' | 'roles'>;

async function scopesOf(
  db: Queryable,
  granted: Granted | undefined,
): Promise<ReadonlySet<string> | undefined> {
  return granted && new Set([...granted.scopes, ...(await scopesOfRoles(db, granted.roles))]);
}
