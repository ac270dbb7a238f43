import { type Connection, inTransaction } from '../database/pool.ts';
import { ensurePerson } from './ensure-person.ts';
import { linkIdentity, personOfIdentity, relinkIdentity } from './identity-store.ts';
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
  const linked = id === undefined ? undefined : await lockPerson(connection, id);
  if (linked?.status === 'ended') return personAnew(connection, claims, linked.id, now);
  if (linked !== undefined) return linked;
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

/**
 * Whoever was ended comes back as the person that an operator has made since with the same address, and never by a group alone. Those
 * whom a group has brought come from the provider already, and so are somebody else.
 */
async function personAnew(
  connection: Connection,
  claims: Claims,
  endedId: string,
  now: number,
): Promise<PersonRecord | undefined> {
  const { email } = claims;
  const found =
    email === undefined ? undefined : await findPersonByEmail(connection, email.trim().toLowerCase());
  if (found === undefined) return undefined;
  // Locked first: whoever links the person at the same time is through, or waits.
  const person = await lockPerson(connection, found.id);
  return (await relinkIdentity(connection, claims, endedId, found.id, now)) ? person : undefined;
}

function sameRoles(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join() === [...others].sort().join();
}
