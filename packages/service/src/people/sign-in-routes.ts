import type { FastifyInstance } from 'fastify';
import { rateLimited } from '../http/access.ts';
import { addressOwner, type Quota, type RateLimiter } from '../http/rate-limits.ts';
import { Problem } from '../problems/problem.ts';
import { clearCookie, SESSION_COOKIE } from './cookies.ts';
import { ownRoutes } from './own-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { countRecoveryCodes, listPasskeys } from './passkey-store.ts';
import type { Provider } from './provider.ts';
import { providerRoutes } from './provider-routes.ts';
import { READY_PERSONS } from './ready-persons.ts';
import type { PeopleRoom } from './room.ts';
import { requireOwnOrigin, requireOwnPage, SessionAuthenticator } from './session-authenticator.ts';
import { end } from './sessions.ts';
import { actingInBrowser, returnPath, SIGN_IN_PATH, signInAsReadyPerson } from './sign-in.ts';
import { type SignInRoom, sendPage, withSession } from './sign-in-answers.ts';
import { signInPage } from './sign-in-page.ts';
import { findPerson } from './store.ts';

const BODY_LIMIT_BYTES = 32 * 1024; // limit: Body of a request for a sign-in

type Query = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, string>>;

/**
 * Pages and requests of browsers: how a person signs in and out. They are no operations of the API: programs have no use for them.
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
  const signInRoom: SignInRoom = {
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
  ownRoutes(app, room, authenticator, provider !== undefined);
  app.register((scope, _options, done) => {
    takeForms(scope);
    pageRoutes(scope, signInRoom, provider?.name);
    if (room.passkeys !== undefined) passkeyRoutes(scope, signInRoom, authenticator);
    if (room.isSandbox) sandboxRoute(scope, signInRoom);
    if (provider !== undefined) providerRoutes(scope, signInRoom, provider);
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

function pageRoutes(scope: FastifyInstance, { room, held }: SignInRoom, provider: string | undefined): void {
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
        passkeys: room.passkeys?.(),
        own: room.passkeys &&
          person && {
            passkeys: await listPasskeys(room.pool, person.id),
            recoveryCodesLeft: await countRecoveryCodes(room.pool, person.id),
          },
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

/** One click. The route is nowhere but in a sandbox, and what it calls lets nobody in elsewhere. */
function sandboxRoute(scope: FastifyInstance, { room, held, attempt }: SignInRoom): void {
  scope.post<{ Body: Fields | undefined }>('/auth/sandbox', async (request, reply) => {
    attempt(request);
    const { email = '', return_to: returnTo } = request.body ?? {};
    const started = await signInAsReadyPerson(room, email, request, await held(request));
    return withSession(reply, started).redirect(returnPath(returnTo), 303);
  });
}
