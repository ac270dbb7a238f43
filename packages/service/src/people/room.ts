import type { FastifyInstance } from 'fastify';
import { unknownRoles } from '../authorization/roles.ts';
import type { ProviderSettings } from '../config.ts';
import type { Pool } from '../database/pool.ts';
import type { Quota, RateLimiter } from '../http/rate-limits.ts';
import type { Clock } from '../platform/clock.ts';
import { RefreshingCache } from '../platform/refreshing-cache.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { deleteAttempts } from './attempt-store.ts';
import { deleteInvitations } from './invitation-store.ts';
import type { PasskeyPlace } from './passkeys.ts';
import { Provider } from './provider.ts';
import { CALLBACK_PATH } from './provider-routes.ts';
import { personRoutes } from './routes.ts';
import { SessionAuthenticator } from './session-authenticator.ts';
import { deleteSessions, type LiveSession } from './session-store.ts';
import { loadSession, type SessionRules } from './sessions.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { hasNobody } from './store.ts';
import { UsedSessions } from './used-sessions.ts';

/** What the use cases around persons and their sessions work with. */
export interface PeopleRoom {
  readonly pool: Pool;
  /** Sessions live on real time, also when the sandbox's clock is moved. */
  readonly realClock: Clock;
  readonly rules: SessionRules;
  /** By the hash of what the browser holds. */
  readonly live: RefreshingCache<string, LiveSession | undefined>;
  /** Sessions that requests have come with since they were last read, by the same. */
  readonly used: UsedSessions;
  /** Origins of the pages that may act with a session. */
  readonly origins: () => readonly string[];
  /** Where passkeys are good; nothing where persons sign in with the provider alone. */
  readonly passkeys?: (() => PasskeyPlace | undefined) | undefined;
  /** How long a link that invites a person is good, milliseconds. */
  readonly invitationMs: number;
  /** Anybody may sign in as one of the ready persons; never so in production. */
  readonly isSandbox: boolean;
  /** Business time less real time: for pages that compare with business instants, and for what operators are told. */
  readonly clockOffsetMs: () => number;
}

export interface PeopleOptions extends Omit<PeopleRoom, 'live' | 'used'> {
  readonly limiter: RateLimiter;
  /** Attempts to sign in, of an address. */
  readonly attempts?: Quota | undefined;
  /** Of the company, where it has one. */
  readonly provider?: ProviderSettings | undefined;
  /** Where operators' browsers reach the service. */
  readonly address: () => string;
}

/** Younger states are used as they are; older than five seconds they are not used: as with the states of clients. */
const FRESH_MS = 2_000; // limit: Age up to which a session's state is used as it is
const USABLE_MS = 5_000; // limit: Age up to which a session's state is used at all
const SESSIONS_MAX = 10_000; // limit: States of sessions in memory
/** A bound on guessing, and on the work that one address can ask for. */
const ATTEMPTS: Quota = { perMinute: 30 }; // limit: {a minute} Attempts to sign in, of an address
/** How long a session that is over can be found. */
const KEPT_MS = 90 * 24 * 3_600_000;

/** The room as the composition root sees it. */
export function createPeople({ limiter, attempts = ATTEMPTS, address, ...options }: PeopleOptions) {
  const { pool, realClock } = options;
  const live: PeopleRoom['live'] = new RefreshingCache({
    load: (key) => loadSession(room, Buffer.from(key, 'base64url')),
    freshMs: FRESH_MS,
    maxAgeMs: USABLE_MS,
    maxEntries: SESSIONS_MAX,
    now: () => realClock.now(),
  });
  const room: PeopleRoom = { ...options, live, used: new UsedSessions() };
  const provider =
    options.provider &&
    new Provider(
      options.provider,
      () => `${address()}${CALLBACK_PATH}`,
      () => realClock.now(),
    );
  const sweep: Sweep = {
    name: 'forget_sessions',
    does: 'Deletes sessions and invitations that ended 90 days ago, and abandoned sign-ins.',
    everyMs: 3_600_000,
    isHousekeeping: true,
    run: async () => {
      const now = realClock.now();
      const gone = (await deleteAttempts(pool, now)) + (await deleteInvitations(pool, now - KEPT_MS));
      return gone + (await deleteSessions(pool, now - KEPT_MS));
    },
  };
  return {
    sessions: new SessionAuthenticator(room),
    sweeps: [sweep],
    /** Nobody is known: somebody has to be invited from the machine. */
    hasNobody: () => hasNobody(pool),
    /** Roles that groups of the provider lead to, and that do not exist: they permit nothing. */
    unknownRoles: () =>
      unknownRoles(pool, [...new Set([...(options.provider?.roles?.values() ?? [])].flat())]),
    /** What this process has changed of roles is seen by the next request. */
    rolesChanged: () => live.clear(),
    routes(app: FastifyInstance): void {
      personRoutes(app, room);
      signInRoutes(app, room, { limiter, attempts, provider });
    },
  };
}
