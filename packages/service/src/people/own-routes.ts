import * as api from '@firmquote/api/operations/people';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../http/context.ts';
import { serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { clearCookie, SESSION_COOKIE } from './cookies.ts';
import { removePasskey, rename, renewRecoveryCodes } from './own-passkeys.ts';
import { countRecoveryCodes, listPasskeys } from './passkey-store.ts';
import type { PeopleRoom } from './room.ts';
import { type HeldSession, type SessionAuthenticator, scopesIn } from './session-authenticator.ts';
import { listSessions } from './session-store.ts';
import { csrfToken, end, sessionNotFound } from './sessions.ts';
import { findPerson } from './store.ts';
import { passkeyView, sessionView } from './view.ts';

/** Sessions of one's own that are shown. */
const OWN_SESSIONS_MAX = 100;

/** What whoever has signed in does with its own sessions and passkeys, from a page. */
export function ownRoutes(
  app: FastifyInstance,
  room: PeopleRoom,
  authenticator: SessionAuthenticator,
  hasProvider: boolean,
): void {
  sessionRoutes(app, room, authenticator);
  serve(app, api.listPasskeys, async ({ caller }) => {
    const personId = personOf(caller);
    const passkeys = await listPasskeys(room.pool, personId);
    const recoveryCodesLeft = await countRecoveryCodes(room.pool, personId);
    return { body: { passkeys: passkeys.map(passkeyView), recoveryCodesLeft } };
  });
  serve(app, api.renamePasskey, async ({ params, body, caller }) => {
    const of = { id: params.passkeyId, personId: personOf(caller), name: body.name };
    return { body: passkeyView(await rename(room, of)) };
  });
  serve(app, api.removePasskey, async ({ params, caller }) => {
    const session = { id: caller.tokenId, personId: personOf(caller) };
    await removePasskey(room, params.passkeyId, session, hasProvider);
    return {};
  });
  serve(app, api.renewRecoveryCodes, async ({ caller }) => ({
    headers: { 'Cache-Control': 'no-store' },
    body: { recoveryCodes: await renewRecoveryCodes(room, personOf(caller)) },
  }));
}

function sessionRoutes(app: FastifyInstance, room: PeopleRoom, authenticator: SessionAuthenticator): void {
  const held = async (request: Parameters<SessionAuthenticator['held']>[0]): Promise<HeldSession> => {
    const session = await authenticator.held(request);
    if (session === undefined) throw notAPerson();
    return session;
  };
  serve(app, api.getOwnSession, async ({ request }) => {
    const { session, secret } = await held(request);
    const person = await findPerson(room.pool, session.personId);
    return {
      body: {
        ...sessionView(session),
        name: person?.name ?? '',
        email: person?.email ?? '',
        roles: [...session.roles],
        scopes: [...scopesIn(room, session)].sort(),
        isSandbox: room.isSandbox,
        clockOffsetMs: room.clockOffsetMs(),
        csrfToken: csrfToken(secret),
        idleEndsAt: isoInstant(session.lastUsedAt + room.rules.idleMs),
        freshUntil: isoInstant(session.authenticatedAt + room.rules.freshMs),
      },
    };
  });
  serve(app, api.signOut, async ({ caller }) => {
    await end(room, { id: caller.tokenId, personId: personOf(caller) });
    return { headers: { 'Set-Cookie': clearCookie(SESSION_COOKIE) } };
  });
  serve(app, api.listOwnSessions, async ({ caller }) => {
    const personId = personOf(caller);
    const now = room.realClock.now();
    const filter = { personId, now, idleSince: now - room.rules.idleMs };
    const sessions = await listSessions(room.pool, filter, undefined, OWN_SESSIONS_MAX);
    return {
      body: {
        personId: actorId(personId),
        sessions: sessions.map((each) => ({ ...sessionView(each), isThisOne: each.id === caller.tokenId })),
      },
    };
  });
  serve(app, api.endOwnSession, async ({ params, caller }) => {
    const ended = await end(room, { id: params.sessionId, personId: personOf(caller) });
    if (ended === 0) throw sessionNotFound();
    return {};
  });
}

/** @throws Problem insufficient_scope for programs, whatever their scopes say */
function personOf({ actor }: Caller): string {
  if (actor.kind !== 'person') throw notAPerson();
  return actor.id;
}

function notAPerson(): Problem {
  return new Problem('insufficient_scope', 'Only a person signed in with a browser can do this.', {
    members: { requiredScope: 'operator:self' },
  });
}
