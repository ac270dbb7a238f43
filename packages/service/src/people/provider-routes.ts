import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hindranceOf } from '../database/failures.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { Problem } from '../problems/problem.ts';
import { insertAttempt, takeAttempt } from './attempt-store.ts';
import { clearCookie, cookieValue, SIGN_IN_COOKIE, setCookie } from './cookies.ts';
import type { ExpectedAnswer, Provider } from './provider.ts';
import { newSecret, type StartedSession } from './sessions.ts';
import {
  actingInBrowser,
  type HeldBefore,
  notOurs,
  reasonOf,
  returnPath,
  signIn,
  signInFailed,
  signInRefused,
} from './sign-in.ts';
import { type SignInRoom, sendPage, withSession } from './sign-in-answers.ts';
import { personOfProvider } from './sign-in-by-provider.ts';
import { onwardPage, signInPage } from './sign-in-page.ts';

/** Time in which a sign-in has to come back from the provider. */
const ATTEMPT_MS = 10 * 60_000; // limit: Time for a sign-in at the provider

export const CALLBACK_PATH = '/auth/oidc/callback';

/** To the provider and back. */
export function providerRoutes(scope: FastifyInstance, signInRoom: SignInRoom, provider: Provider): void {
  startRoute(scope, signInRoom, provider);
  callbackRoute(scope, signInRoom, provider);
}

function startRoute(scope: FastifyInstance, { room, held, attempt }: SignInRoom, provider: Provider): void {
  scope.get<{ Querystring: Readonly<Record<string, unknown>> }>(
    '/auth/oidc/start',
    async (request, reply) => {
      attempt(request);
      const fresh = request.query.fresh === 'true';
      const returnTo = returnPath(request.query.return_to);
      const browser = newSecret();
      const now = room.realClock.now();
      try {
        const { url, state, nonce, verifier } = await notOurs(
          provider.begin(fresh, Math.floor(room.rules.lastsMs / 1000)),
          noAnswer,
        );
        const session = await held(request);
        const expected: ExpectedAnswer = {
          ...{ nonce, verifier, returnTo, fresh, begunAt: now },
          held: session && {
            id: session.session.id,
            personId: session.session.personId,
            hash: session.hash.toString('base64url'),
          },
        };
        await insertAttempt(room.pool, { state, browser }, expected, now + ATTEMPT_MS);
        // The provider is another site: a strict cookie would not come back with the browser.
        return reply.header('Set-Cookie', setCookie(SIGN_IN_COOKIE, browser, 'Lax')).redirect(url.href, 302);
      } catch (error) {
        return refused(request, reply, provider, error, 503);
      }
    },
  );
}

function callbackRoute(scope: FastifyInstance, { room, attempt }: SignInRoom, provider: Provider): void {
  scope.get<{ Querystring: Readonly<Record<string, unknown>> }>(CALLBACK_PATH, async (request, reply) => {
    attempt(request);
    try {
      const { state } = request.query;
      const browser = cookieValue(request.headers.cookie, SIGN_IN_COOKIE);
      const expected =
        typeof state === 'string' && typeof browser === 'string'
          ? await takeAttempt(room.pool, { state, browser }, room.realClock.now())
          : undefined;
      if (typeof state !== 'string' || expected === undefined)
        throw new Error('this browser began no sign-in with this state, or it has expired');
      const answer = JSON.parse(expected) as ExpectedAnswer;
      const query = request.url.indexOf('?');
      const claims = await notOurs(
        provider.end(query === -1 ? '' : request.url.slice(query), state, answer),
        signInFailed,
      );
      const act = { kind: 'change', operation: 'auth:groups' } as const;
      const person = await actingInBrowser(request, act, undefined, () =>
        personOfProvider(room, provider, claims),
      );
      const { authenticatedAt } = claims;
      const started: StartedSession = await signIn(room, person, 'provider', request, heldBefore(answer), {
        // A provider that does not say when it was may have asked long ago.
        authenticatedAt: authenticatedAt ?? room.realClock.now() - room.rules.freshMs,
      });
      return sendPage(withSession(reply, started, clearCookie(SIGN_IN_COOKIE)), onwardPage(answer.returnTo));
    } catch (error) {
      return refused(request, reply, provider, error, 403);
    }
  });
}

function heldBefore({ held }: ExpectedAnswer): HeldBefore | undefined {
  return held && { session: held, hash: Buffer.from(held.hash, 'base64url') };
}

const noAnswer = (cause: unknown) =>
  signInRefused('The identity provider does not answer. Try again later.', cause);

/**
 * The browser gets a page, and the log what was wrong, without anything that was secret of it. Where the database hinders the
 * sign-in, nobody was refused.
 */
function refused(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  error: unknown,
  status: 403 | 503,
): FastifyReply {
  const isOurs = error instanceof Problem;
  if (isOurs ? error.status >= 429 : hindranceOf(error) !== undefined) throw error;
  const about = { ...loggedRequest(request), address: request.ip, reason: reasonOf(error) };
  request.problemCode = 'sign_in_refused';
  request.server.logger.warn(about, 'sign-in refused');
  const { message: problem } = isOurs ? error : signInFailed(error);
  const view = {
    held: undefined,
    person: undefined,
    fresh: false,
    returnTo: returnPath(undefined),
    ready: [],
    passkeys: undefined,
    own: undefined,
  };
  return sendPage(reply.code(status), signInPage({ ...view, provider: provider.name, problem }));
}
