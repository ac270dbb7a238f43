import { afterCommit } from '../database/enclosure.ts';
import { inTransaction } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import {
  countRecoveryCodes,
  deletePasskey,
  listPasskeys,
  type PasskeyRecord,
  renamePasskey,
  replaceRecoveryCodes,
} from './passkey-store.ts';
import { keepPasskey, type MadePasskey, requireRoomFor } from './passkeys.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import type { PeopleRoom } from './room.ts';
import { endOtherSessions } from './session-store.ts';
import { forget } from './sessions.ts';
import { signInRefused } from './sign-in.ts';
import { lockPerson } from './store.ts';

/** What a person does with its own ways in. */

/** @throws Problem limit_exceeded, sign_in_refused */
export async function addPasskey(room: PeopleRoom, personId: string, made: MadePasskey): Promise<void> {
  await inTransaction(room.pool, async (connection) => {
    const person = await lockPerson(connection, personId);
    if (person?.status !== 'active') throw signInRefused();
    // Another one may have been made since this one was asked for.
    requireRoomFor(await listPasskeys(connection, personId));
    await keepPasskey(connection, personId, made, room.realClock.now());
  });
}

/** @throws Problem passkey_not_found */
export async function rename(
  room: PeopleRoom,
  of: Pick<PasskeyRecord, 'id' | 'personId' | 'name'>,
): Promise<PasskeyRecord> {
  const renamed = await inTransaction(room.pool, (connection) => renamePasskey(connection, of));
  if (renamed === undefined) throw passkeyNotFound();
  return renamed;
}

/**
 * Removes a passkey, and ends the other sessions of the person: one of them may be of whoever has the passkey now.
 * @param hasOtherWay persons can sign in with the provider too
 * @throws Problem passkey_not_found, last_passkey
 */
export async function removePasskey(
  room: PeopleRoom,
  passkeyId: string,
  session: { readonly id: string; readonly personId: string },
  hasOtherWay: boolean,
): Promise<void> {
  const { personId } = session;
  const ended = await inTransaction(room.pool, async (connection) => {
    await lockPerson(connection, personId);
    if (!(await deletePasskey(connection, passkeyId, personId))) throw passkeyNotFound();
    const isLast = (await listPasskeys(connection, personId)).length === 0;
    if (isLast && !hasOtherWay && (await countRecoveryCodes(connection, personId)) === 0)
      throw new Problem(
        'last_passkey',
        'It is your only way to sign in. First add another passkey, or create recovery codes.',
      );
    return endOtherSessions(connection, session, room.realClock.now());
  });
  await afterCommit(() => forget(room, ended));
}

/** In place of those that there were. @returns the codes, which nobody sees again */
export async function renewRecoveryCodes(room: PeopleRoom, personId: string): Promise<readonly string[]> {
  const { codes, hashes } = newRecoveryCodes(room.isSandbox);
  await inTransaction(room.pool, async (connection) => {
    await lockPerson(connection, personId);
    await replaceRecoveryCodes(connection, personId, hashes, room.realClock.now());
  });
  return codes;
}

function passkeyNotFound(): Problem {
  return new Problem('passkey_not_found', 'You have no such passkey.');
}
