import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SessionAccess, SessionRequest } from '../http/access.ts';
import type { Caller } from '../http/context.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { cookieValue, SESSION_COOKIE } from './cookies.ts';
import type { PeopleRoom } from './room.ts';
import type { LiveSession } from './session-store.ts';
import { csrfToken, hashOfSecret, isAlive, notSignedIn, sessionEnded } from './sessions.ts';

/** A session with what its browser holds. */
export interface HeldSession {
  readonly session: LiveSession;
  readonly secret: string;
  /** Of the secret. */
  readonly hash: Buffer;
}

const READS = new Set(['GET', 'HEAD']);
/** For what everybody may do who has signed in. */
const OWN_SCOPE = 'operator:self';
const SANDBOX_SCOPE = 'operator:sandbox';

/** Who calls with the cookie of a session instead of a token. */
export class SessionAuthenticator implements SessionAccess {
  readonly #room: PeopleRoom;
  readonly #callers = new WeakMap<LiveSession, Caller>();

  constructor(room: PeopleRoom) {
    this.#room = room;
  }

  authenticate(request: SessionRequest, rechecked?: 'rechecked'): Caller | Promise<Caller> | undefined {
    const held = this.held(request, rechecked);
    if (held === undefined) return undefined;
    const { headers, method } = request;
    if (headers.authorization !== undefined)
      throw notSignedIn('token_invalid', 'Send an access token or a session cookie, not both.');
    const admitted = ({ session, secret }: HeldSession) => {
      if (!READS.has(method)) requireOwnPage(headers, secret, this.#room.origins());
      return this.#callerOf(session);
    };
    return held instanceof Promise ? held.then(admitted) : admitted(held);
  }

  /**
   * The live session that a browser holds; undefined where it shows none. It is used thereby, unless a request is looked at again.
   * @throws Problem token_invalid, token_expired
   */
  held(
    request: Omit<SessionRequest, 'method'>,
    rechecked?: 'rechecked',
  ): HeldSession | Promise<HeldSession> | undefined {
    const secret = cookieValue(request.headers.cookie, SESSION_COOKIE);
    if (secret === undefined) return undefined;
    const key = secret === null ? undefined : hashOfSecret(secret);
    if (secret === null || key === undefined)
      throw notSignedIn('token_invalid', 'The session cookie is not from this service.');
    const alive = (session: LiveSession | undefined): HeldSession => {
      if (session === undefined)
        throw notSignedIn('token_invalid', 'There is no such session. Sign in again.');
      request.claimedPersonId = session.personId;
      if (!isAlive(this.#room, session, this.#room.realClock.now())) throw sessionEnded();
      return { session, secret, hash: key };
    };
    const { live, used, realClock } = this.#room;
    const name = key.toString('base64url');
    if (rechecked === undefined) used.add(name, realClock.now());
    const state = live.get(name);
    return state instanceof Promise ? state.then(alive) : alive(state);
  }

  /** @throws Problem fresh_sign_in_required, for persons alone: a program has nobody to sign in */
  requireFresh({ actor, authenticatedAt }: Pick<Caller, 'actor' | 'authenticatedAt'>): void {
    if (actor.kind !== 'person') return;
    const { realClock, rules } = this.#room;
    const age = realClock.now() - (authenticatedAt ?? 0);
    if (age >= 0 && age < rules.freshMs) return;
    const seconds = Math.floor(rules.freshMs / 1000);
    throw new Problem(
      'fresh_sign_in_required',
      `This needs a sign-in that is at most ${Math.round(seconds / 60)} minutes old.`,
      {
        members: { signedInAt: isoInstant(authenticatedAt ?? 0), maxAgeSeconds: seconds },
      },
    );
  }

  #callerOf(session: LiveSession): Caller {
    let caller = this.#callers.get(session);
    if (caller === undefined) {
      caller = {
        actor: { kind: 'person', id: session.personId },
        personId: session.personId,
        tokenId: session.id,
        authenticatedAt: session.authenticatedAt,
        customerId: undefined,
        scopes: new Set([...scopesIn(this.#room, session), OWN_SCOPE]),
      };
      this.#callers.set(session, caller);
    }
    return caller;
  }
}

/** Of the roles; in a sandbox everybody may move the simulated world, which production does not have. */
export function scopesIn({ isSandbox }: Pick<PeopleRoom, 'isSandbox'>, session: LiveSession): Set<string> {
  return new Set([...session.scopes, ...(isSandbox ? [SANDBOX_SCOPE] : [])]);
}

/**
 * A browser sends the cookie along whoever makes it do so. What changes something must come from a page of this service, and
 * carry what only such a page can read.
 * @param given what the page sends along; forms have it in their body
 * @throws Problem cross_site_request
 */
export function requireOwnPage(
  headers: IncomingHttpHeaders,
  secret: string,
  origins: readonly string[],
  given: unknown = headers['x-csrf-token'],
): void {
  requireOwnOrigin(headers, origins);
  if (typeof given !== 'string' || !isEqualInConstantTime(given, csrfToken(secret)))
    throw new Problem('cross_site_request', 'Send the csrfToken of the session as X-CSRF-Token.');
}

/** Browsers say where a request comes from, in one way or the other, and pages cannot change what they say. */
export function requireOwnOrigin(
  { origin, ...headers }: IncomingHttpHeaders,
  origins: readonly string[],
): void {
  const site = headers['sec-fetch-site'];
  const isOwn =
    (origin !== undefined || site !== undefined) &&
    (origin === undefined || origins.includes(origin)) &&
    (site === undefined || site === 'same-origin');
  if (!isOwn)
    throw new Problem('cross_site_request', 'The request does not come from a page of this service.');
}

function isEqualInConstantTime(a: string, b: string): boolean {
  const [one, two] = [Buffer.from(a), Buffer.from(b)];
  return one.length === two.length && timingSafeEqual(one, two);
}
