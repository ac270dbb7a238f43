import { hash, randomBytes } from 'node:crypto';
import { scopesOfRoles } from '../authorization/roles.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import type { PeopleRoom } from './room.ts';
import {
  endSessions,
  insertSession,
  type LiveSession,
  noteUse,
  readSession,
  renewSession,
  type SessionRecord,
  type SignInMethod,
} from './session-store.ts';

/** When sessions end, and how long a sign-in is good for what moves money. Milliseconds. */
export interface SessionRules {
  readonly idleMs: number;
  readonly lastsMs: number;
  readonly freshMs: number;
}

/** A session with what the browser gets to hold: 256 random bits, of which only the hash is kept. */
export interface StartedSession {
  readonly id: string;
  readonly secret: string;
}

interface SignedIn {
  readonly personId: string;
  readonly method: SignInMethod;
  readonly address: string;
  readonly userAgent: string | undefined;
  /** When somebody was asked who it is; a provider may know it for longer. */
  readonly authenticatedAt: number;
}

/** How often it is noted that a session is in use, at most. */
const USE_NOTED_EVERY_MS = 60_000;
/** And how often while it may be idle: what is in use must not look idle between two notes. */
const NOTES_WHILE_IDLE = 20;
const USER_AGENT_MAX = 300;
const SECRET_FORM = /^[A-Za-z0-9_-]{43}$/;

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** @returns undefined where the text cannot be what a browser was given */
export function hashOfSecret(secret: string): Buffer | undefined {
  return SECRET_FORM.test(secret) ? secretHash(secret) : undefined;
}

/** What pages send along with changes. Only who holds the session can make it, and another session has another one. */
export function csrfToken(secret: string): string {
  return hash('sha256', `csrf:${secret}`, 'base64url');
}

/**
 * Begins a session. Whatever the browser held before is worth nothing from now on: nobody can give somebody a session to sign
 * in to.
 * @param before the session that the browser held
 * @param along what else belongs into the commit, such as that an invitation is used up
 */
export async function startSession(
  room: PeopleRoom,
  signedIn: SignedIn,
  before: { readonly id: string } | { readonly secretHash: Buffer } | undefined,
  along?: (connection: Connection) => Promise<unknown>,
): Promise<StartedSession> {
  const now = room.realClock.now();
  const secret = newSecret();
  const id = newUuid(now);
  const ended = await inTransaction(room.pool, async (connection) => {
    await along?.(connection);
    await insertSession(connection, {
      id,
      personId: signedIn.personId,
      secretHash: secretHash(secret),
      method: signedIn.method,
      startedAt: now,
      lastUsedAt: now,
      authenticatedAt: Math.min(signedIn.authenticatedAt, now),
      endsAt: now + room.rules.lastsMs,
      endedAt: null,
      address: signedIn.address,
      userAgent: signedIn.userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    });
    return before === undefined ? [] : endSessions(connection, before, now);
  });
  forget(room, ended);
  return { id, secret };
}

/**
 * The same person has signed in again, for what takes a fresh sign-in: the session goes on with another secret.
 * @param along what else belongs into the commit
 * @returns undefined when it has ended meanwhile, or goes on with another secret already
 */
export async function refreshSession(
  room: PeopleRoom,
  session: Pick<SessionRecord, 'id' | 'personId'>,
  oldHash: Buffer,
  authenticatedAt: number,
  along: (connection: Connection) => Promise<unknown>,
): Promise<StartedSession | undefined> {
  const secret = newSecret();
  const now = room.realClock.now();
  const renewal = { ...session, oldHash, newHash: secretHash(secret), authenticatedAt, now };
  const renewed = await inTransaction(room.pool, async (connection) => {
    await along(connection);
    return renewSession(connection, renewal);
  });
  if (!renewed) return undefined;
  forget(room, [oldHash]);
  return { id: session.id, secret };
}

/** Ends sessions, at once on this instance and within seconds on others. @returns how many */
export async function end(
  room: PeopleRoom,
  which: { readonly id?: string; readonly personId?: string; readonly secretHash?: Buffer },
): Promise<number> {
  const now = room.realClock.now();
  const hashes = await inTransaction(room.pool, (connection) => endSessions(connection, which, now));
  forget(room, hashes);
  return hashes.length;
}

/** After the commit: an answer that was read before it is not kept. */
export function forget({ live }: PeopleRoom, hashes: readonly Buffer[]): void {
  for (const each of hashes) live.invalidate(each.toString('base64url'));
}

/** Reads what requests need to know of a session, and notes once a minute or more often that it is in use: by requests, not by what they left open. */
export async function loadSession(room: PeopleRoom, key: Buffer): Promise<LiveSession | undefined> {
  const usedAt = room.used.take(key.toString('base64url'));
  const read = await readSession(room.pool, key);
  if (read === undefined) return undefined;
  const session = { ...read, scopes: new Set(await scopesOfRoles(room.pool, read.roles)) };
  if (usedAt === undefined || !isAlive(room, session, usedAt)) return session;
  const notedEveryMs = Math.min(USE_NOTED_EVERY_MS, room.rules.idleMs / NOTES_WHILE_IDLE);
  if (usedAt - session.lastUsedAt < notedEveryMs) return session;
  await noteUse(room.pool, session.id, usedAt);
  return { ...session, lastUsedAt: usedAt };
}

/** Whether the session still counts, and its person may act. */
export function isAlive({ rules }: Pick<PeopleRoom, 'rules'>, session: LiveSession, now: number): boolean {
  return (
    session.endedAt === null &&
    now < session.endsAt &&
    now - session.lastUsedAt < rules.idleMs &&
    session.personStatus === 'active'
  );
}

export function sessionEnded(): Problem {
  return notSignedIn('token_expired', 'The session has ended. Sign in again.');
}

export function sessionNotFound(): Problem {
  return new Problem('session_not_found', 'There is no session with this id, or it has ended.');
}

/** RFC 9110 §15.5.2: whoever is refused so learns what would be accepted. */
export function notSignedIn(
  code: 'token_missing' | 'token_invalid' | 'token_expired',
  detail: string,
): Problem {
  return new Problem(code, detail, { headers: { 'WWW-Authenticate': 'Bearer realm="firmquote"' } });
}
