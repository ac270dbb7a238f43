import type { Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of the roles that operators have made. Instants are real time, epoch milliseconds. */

type RoleRow = Row<'roles'>;

export type RoleRecord = CamelRow<'roles'>;

const COLUMNS = 'name, description, scopes, version, created_at, updated_at';

function roleRecord(row: RoleRow): RoleRecord {
  const { name, description, scopes, version, created_at: createdAt, updated_at: updatedAt } = row;
  return { name, description, scopes, version, createdAt, updatedAt };
}

/** All of them, or those that are named. */
export async function readRoles(db: Queryable, names?: readonly string[]): Promise<RoleRecord[]> {
  const { rows } = await db.query<RoleRow>(
    `select ${COLUMNS} from roles where $1::text[] is null or name = any($1) order by name`,
    [names ?? null],
  );
  return rows.map(roleRecord);
}

/** Changes of roles go one after the other: their number is limited. */
export async function lockRoles(db: Queryable): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtext('roles'))");
}

/**
 * No role is changed or deleted until the transaction ends. Before the row of whoever is given one is locked: a deletion locks the
 * roles first too, and then takes the role from whoever has it.
 */
export async function holdRoles(db: Queryable): Promise<void> {
  await db.query("select pg_advisory_xact_lock_shared(hashtext('roles'))");
}

export async function writeRole(db: Queryable, role: RoleRecord): Promise<void> {
  await db.query(
    `insert into roles (${COLUMNS}) values ($1, $2, $3, $4, $5, $6)
     on conflict (name) do update
     set description = excluded.description, scopes = excluded.scopes, version = excluded.version,
         updated_at = excluded.updated_at`,
    [
      role.name,
      role.description,
      role.scopes,
      role.version,
      isoInstant(role.createdAt),
      isoInstant(role.updatedAt),
    ],
  );
}

/** Deletes a role and takes it from whoever has it: one that is made later under its name is nobody's yet. */
export async function removeRole(db: Queryable, name: string): Promise<void> {
  await db.query('update oauth_clients set roles = array_remove(roles, $1) where $1 = any(roles)', [name]);
  await db.query('update persons set roles = array_remove(roles, $1) where $1 = any(roles)', [name]);
  await db.query('delete from roles where name = $1', [name]);
}
