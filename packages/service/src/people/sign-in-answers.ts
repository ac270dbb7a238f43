import type { FastifyReply, FastifyRequest } from 'fastify';
import { TELLS_OWN_SITE } from '../platform/security-headers.ts';
import { SESSION_COOKIE, setCookie } from './cookies.ts';
import type { PeopleRoom } from './room.ts';
import type { HeldSession } from './session-authenticator.ts';
import type { StartedSession } from './sessions.ts';
import type { Page } from './sign-in-page.ts';

/** What the routes around sign-in have in common. */
export interface SignInRoom {
  readonly room: PeopleRoom;
  readonly held: (request: FastifyRequest) => Promise<HeldSession | undefined>;
  /** Counts an attempt, and refuses one from another site. */
  readonly attempt: (request: FastifyRequest) => void;
}

export function withSession(
  reply: FastifyReply,
  { secret }: StartedSession,
  ...more: string[]
): FastifyReply {
  return reply.header('Set-Cookie', [setCookie(SESSION_COOKIE, secret), ...more]);
}

export function sendPage(reply: FastifyReply, { html, policy }: Page): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', 'no-store')
    .headers(TELLS_OWN_SITE)
    .send(html);
}
