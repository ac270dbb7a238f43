import { OWN_ROLES_MAX } from '@firmquote/api/operations/roles';
import { BUILT_IN_ROLES } from '@firmquote/api/roles';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { requireRights } from './rights.ts';
import { holdRoles, lockRoles, type RoleRecord, readRoles, removeRole, writeRole } from './role-store.ts';
import type { AuthorizationRoom } from './room.ts';

/** For other rooms that give roles. */
export { holdRoles } from './role-store.ts';

const BUILT_IN: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(BUILT_IN_ROLES).map(([name, { scopes }]) => [name, scopes]),
);

function isBuiltIn(name: string): boolean {
  return BUILT_IN.has(name);
}

/** The scopes of those of the roles that every service has. */
export function scopesOfBuiltIn(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => BUILT_IN.get(name) ?? []);
}

/**
 * What whoever has these roles may do, as it is in this moment. Keep it for five seconds at most, and forget it when this process is
 * notified that roles have changed (`whenRolesChange`). A role that does not exist permits nothing.
 */
export async function scopesOfRoles(db: Queryable, names: readonly string[]): Promise<readonly string[]> {
  const own = names.filter((name) => !isBuiltIn(name));
  const read = own.length === 0 ? [] : await readRoles(db, own);
  return [...new Set([...scopesOfBuiltIn(names), ...read.flatMap(({ scopes }) => scopes)])];
}

/** Those of the roles that do not exist. */
export async function unknownRoles(db: Queryable, names: readonly string[]): Promise<readonly string[]> {
  const asked = names.filter((name) => !isBuiltIn(name));
  if (asked.length === 0) return [];
  const own = new Set((await readRoles(db, asked)).map(({ name }) => name));
  return asked.filter((name) => !own.has(name));
}

/**
 * For whoever gives roles: they exist until this is committed, and give nothing that the one who gives them lacks. Where the row of
 * whoever gets them is locked before, roles are held before that ({@link holdRoles}).
 * @param held what whoever gets them has already. Of these one that does not exist is no hindrance: it permits nothing, and whoever
 *   has it could not be stopped otherwise.
 * @throws Problem validation_failed, insufficient_scope
 */
export async function requireGivableRoles(
  db: Queryable,
  actor: AuthorizationRoom['actor'],
  names: readonly string[],
  held: readonly string[] = [],
): Promise<void> {
  await holdRoles(db);
  const added = names.filter((name) => !held.includes(name));
  const errors = (await unknownRoles(db, added)).map((name) => ({
    pointer: `/roles/${names.indexOf(name)}`,
    code: 'not_permitted',
    detail: 'is not a role',
  }));
  if (errors.length > 0) throw validationProblem(errors);
  requireRights(actor, await scopesOfRoles(db, names));
}

interface NewRole {
  readonly name: string;
  readonly description: string;
  readonly scopes: readonly string[];
}

/**
 * Makes a role or changes one.
 * @throws Problem validation_failed for a role that is built in, insufficient_scope, version_mismatch, limit_exceeded
 */
export async function setRole(
  context: AuthorizationRoom,
  { name, description, scopes }: NewRole,
  ifMatch?: number | '*',
): Promise<RoleRecord> {
  requireOwn(name);
  requireRights(context.actor, scopes);
  return changeRoles(context, async (db) => {
    const all = await readRoles(db);
    const before = all.find((role) => role.name === name);
    if (before === undefined) requireRoom(all.length);
    else requireRights(context.actor, before.scopes);
    requireVersion(ifMatch, before?.version ?? 0);
    const now = context.realClock.now();
    const version = (before?.version ?? 0) + 1;
    const role = { name, description, scopes, version, createdAt: before?.createdAt ?? now, updatedAt: now };
    await writeRole(db, role);
    return role;
  });
}

/** @throws Problem role_not_found, validation_failed for a role that is built in, insufficient_scope */
export async function deleteRole(context: AuthorizationRoom, name: string): Promise<void> {
  requireOwn(name);
  await changeRoles(context, async (db) => {
    const [role] = await readRoles(db, [name]);
    if (role === undefined) throw new Problem('role_not_found', `There is no role ${name}.`);
    requireRights(context.actor, role.scopes);
    await removeRole(db, name);
  });
}

async function changeRoles<T>(context: AuthorizationRoom, change: (db: Queryable) => Promise<T>): Promise<T> {
  const result = await inTransaction(context.pool, async (connection) => {
    await lockRoles(connection);
    return change(connection);
  });
  await afterCommit(() => context.onRolesChange());
  return result;
}

function requireOwn(name: string): void {
  if (!isBuiltIn(name)) return;
  throw validationProblem([{ pointer: '/path/role', code: 'not_permitted', detail: 'is a built-in role' }]);
}

function requireRoom(used: number): void {
  if (used < OWN_ROLES_MAX) return;
  throw new Problem('limit_exceeded', `There are already ${OWN_ROLES_MAX} roles. Delete one first.`, {
    members: { limitType: 'roles', limit: OWN_ROLES_MAX, used },
  });
}
