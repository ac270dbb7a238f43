import { type Connection, inTransaction } from '../database/pool.ts';
import { ensurePerson } from './ensure-person.ts';
import { linkIdentity, personOfIdentity } from './identity-store.ts';
import type { Claims, Provider } from './provider.ts';
import type { PeopleRoom } from './room.ts';
import { endSessions } from './session-store.ts';
import { forget } from './sessions.ts';
import { signInRefused } from './sign-in.ts';
import { findPersonByEmail, lockPerson, type PersonRecord, updatePerson } from './store.ts';

/**
 * The person that somebody is at the provider, with the roles that its groups come to. Whoever is in none of them may do nothing
 * any more: its sessions end, wherever they are.
 * @throws Problem sign_in_refused
 */
export async function personOfProvider(
  room: PeopleRoom,
  provider: Pick<Provider, 'rolesOf'>,
  claims: Claims,
): Promise<PersonRecord> {
  const roles = provider.rolesOf(claims.groups);
  const now = room.realClock.now();
  const { person, ended } = await inTransaction(room.pool, async (connection) => {
    const known = await knownPerson(connection, claims, roles, now);
    if (known === undefined || roles === undefined || sameRoles(known.roles, roles))
      return { person: known, ended: [] };
    const changed = { ...known, roles, updatedAt: now };
    await updatePerson(connection, changed);
    return { person: changed, ended: await endSessions(connection, { personId: known.id }, now) };
  });
  forget(room, ended);
  if (person === undefined) throw signInRefused('This account belongs to no known person.');
  if (roles?.length === 0) throw signInRefused("None of the account's groups has a role here.");
  return person;
}

/** By what it is at the provider, or at its first sign-in by its address. Somebody new has to be in a group that has a role. */
async function knownPerson(
  connection: Connection,
  claims: Claims,
  roles: readonly string[] | undefined,
  now: number,
): Promise<PersonRecord | undefined> {
  const id = await personOfIdentity(connection, claims);
  if (id !== undefined) return lockPerson(connection, id);
  const { email, name } = claims;
  if (email === undefined) return undefined;
  const isWelcome = roles !== undefined && roles.length > 0;
  const found = isWelcome
    ? await ensurePerson(connection, { email, name: name?.slice(0, 200), roles }, now)
    : await findPersonByEmail(connection, email.trim().toLowerCase());
  if (found === undefined) return undefined;
  return (await linkIdentity(connection, claims, found.id, now))
    ? lockPerson(connection, found.id)
    : undefined;
}

function sameRoles(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join() === [...others].sort().join();
}
