import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hindranceOf } from '../database/failures.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { Problem } from '../problems/problem.ts';
import { clearCookie, cookieValue, SIGN_IN_COOKIE, setCookie } from './cookies.ts';
import { beginWithInvitation, beginWithRecoveryCode, recover, takeInvitation } from './enrol.ts';
import { INVITATION_PATH } from './invite-person.ts';
import { addPasskey } from './own-passkeys.ts';
import { hasPasskey } from './passkey-store.ts';
import { type Asked, askForNewPasskey, askForPasskey, newPasskeyOf, signedPasskey } from './passkeys.ts';
import { type HeldSession, requireOwnPage, type SessionAuthenticator } from './session-authenticator.ts';
import { notSignedIn } from './sessions.ts';
import { actingInBrowser, reasonOf, returnPath, signIn, signInFailed, signInRefused } from './sign-in.ts';
import { type SignInRoom, sendPage, withSession } from './sign-in-answers.ts';
import { invitationPage, RECOVERY_PATH, recoveryPage, SCRIPT_PATH } from './sign-in-page.ts';
import { findPerson } from './store.ts';

/** What pages send; each is looked at where it is used. */
type Sent = Readonly<Record<string, unknown>> | undefined;

const SCRIPT = readFileSync(join(import.meta.dirname, 'assets/passkeys.js'));

/** Pages and requests of browsers around passkeys: signing in, taking an invitation up, coming back, adding one. */
export function passkeyRoutes(
  scope: FastifyInstance,
  signInRoom: SignInRoom,
  authenticator: SessionAuthenticator,
): void {
  const { room } = signInRoom;
  const place = () => {
    const found = room.passkeys?.();
    if (found === undefined) throw signInRefused('Passkeys are turned off here.');
    return found;
  };
  scope.get(SCRIPT_PATH, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('Cache-Control', 'no-cache').send(SCRIPT),
  );
  scope.get(INVITATION_PATH, (_request, reply) => sendPage(reply, invitationPage(place())));
  scope.get(RECOVERY_PATH, (_request, reply) => sendPage(reply, recoveryPage(place())));
  passkeySignInRoutes(scope, signInRoom);
  enrolmentRoutes(scope, signInRoom);
  ownPasskeyRoutes(scope, signInRoom, authenticator);
}

function passkeySignInRoutes(scope: FastifyInstance, { room, held, attempt }: SignInRoom): void {
  scope.post<{ Body: Sent }>('/auth/passkey/ask', async (request, reply) => {
    attempt(request);
    const session = request.body?.fresh === true ? await held(request) : undefined;
    return sendOptions(reply, await askForPasskey(room, session?.session.personId));
  });
  scope.post<{ Body: Sent }>('/auth/passkey', async (request, reply) => {
    attempt(request);
    const { answer, returnTo } = request.body ?? {};
    const started = await logRefusal(request, async () => {
      const { id, personId } = await signedPasskey(room, answer, signInCookie(request), request);
      const person = await findPerson(room.pool, personId);
      if (person === undefined) throw signInRefused();
      return signIn(room, person, 'passkey', request, await held(request), {
        counts: (connection) => hasPasskey(connection, id),
      });
    });
    return withSession(reply, started, clearCookie(SIGN_IN_COOKIE)).send({
      continueAt: returnPath(returnTo),
    });
  });
}

function enrolmentRoutes(scope: FastifyInstance, { room, attempt }: SignInRoom): void {
  scope.post<{ Body: Sent }>('/auth/invitation/ask', async (request, reply) => {
    attempt(request);
    const { person, ...ask } = await beginWithInvitation(room, textOf(request.body?.invitation));
    return sendOptions(reply, ask, { name: person.name, email: person.email });
  });
  scope.post<{ Body: Sent }>('/auth/invitation', async (request, reply) => {
    attempt(request);
    const { started, recoveryCodes } = await logRefusal(request, () =>
      takeInvitation(room, enrolmentOf(request.body), request, signInCookie(request)),
    );
    return withSession(reply, started, clearCookie(SIGN_IN_COOKIE)).send({ recoveryCodes });
  });
  scope.post<{ Body: Sent }>('/auth/recovery/ask', async (request, reply) => {
    attempt(request);
    return sendOptions(reply, await beginWithRecoveryCode(room, textOf(request.body?.code)));
  });
  scope.post<{ Body: Sent }>('/auth/recovery', async (request, reply) => {
    attempt(request);
    const started = await logRefusal(request, () =>
      recover(room, enrolmentOf(request.body), request, signInCookie(request)),
    );
    return withSession(reply, started, clearCookie(SIGN_IN_COOKIE)).send({
      continueAt: returnPath(undefined),
    });
  });
}

/** Another passkey of somebody who has signed in a short while ago. */
function ownPasskeyRoutes(
  scope: FastifyInstance,
  { room, attempt }: SignInRoom,
  authenticator: SessionAuthenticator,
): void {
  const freshly = async (request: FastifyRequest): Promise<HeldSession> => {
    attempt(request);
    const session = await authenticator.held(request);
    if (session === undefined) throw notSignedIn('token_missing', 'Sign in at /login.');
    requireOwnPage(request.headers, session.secret, room.origins());
    const { personId, authenticatedAt } = session.session;
    authenticator.requireFresh({ actor: { kind: 'person', id: personId }, authenticatedAt });
    return session;
  };
  scope.post('/auth/passkeys/ask', async (request, reply) => {
    const { session } = await freshly(request);
    const person = await findPerson(room.pool, session.personId);
    if (person === undefined) throw signInRefused();
    return sendOptions(reply, await askForNewPasskey(room, 'another', person));
  });
  scope.post<{ Body: Sent }>('/auth/passkeys', async (request, reply) => {
    const { session } = await freshly(request);
    const { personId, id: tokenId } = session;
    await logRefusal(request, async () => {
      const { passkey, known } = await newPasskeyOf(
        room,
        'another',
        enrolmentOf(request.body),
        signInCookie(request),
      );
      if (known.personId !== personId) throw new Error('another session asked for this passkey');
      const act = { kind: 'change', operation: 'auth:add-passkey' } as const;
      await actingInBrowser(request, act, { actorId: personId, tokenId }, () =>
        addPasskey(room, personId, passkey),
      );
    });
    return reply.code(204).header('Set-Cookie', clearCookie(SIGN_IN_COOKIE)).send();
  });
}

function sendOptions(reply: FastifyReply, { options, browser }: Asked, more: object = {}): FastifyReply {
  return reply.header('Set-Cookie', setCookie(SIGN_IN_COOKIE, browser)).send({ ...more, options });
}

const signInCookie = ({ headers }: FastifyRequest) => cookieValue(headers.cookie, SIGN_IN_COOKIE);

/** The browser learns that it did not succeed, and the log says what was wrong. Where the database hinders it, nobody was refused. */
async function logRefusal<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOurs = error instanceof Problem;
    if (!isOurs && hindranceOf(error) !== undefined) throw error;
    const about = { ...loggedRequest(request), address: request.ip, reason: reasonOf(error) };
    request.server.logger.warn(about, 'sign-in refused');
    throw isOurs ? error : signInFailed(error);
  }
}

function enrolmentOf(body: Sent) {
  return { answer: body?.answer, name: body?.passkeyName };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
