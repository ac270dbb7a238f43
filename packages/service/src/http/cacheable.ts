import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTag } from './conditional.ts';

/**
 * Sends what has no version of its own with an ETag made of its content, or 304 when the caller has it already, which
 * is counted as a revalidation. `private`, because the answer depends on whose token asked.
 * @param maxAgeSeconds how long the caller may use it without asking again; 0 makes it ask each time
 */
export function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
  maxAgeSeconds: number,
): FastifyReply {
  const text = JSON.stringify(body);
  const tag = hash('sha256', text, 'base64url');
  reply
    .header('ETag', `"${tag}"`)
    .header('Cache-Control', maxAgeSeconds === 0 ? 'private, no-cache' : `private, max-age=${maxAgeSeconds}`)
    .header('Vary', 'Authorization');
  if (hasTag(request.headers['if-none-match'], tag)) {
    request.notModified?.();
    return reply.code(304).send();
  }
  return reply.header('Content-Type', 'application/json; charset=utf-8').send(text);
}
