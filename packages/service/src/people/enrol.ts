import { hashSecret } from '../authorization/secrets.ts';
import type { Connection } from '../database/pool.ts';
import { personOfInvitation, spendInvitation } from './invitation-store.ts';
import { invitationInvalid } from './invite-person.ts';
import {
  deleteWaysIn,
  notifyOfSignIn,
  personOfRecoveryCode,
  replaceRecoveryCodes,
  spendRecoveryCode,
} from './passkey-store.ts';
import { type Asked, askForNewPasskey, keepPasskey, type MadePasskey, newPasskeyOf } from './passkeys.ts';
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import type { PeopleRoom } from './room.ts';
import { endSessions } from './session-store.ts';
import { forget, type StartedSession, startSession } from './sessions.ts';
import { actingInBrowser, type Browser, heldBy, mayAct, signInRefused } from './sign-in.ts';
import { activatePerson, findPerson, lockPerson, type PersonRecord } from './store.ts';

/** How somebody without a passkey comes to one: a link that invites it, or a recovery code. Either is used up with it. */

/** What a page sends with the passkey that was made. */
interface Enrolment {
  readonly answer: unknown;
  readonly name: unknown;
}

/** @throws Problem invitation_invalid, sign_in_refused */
export async function beginWithInvitation(
  room: PeopleRoom,
  secret: string,
): Promise<Asked & { readonly person: PersonRecord }> {
  const hash = hashSecret(secret);
  const id = await personOfInvitation(room.pool, hash, room.realClock.now());
  const person = id === undefined ? undefined : await findPerson(room.pool, id);
  if (!mayAct(person)) throw invitationInvalid();
  const asked = await askForNewPasskey(room, 'invitation', person, { hash: hash.toString('hex') });
  return { ...asked, person };
}

/**
 * Takes an invitation up: the passkey is the only one from now on, and all sessions that there were end.
 * @returns the recovery codes, which nobody sees again
 */
export async function takeInvitation(
  room: PeopleRoom,
  enrolment: Enrolment,
  browser: Browser,
  cookie: string | null | undefined,
): Promise<{ readonly started: StartedSession; readonly recoveryCodes: readonly string[] }> {
  const { passkey, known } = await newPasskeyOf(room, 'invitation', enrolment, cookie);
  const { codes, hashes } = newRecoveryCodes(room.isSandbox);
  const started = await enrol(room, 'invitation', passkey, known, browser, async (connection, now) => {
    const { personId = '', hash = '' } = known;
    if (!(await spendInvitation(connection, Buffer.from(hash, 'hex'), personId, now)))
      throw invitationInvalid();
    await deleteWaysIn(connection, personId);
    await replaceRecoveryCodes(connection, personId, hashes, now);
  });
  return { started, recoveryCodes: codes };
}

/** @throws Problem sign_in_refused: an unknown code, a used one and one of somebody who may not act are answered alike */
export async function beginWithRecoveryCode(room: PeopleRoom, typed: string): Promise<Asked> {
  const hash = hashOfRecoveryCode(typed);
  const id = hash && (await personOfRecoveryCode(room.pool, hash));
  const person = id === undefined ? undefined : await findPerson(room.pool, id);
  if (hash === undefined || !mayAct(person))
    throw signInRefused('The recovery code is unknown, or was used before.');
  return askForNewPasskey(room, 'recovery', person, { hash: hash.toString('hex') });
}

/** Uses a recovery code up for a new passkey. All sessions that there were end, and operators are notified. */
export async function recover(
  room: PeopleRoom,
  enrolment: Enrolment,
  browser: Browser,
  cookie: string | null | undefined,
): Promise<StartedSession> {
  const { passkey, known } = await newPasskeyOf(room, 'recovery', enrolment, cookie);
  return enrol(room, 'recovery_code', passkey, known, browser, async (connection, now) => {
    const { personId = '', hash = '' } = known;
    if (!(await spendRecoveryCode(connection, Buffer.from(hash, 'hex'), personId, now)))
      throw signInRefused('The recovery code was used before.');
  });
}

/** In one commit: what lets the person in is used up, the passkey is kept, earlier sessions end, and one begins. */
async function enrol(
  room: PeopleRoom,
  method: 'invitation' | 'recovery_code',
  passkey: MadePasskey,
  { personId = '' }: Readonly<Record<string, string>>,
  browser: Browser,
  spend: (connection: Connection, now: number) => Promise<void>,
): Promise<StartedSession> {
  const now = room.realClock.now();
  let ended: readonly Buffer[] = [];
  const before = heldBy(browser);
  const userAgent = browser.headers['user-agent'];
  const signedIn = { personId, method, address: browser.ip, userAgent, authenticatedAt: now };
  const act = { kind: 'sign_in', operation: `auth:${method}` } as const;
  const started = await actingInBrowser(browser, act, { actorId: personId }, () =>
    startSession(room, signedIn, before, async (connection) => {
      const person = await lockPerson(connection, personId);
      if (!mayAct(person)) throw signInRefused();
      await spend(connection, now);
      await keepPasskey(connection, personId, passkey, now);
      ended = await endSessions(connection, { personId }, now);
      await activatePerson(connection, personId, now);
      await notifyOfSignIn(connection, personId, method, now + room.clockOffsetMs());
    }),
  );
  forget(room, ended);
  return started;
}
