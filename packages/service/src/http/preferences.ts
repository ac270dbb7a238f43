import type { FastifyReply, FastifyRequest } from 'fastify';

/** `Prefer` and `Preference-Applied` (RFC 7240) for preferences without a value; `wait` is in `conditional.ts`. */

/** Asks for signed terms. */
export const SIGNATURE_PREFERENCE = 'signature';

type WithHeaders = Pick<FastifyRequest, 'headers'>;

export function preferenceOf({ headers: { prefer } }: WithHeaders): string | undefined {
  return Array.isArray(prefer) ? prefer.join(',') : prefer;
}

/** Whether the request prefers something. A preference is never an error: what cannot be read is ignored. */
export function prefers(request: WithHeaders, name: string): boolean {
  const header = preferenceOf(request);
  if (header === undefined) return false;
  return header.split(',').some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === name);
}

/** Tells that a preference was followed, beside those that were told before. */
export function applyPreference(reply: FastifyReply, applied: string): void {
  const before = reply.getHeader('Preference-Applied');
  reply.header('Preference-Applied', before === undefined ? applied : `${String(before)}, ${applied}`);
}
