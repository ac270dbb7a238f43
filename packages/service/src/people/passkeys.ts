import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { type Act, recordAct } from '../database/acting.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { insertAttempt, takeAttempt } from './attempt-store.ts';
import {
  findPasskey,
  hasPasskey,
  insertPasskey,
  listPasskeys,
  notePasskeyUse,
  notifyOfSignIn,
  type PasskeyRecord,
} from './passkey-store.ts';
import type { PeopleRoom } from './room.ts';
import { newSecret } from './sessions.ts';
import { type Browser, notOurs, signInFailed, signInRefused } from './sign-in.ts';
import type { PersonRecord } from './store.ts';

/** Time in which a browser has to answer. */
const ANSWER_MS = 5 * 60_000; // limit: Time to use a passkey after it was asked for
const PASSKEYS_MAX = 20; // limit: Passkeys of a person
const NAME_MAX = 100;
/** ES256, EdDSA and RS256, which is what authenticators have. */
const ALGORITHMS = [-7, -8, -257];

/** Where passkeys are good. */
export interface PasskeyPlace {
  /** The name that they are bound to. */
  readonly rpId: string;
  readonly origins: readonly string[];
}

/** What a browser is asked to sign or to make, and what it has to show when it comes back. */
export interface Asked {
  readonly options: object;
  /** For the cookie: the answer counts in this browser alone. */
  readonly browser: string;
}

/** A passkey that a browser has just made. */
export interface MadePasskey {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly name: string;
}

/** What a browser was asked for. A challenge that was made for one is none for another. */
type Purpose = 'sign-in' | 'invitation' | 'recovery' | 'another';

/** It is large, and most processes never need it. */
const webauthn = () => import('@simplewebauthn/server');

/** Asks for any passkey of anybody, or of the person who signs in again. */
export async function askForPasskey(room: PeopleRoom, personId: string | undefined): Promise<Asked> {
  const { generateAuthenticationOptions } = await webauthn();
  const { rpId } = placeOf(room);
  const { challenge, browser } = await beginAttempt(room, 'sign-in', {});
  const known = personId === undefined ? [] : await listPasskeys(room.pool, personId);
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge,
    timeout: ANSWER_MS,
    userVerification: 'required',
    allowCredentials: known.map(descriptorOf),
  });
  return { options, browser };
}

/**
 * The passkey that has signed, with whose it is.
 * @throws Problem passkey_copied
 * @throws whatever is wrong with the answer
 */
export async function signedPasskey(
  room: PeopleRoom,
  answer: unknown,
  cookie: string | null | undefined,
  browser: Browser,
): Promise<Pick<PasskeyRecord, 'id' | 'personId'>> {
  const { verifyAuthenticationResponse } = await webauthn();
  const { challenge } = await takeChallenge(room, 'sign-in', answer, cookie);
  const response = answer as AuthenticationResponseJSON;
  const passkey = await findPasskey(room.pool, Buffer.from(response.id, 'base64url'));
  if (passkey === undefined) throw new Error('unknown passkey');
  // Whose it is stands in the passkey too: one of another person is no way into this one.
  if (response.response.userHandle !== userHandle(passkey.personId))
    throw new Error('the passkey belongs to another person');
  const { rpId, origins } = placeOf(room);
  const { verified, authenticationInfo } = await notOurs(
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: true,
      // The count is compared where it is written, so that two answers at once cannot both be the next.
      credential: { id: response.id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    }),
    signInFailed,
  );
  if (!verified) throw new Error('the signature was not made by this passkey');
  const now = room.realClock.now();
  if (await notePasskeyUse(room.pool, passkey.id, authenticationInfo.newCounter, now)) return passkey;
  if (!(await hasPasskey(room.pool, passkey.id))) throw new Error('the passkey was removed meanwhile');
  await raiseAlarm(room, passkey, browser, now);
  throw new Problem(
    'passkey_copied',
    'The signature count of the passkey went back: there may be a copy of it. Sign in another way, and remove it.',
  );
}

/** Whoever it was has the key: the person and others have to hear of it. */
async function raiseAlarm(
  { pool, clockOffsetMs }: PeopleRoom,
  { id, personId }: PasskeyRecord,
  { id: requestId, ip: address }: Browser,
  now: number,
): Promise<void> {
  const act: Act = {
    kind: 'refusal',
    operation: 'auth:passkey',
    resource: '/auth/passkey',
    subjects: [personId, id],
    outcome: 'passkey_copied',
    actor: 'unknown',
    address,
    requestId,
  };
  await inTransaction(pool, async (connection) => {
    await notifyOfSignIn(connection, personId, 'copied_passkey', now + clockOffsetMs());
    await recordAct(connection, act, {});
  });
}

/**
 * Asks for a new passkey of a person.
 * @param known what the answer is held against, beside who it is
 */
