import { requireRights } from '../authorization/rights.ts';
import { holdRoles, requireGivableRoles, scopesOfRoles } from '../authorization/roles.ts';
import { covers } from '../authorization/scopes.ts';
import { afterCommit } from '../database/enclosure.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import type { Caller } from '../http/context.ts';
import { Problem } from '../problems/problem.ts';
import { withdrawInvitation } from './invitation-store.ts';
import { deleteWaysIn } from './passkey-store.ts';
import type { PeopleRoom } from './room.ts';
import { endSessions } from './session-store.ts';
import { forget } from './sessions.ts';
import { findPerson, hasSignedIn, lockPerson, type PersonRecord, updatePerson } from './store.ts';

/** @throws Problem person_not_found */
export async function showPerson({ pool }: Pick<PeopleRoom, 'pool'>, id: string): Promise<PersonRecord> {
  const person = await findPerson(pool, id);
  if (person === undefined) throw personNotFound();
  return person;
}

/**
 * Changes what a person may do, and ends the sessions in which more, or less, was possible.
 * @param by who orders it: nobody changes itself, and nobody gives or takes what it may not do itself
 * @param from the states in which it is possible; default: all but `ended`
 * @throws Problem person_not_found, own_client, insufficient_scope, validation_failed, invalid_state_transition
 */
export async function changePerson(
  room: PeopleRoom,
  id: string,
  by: Caller,
  to: (person: PersonRecord, connection: Connection) => PersonRecord | Promise<PersonRecord>,
  from?: readonly PersonRecord['status'][],
): Promise<PersonRecord> {
  const now = room.realClock.now();
  const { person, ended } = await inTransaction(room.pool, async (connection) => {
    await holdRoles(connection);
    const before = await lockPerson(connection, id);
    if (before === undefined || before.status === 'ended') throw personNotFound();
    if (by.personId === id || by.actor.id === id)
      throw new Problem('own_client', 'You cannot change your own rights. Ask another operator.');
    const after = { ...(await to(before, connection)), updatedAt: now };
    if (from !== undefined && !from.includes(before.status)) {
      throw new Problem('invalid_state_transition', `The person is ${before.status}.`, {
        members: { from: before.status, to: after.status },
      });
    }
    const actor = { clientId: by.actor.id, scopes: by.scopes };
    const had = await scopesOfRoles(connection, before.roles);
    requireRights(actor, had);
    await requireGivableRoles(connection, actor, after.roles, before.roles);
    await updatePerson(connection, after);
    const permitted = new Set(had);
    const isMore = (await scopesOfRoles(connection, after.roles)).some((scope) => !covers(permitted, scope));
    const isEnded = after.status === 'ended';
    // Whoever made the link, or has seen it, was to let in somebody who may do less.
    const isWithdrawn = (isEnded || isMore) && (await withdrawInvitation(connection, id, now));
    if (isEnded) await deleteWaysIn(connection, id);
    const person = isWithdrawn ? { ...after, invitationEndsAt: null } : after;
    return { person, ended: await endSessions(connection, { personId: id }, now) };
  });
  await afterCommit(() => forget(room, ended));
  return person;
}

/** As it was before it was suspended. */
export async function resumed(person: PersonRecord, connection: Connection): Promise<PersonRecord> {
  return { ...person, status: (await hasSignedIn(connection, person.id)) ? 'active' : 'invited' };
}

export function personNotFound(): Problem {
  return new Problem('person_not_found', 'There is no person with this id.');
}
