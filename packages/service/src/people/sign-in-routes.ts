import type { FastifyInstance, FastifyRequest } from 'fastify';
import { rateLimited } from '../http/access.ts';
import { addressOwner, type Quota, type RateLimiter } from '../http/rate-limits.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, uuidOf } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { clearCookie, SESSION_COOKIE } from './cookies.ts';
import type { Provider } from './provider.ts';
import { providerRoutes } from './provider-routes.ts';
import { READY_PERSONS } from './ready-persons.ts';
import type { PeopleRoom } from './room.ts';
import {
  type HeldSession,
  requireOwnOrigin,
  requireOwnPage,
  SessionAuthenticator,
} from './session-authenticator.ts';
import { listSessions } from './session-store.ts';
import { csrfToken, end, notSignedIn, sessionNotFound } from './sessions.ts';
import { actingInBrowser, returnPath, SIGN_IN_PATH, signInAsReadyPerson } from './sign-in.ts';
import { type SignInServices, sendPage, withSession } from './sign-in-answers.ts';
import { signInPage } from './sign-in-page.ts';
import { findPerson } from './store.ts';
import { sessionView } from './view.ts';

const BODY_LIMIT_BYTES = 32 * 1024; // limit: Body of a request for a sign-in
/** Sessions of one's own that are shown. */
const OWN_SESSIONS_MAX = 100;

type Query = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, string>>;

/**
 * Pages and requests of browsers: how a person signs in and out, and what it sees of its own sessions. They are no operations of
 * the API: programs have no use for them.
 */
export function signInRoutes(
  app: FastifyInstance,
  room: PeopleRoom,
  {
    limiter,
    attempts,
    provider,
  }: {
    readonly limiter: RateLimiter;
    readonly attempts: Quota;
    readonly provider: Provider | undefined;
  },
): void {
  const authenticator = new SessionAuthenticator(room);
  const services: SignInServices = {
    room,
    // A session that has ended is as good as none where somebody wants to sign in.
    held: async (request) => {
      try {
        return await authenticator.held(request);
      } catch (error) {
        if (error instanceof Problem && error.status === 401) return undefined;
        throw error;
      }
    },
    attempt: (request) => {
      const taken = limiter.take(addressOwner(request.ip), 'sign-in', attempts);
      if (!taken.allowed) throw rateLimited(taken);
      if (request.method !== 'GET') requireOwnOrigin(request.headers, room.origins());
    },
  };
  app.register((scope, _options, done) => {
    takeForms(scope);
    pageRoutes(scope, services, provider?.name);
    ownSessionRoutes(scope, services, authenticator);
    if (room.isSandbox) sandboxRoute(scope, services);
    if (provider !== undefined) providerRoutes(scope, services, provider);
    done();
  });
}

/** Pages without scripts send forms. */
function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(text))),
  );
}

function pageRoutes(
  scope: FastifyInstance,
  { room, held }: SignInServices,
  provider: string | undefined,
): void {
  scope.get<{ Querystring: Query }>(SIGN_IN_PATH, async (request, reply) => {
    const session = await held(request);
    const person = session && (await findPerson(room.pool, session.session.personId));
    const { return_to: returnTo, fresh } = request.query;
    return sendPage(
      reply,
      signInPage({
        held: session,
        person,
        fresh: fresh === 'true',
        returnTo: returnPath(returnTo),
        ready: room.isSandbox ? READY_PERSONS : [],
        provider,
        problem: undefined,
      }),
    );
  });
  scope.post<{ Body: Fields | undefined }>('/auth/sign-out', async (request, reply) => {
    const session = await held(request);
    if (session !== undefined) {
      const { session: record, secret } = session;
      requireOwnPage(request.headers, secret, room.origins(), request.body?.csrf_token);
      const who = { actorId: record.personId, tokenId: record.id };
      const act = { kind: 'change', operation: 'auth:sign-out' } as const;
      await actingInBrowser(request, act, who, () => end(room, { id: record.id }));
    }
    return reply.header('Set-Cookie', clearCookie(SESSION_COOKIE)).redirect(SIGN_IN_PATH, 303);
  });
}

/** What a signed-in person needs no scope for: what it is, and its own sessions. */
function ownSessionRoutes(
  scope: FastifyInstance,
  { room }: SignInServices,
  authenticator: SessionAuthenticator,
): void {
  const required = async (request: FastifyRequest): Promise<HeldSession> => {
    const session = await authenticator.held(request);
    if (session === undefined) throw notSignedIn('token_missing', 'Sign in at /login.');
    if (request.method !== 'GET') requireOwnPage(request.headers, session.secret, room.origins());
    return session;
  };
  scope.get('/auth/session', async (request) => {
    const { session, secret } = await required(request);
    const person = await findPerson(room.pool, session.personId);
    return {
      ...sessionView(session),
      name: person?.name ?? '',
      email: person?.email ?? '',
      roles: [...session.roles],
      scopes: [...session.scopes].sort(),
      csrfToken: csrfToken(secret),
      idleEndsAt: isoInstant(session.lastUsedAt + room.rules.idleMs),
      freshUntil: isoInstant(session.authenticatedAt + room.rules.freshMs),
    };
  });
  scope.get('/auth/sessions', async (request) => {
    const { session } = await required(request);
    const now = room.realClock.now();
    const filter = { personId: session.personId, now, idleSince: now - room.rules.idleMs };
    const sessions = await listSessions(room.pool, filter, undefined, OWN_SESSIONS_MAX);
    return {
      personId: actorId(session.personId),
      sessions: sessions.map((each) => ({ ...sessionView(each), isThisOne: each.id === session.id })),
    };
  });
  scope.delete<{ Params: { sessionId: string } }>('/auth/sessions/:sessionId', async (request, reply) => {
    const { session } = await required(request);
    const id = uuidOf('ses', request.params.sessionId);
    const who = { actorId: session.personId, tokenId: session.id };
    const act = { kind: 'change', operation: 'auth:end-session' } as const;
    const ended = await actingInBrowser(request, act, who, () =>
      end(room, { id, personId: session.personId }),
    );
    if (ended === 0) throw sessionNotFound();
    return reply.code(204).send();
  });
}

/** One click. The route is nowhere but in a sandbox, and what it calls lets nobody in elsewhere. */
function sandboxRoute(scope: FastifyInstance, { room, held, attempt }: SignInServices): void {
  scope.post<{ Body: Fields | undefined }>('/auth/sandbox', async (request, reply) => {
    attempt(request);
    const { email = '', return_to: returnTo } = request.body ?? {};
    const started = await signInAsReadyPerson(room, email, request, await held(request));
    return withSession(reply, started).redirect(returnPath(returnTo), 303);
  });
}
