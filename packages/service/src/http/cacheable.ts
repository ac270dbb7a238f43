import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const ANY_TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

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

/** Weak comparison, as RFC 9110 §13.1.2 demands; a header that cannot be read does not match. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return [...header.matchAll(ANY_TAG)].some((match) => match[1] === tag);
}
