import type { FastifyRequest } from 'fastify';
import { type Act, acting } from '../database/acting.ts';
import type { Connection } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { cookieValue, SESSION_COOKIE } from './cookies.ts';
import { READY_PERSONS } from './ready-persons.ts';
import type { PeopleRoom } from './room.ts';
import type { SignInMethod } from './session-store.ts';
import { hashOfSecret, refreshSession, type StartedSession, startSession } from './sessions.ts';
import { activatePerson, findPersonByEmail, lockPerson, type PersonRecord } from './store.ts';

/** The browser that signs in. */
export type Browser = Pick<FastifyRequest, 'id' | 'ip' | 'url' | 'headers'> &
  Partial<Pick<FastifyRequest, 'claimedPersonId'>>;

/** The live session that a browser has held when it began to sign in. */
export interface HeldBefore {
  readonly session: { readonly id: string; readonly personId: string };
  readonly hash: Buffer;
}

/** What a browser does outside of the operations is on the audit trail too, in the commit of what it changes. */
export async function actingInBrowser<T>(
  { id, ip, url }: Browser,
  what: Pick<Act, 'kind' | 'operation'>,
  who: Pick<Act, 'actorId' | 'tokenId'> | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { result } = await acting(
    {
      ...what,
      ...(who === undefined ? { actor: 'service' } : { actor: 'person', personId: who.actorId, ...who }),
      resource: url.split('?', 1)[0] ?? url,
      subjects: who?.actorId === undefined ? [] : [who.actorId],
      outcome: 'done',
      address: ip,
      requestId: id,
    },
    work,
  );
  return result;
}

interface Proven {
  /** When somebody was asked who it is. Default: now. */
  readonly authenticatedAt?: number;
  /** Whether what has proved who it is counts still, asked in the commit of the session. Default: it always does. */
  readonly counts?: (connection: Connection) => Promise<boolean>;
}

/**
 * What comes of a proof of who somebody is: a session, or the present one with another secret where the same person has
 * signed in again. Whoever takes a way in from the person at the same time ends this session too, or finds that there is none.
 * @param held the live session of the browser
 * @throws Problem sign_in_refused for somebody who may not act
 */
export async function signIn(
  room: PeopleRoom,
  person: PersonRecord,
  method: SignInMethod,
  browser: Browser,
  held: HeldBefore | undefined,
  { authenticatedAt = room.realClock.now(), counts }: Proven = {},
): Promise<StartedSession> {
  browser.claimedPersonId = person.id;
  if (!mayAct(person)) throw signInRefused();
  const stillMay = async (connection: Connection): Promise<void> => {
    if (!mayAct(await lockPerson(connection, person.id))) throw signInRefused();
    if (counts !== undefined && !(await counts(connection))) throw signInRefused();
  };
  const act = { kind: 'sign_in', operation: `auth:${method}` } as const;
  if (held !== undefined && held.session.personId === person.id) {
    const { session, hash } = held;
    const refreshed = await actingInBrowser(browser, act, { actorId: person.id, tokenId: session.id }, () =>
      refreshSession(room, session, hash, authenticatedAt, stillMay),
    );
    // It may have ended while the person showed who it is, or by that: other groups have other roles.
    if (refreshed !== undefined) return refreshed;
  }
  const userAgent = browser.headers['user-agent'];
  const before = held === undefined ? heldBy(browser) : { id: held.session.id };
  const signedIn = { personId: person.id, method, address: browser.ip, userAgent, authenticatedAt };
  return actingInBrowser(browser, act, { actorId: person.id }, () =>
    startSession(room, signedIn, before, async (connection) => {
      await stillMay(connection);
      await activatePerson(connection, person.id, room.realClock.now());
    }),
  );
}

/** Whether somebody may come in: who is invited becomes active by it. */
export function mayAct(person: PersonRecord | undefined): person is PersonRecord {
  return person?.status === 'active' || person?.status === 'invited';
}

/** Whatever the browser shows as a session, alive or not. */
export function heldBy({ headers }: Browser): { readonly secretHash: Buffer } | undefined {
  const secret = cookieValue(headers.cookie, SESSION_COOKIE);
  const secretHash = typeof secret === 'string' ? hashOfSecret(secret) : undefined;
  return secretHash && { secretHash };
}

/**
 * In a sandbox anybody is whom it says it is. Nowhere else does this let anybody in, whatever calls it.
 * @throws Problem sign_in_refused
 */
export async function signInAsReadyPerson(
  room: PeopleRoom,
  email: string,
  browser: Browser,
  held: HeldBefore | undefined,
): Promise<StartedSession> {
  const isReady = READY_PERSONS.some((person) => person.email === email);
  const person = room.isSandbox && isReady ? await findPersonByEmail(room.pool, email) : undefined;
  if (person === undefined) throw signInRefused();
  return signIn(room, person, 'sandbox', browser, held);
}

/** One answer to all that is wrong: who is guessing learns nothing. */
export function signInRefused(detail = 'The sign-in was refused.', cause?: unknown): Problem {
  return new Problem('sign_in_refused', detail, { cause });
}

/** For whatever was wrong with an answer; the log says what. */
export const signInFailed = (cause: unknown): Problem =>
  signInRefused('The sign-in failed. Try again.', cause);

/**
 * What a browser or a provider has said, looked at by a library whose errors have their words in them: those must not be taken for
 * the words of the database.
 */
export async function notOurs<T>(work: Promise<T>, refusal: (cause: unknown) => Problem): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw refusal(error);
  }
}

/** What the log says of a sign-in that was refused. */
export function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof Problem ? error : {};
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : 'unknown';
}

/**
 * Where a browser is sent after a sign-in: a path of this service, and never another site.
 * @param wanted as the address of the page said
 */
export function returnPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > 500 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted))
    return SIGN_IN_PATH;
  const path = wanted.includes('\\') ? undefined : pathHere(wanted);
  // Without its steps a path may begin with two slashes, and then leads elsewhere: `/.//there`.
  return path !== undefined && pathHere(path) === path ? path : SIGN_IN_PATH;
}

/** Without steps such as `/../`; undefined for an address of another site. */
function pathHere(address: string): string | undefined {
  const here = 'https://firmquote.invalid';
  const url = URL.canParse(address, here) ? new URL(address, here) : undefined;
  return url?.origin === here ? `${url.pathname}${url.search}` : undefined;
}

export const SIGN_IN_PATH = '/login';
