import type { FastifyRequest } from 'fastify';
import { fingerprint, idempotencyKeyOf } from '../../http/idempotency.ts';
import { newUuid } from '../../platform/ids.ts';

/**
 * What an entry that a request asks for is booked under. The work of such a request is not one commit, so a repetition
 * with the same Idempotency-Key finds what the first one booked, wherever that ended.
 */
export function sourceOf(request: FastifyRequest): string {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return `asked:${newUuid(request.receivedAt)}`;
  return `asked:${request.caller?.actor.id ?? ''}:${fingerprint(request.url, request.body)}:${key}`;
}