export async function askForNewPasskey(
  room: PeopleRoom,
  purpose: Exclude<Purpose, 'sign-in'>,
  person: Pick<PersonRecord, 'id' | 'email' | 'name'>,
  known: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  const { generateRegistrationOptions } = await webauthn();
  const { rpId } = placeOf(room);
  const has = await listPasskeys(room.pool, person.id);
  if (purpose === 'another') requireRoomFor(has);
  const { challenge, browser } = await beginAttempt(room, purpose, { ...known, personId: person.id });
  const options = await generateRegistrationOptions({
    rpName: 'Firmquote',
    rpID: rpId,
    userID: new Uint8Array(Buffer.from(person.id.replaceAll('-', ''), 'hex')),
    userName: person.email,
    userDisplayName: person.name,
    challenge,
    timeout: ANSWER_MS,
    attestationType: 'none',
    // After an invitation those that there were are nothing any more.
    excludeCredentials: purpose === 'invitation' ? [] : has.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { options, browser };
}

/**
 * For one more. Who comes in by an invitation or a recovery code gets one in any case: it may be the only way in.
 * @param has those of the person
 * @throws Problem limit_exceeded
 */
export function requireRoomFor(has: readonly PasskeyRecord[]): void {
  if (has.length < PASSKEYS_MAX) return;
  throw new Problem('limit_exceeded', `A person has at most ${PASSKEYS_MAX} passkeys. Remove one first.`, {
    members: { limitType: 'passkeys', limit: PASSKEYS_MAX, used: has.length },
  });
}

/** What a browser has made, with what it was asked with. @throws whatever is wrong with the answer */
export async function newPasskeyOf(
  room: PeopleRoom,
  purpose: Exclude<Purpose, 'sign-in'>,
  { answer, name }: { readonly answer: unknown; readonly name: unknown },
  browser: string | null | undefined,
): Promise<{ readonly passkey: MadePasskey; readonly known: Readonly<Record<string, string>> }> {
  const { verifyRegistrationResponse } = await webauthn();
  const { challenge, known } = await takeChallenge(room, purpose, answer, browser);
  const { rpId, origins } = placeOf(room);
  const response = answer as RegistrationResponseJSON;
  const { verified, registrationInfo } = await notOurs(
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
    signInFailed,
  );
  if (!verified) throw new Error('the passkey does not match its request');
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const passkey = {
    credentialId: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(publicKey),
    signCount: counter,
    transports: transports.filter((each) => /^[a-z-]{1,20}$/.test(each)).slice(0, 10),
    name: nameOf(name),
  };
  return { passkey, known };
}

/** @throws Problem sign_in_refused where somebody has it already */
export async function keepPasskey(
  connection: Connection,
  personId: string,
  made: MadePasskey,
  now: number,
): Promise<void> {
  if (!(await insertPasskey(connection, { ...made, id: newUuid(now), personId, createdAt: now })))
    throw signInRefused('The passkey is already in use.');
}

/** The 16 bytes of the id. */
function userHandle(personId: string): string {
  return Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url');
}

function descriptorOf({ credentialId, transports }: PasskeyRecord) {
  return {
    id: credentialId.toString('base64url'),
    // What a browser knows of them, from hints that it has given.
    transports: [...transports] as NonNullable<RegistrationResponseJSON['response']['transports']>,
  };
}

async function beginAttempt(room: PeopleRoom, purpose: Purpose, known: Readonly<Record<string, string>>) {
  const [challenge, browser] = [newSecret(), newSecret()];
  const expiresAt = room.realClock.now() + ANSWER_MS;
  await insertAttempt(room.pool, { state: `${purpose}:${challenge}`, browser }, known, expiresAt);
  return { challenge: new Uint8Array(Buffer.from(challenge, 'base64url')), browser };
}

/** Whatever comes of it, a challenge is good for one answer. */
async function takeChallenge(
  room: PeopleRoom,
  purpose: Purpose,
  answer: unknown,
  browser: string | null | undefined,
): Promise<{ readonly challenge: string; readonly known: Readonly<Record<string, string>> }> {
  const { challenge, crossOrigin } = clientDataOf(answer);
  const known =
    typeof challenge === 'string' && typeof browser === 'string'
      ? await takeAttempt(room.pool, { state: `${purpose}:${challenge}`, browser }, room.realClock.now())
      : undefined;
  if (typeof challenge !== 'string' || known === undefined)
    throw new Error('this browser was given no such challenge, or it has expired');
  if (crossOrigin === true) throw new Error('the page was framed by another site');
  return { challenge, known: JSON.parse(known) as Record<string, string> };
}

function clientDataOf(answer: unknown): { readonly challenge?: unknown; readonly crossOrigin?: unknown } {
  const { clientDataJSON } =
    (answer as { response?: { clientDataJSON?: unknown } } | undefined)?.response ?? {};
  if (typeof clientDataJSON !== 'string') throw new Error('the answer is not from a passkey');
  return JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as object;
}

function placeOf({ passkeys }: PeopleRoom): PasskeyPlace {
  const place = passkeys?.();
  if (place === undefined) throw signInRefused('Passkeys need a host name and TLS.');
  return place;
}

export function nameOf(name: unknown): string {
  const text = typeof name === 'string' ? name.replaceAll(/\p{Cc}+/gu, ' ').trim() : '';
  return text.slice(0, NAME_MAX) || 'Passkey';
}
