import { requireRights } from '../authorization/rights.ts';
import { requireGivableRoles, scopesOfRoles } from '../authorization/roles.ts';
import { generateSecret, hashSecret } from '../authorization/secrets.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import type { Caller } from '../http/context.ts';
import { newPersonId, newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { personNotFound } from './change-person.ts';
import { emailOf, ensurePerson } from './ensure-person.ts';
import { insertInvitation, withdrawInvitation } from './invitation-store.ts';
import type { PeopleRoom } from './room.ts';
import { endSessions } from './session-store.ts';
import { findPerson, insertPerson, lockPerson, type PersonRecord, updatePerson } from './store.ts';

/** A person, with the link by which it makes its first passkey. */
export interface Invited {
  readonly person: PersonRecord;
  /** Shown this once. Undefined where persons sign in with the provider alone, or the link was shown before. */
  readonly link: string | undefined;
}

interface Invitee {
  readonly email: string;
  readonly name?: string | undefined;
  readonly roles: readonly string[];
}

type Inviting = Pick<PeopleRoom, 'pool' | 'realClock' | 'isSandbox' | 'passkeys' | 'invitationMs'>;

/** Page that a link leads to. The secret stands behind the `#`, which no browser sends. */
export const INVITATION_PATH = '/login/invitation';

/**
 * Invites somebody new.
 * @param shownHash of the link that a second person has approved
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem validation_failed, insufficient_scope, already_exists
 */
export function invitePerson(
  room: Inviting,
  invitee: Invitee,
  by: Caller,
  shownHash?: Buffer,
  inCommit?: (connection: Connection, invited: Invited) => Promise<void>,
): Promise<Invited> {
  const now = room.realClock.now();
  return inTransaction(room.pool, async (connection) => {
    await requireGivableRoles(connection, actorOf(by), invitee.roles);
    const email = emailOf(invitee.email);
    const { name = email, roles } = invitee;
    const id = newPersonId(now);
    const made = { id, email, name, status: 'invited', roles, createdAt: now, updatedAt: now } as const;
    if (!(await insertPerson(connection, { ...made, invitationEndsAt: null }))) {
      throw new Problem(
        'already_exists',
        'A person with this address exists. Set their roles, or renew their invitation.',
      );
    }
    const invited = await withNewLink(room, connection, id, by.actor.id, shownHash);
    await inCommit?.(connection, invited);
    return invited;
  });
}

/**
 * Gives somebody who is known another link, instead of the one before. Who has lost all passkeys comes back with it: it replaces
 * them, so whoever orders it must be able to do what the person can.
 * @throws Problem person_not_found, own_client, insufficient_scope, invalid_state_transition
 */
export function renewInvitation(
  room: Inviting,
  personId: string,
  by: Caller,
  shownHash?: Buffer,
  inCommit?: (connection: Connection, invited: Invited) => Promise<void>,
): Promise<Invited> {
  if (room.passkeys?.() === undefined)
    throw new Problem(
      'invalid_state_transition',
      'People sign in through the identity provider and need no link.',
    );
  return inTransaction(room.pool, async (connection) => {
    const person = await lockPerson(connection, personId);
    if (person === undefined || person.status === 'ended') throw personNotFound();
    if (by.personId === personId)
      throw new Problem(
        'own_client',
        'You cannot invite yourself. Ask another operator, or use a recovery code.',
      );
    requireRights(actorOf(by), await scopesOfRoles(connection, person.roles));
    if (person.status === 'suspended') throw personSuspended();
    const invited = await withNewLink(room, connection, personId, by.actor.id, shownHash);
    await inCommit?.(connection, invited);
    return invited;
  });
}

/** @throws Problem person_not_found, invitation_invalid */
export async function endInvitation(
  { pool, realClock }: Pick<PeopleRoom, 'pool' | 'realClock'>,
  personId: string,
): Promise<void> {
  const ended = await inTransaction(pool, (connection) =>
    withdrawInvitation(connection, personId, realClock.now()),
  );
  if (!ended) throw invitationInvalid('The person has no invitation to withdraw.');
}

/**
 * Makes somebody known, with roles; of somebody who is known it sets them, and either way there is a new link. For the house itself:
 * how its first person comes.
 * @throws Problem validation_failed, invalid_state_transition
 */
export function inviteFirst(room: Inviting, invitee: Invitee): Promise<Invited> {
  const now = room.realClock.now();
  return inTransaction(room.pool, async (connection) => {
    await requireGivableRoles(connection, undefined, invitee.roles);
    const { id } = await ensurePerson(connection, invitee, now);
    const known = await lockPerson(connection, id);
    if (known === undefined || known.status === 'ended') throw personNotFound();
    if (known.status === 'suspended') throw personSuspended();
    const person = { ...known, name: invitee.name ?? known.name, roles: invitee.roles, updatedAt: now };
    await updatePerson(connection, person);
    await endSessions(connection, { personId: person.id }, now);
    return withNewLink(room, connection, person.id, undefined, undefined);
  });
}

async function withNewLink(
  { realClock, isSandbox, passkeys, invitationMs }: Inviting,
  connection: Connection,
  personId: string,
  invitedBy: string | undefined,
  shownHash: Buffer | undefined,
): Promise<Invited> {
  const place = passkeys?.();
  let link: string | undefined;
  if (place !== undefined) {
    const now = realClock.now();
    const secret = generateSecret(isSandbox, 'i');
    if (shownHash === undefined) link = `${place.origins[0]}${INVITATION_PATH}#${secret}`;
    await withdrawInvitation(connection, personId, now);
    await insertInvitation(connection, {
      id: newUuid(now),
      personId,
      secretHash: shownHash ?? hashSecret(secret),
      invitedBy: invitedBy ?? null,
      createdAt: now,
      expiresAt: now + invitationMs,
    });
  }
  const person = await findPerson(connection, personId);
  if (person === undefined) throw personNotFound();
  return { person, link };
}

function actorOf({ actor, scopes }: Caller) {
  return { clientId: actor.id, scopes };
}

/** A link lets in only who may act. */
function personSuspended(): Problem {
  return new Problem('invalid_state_transition', 'The person is suspended.', {
    members: { from: 'suspended', to: 'invited' },
  });
}

/** One answer to a link that is used, withdrawn, too old or none. */
export function invitationInvalid(
  detail = 'The link was used or withdrawn, or has expired. Ask for another one.',
): Problem {
  return new Problem('invitation_invalid', detail);
}
