import type { FastifyReply, FastifyRequest } from 'fastify';

/** `Prefer` and `Preference-Applied` (RFC 7240) for preferences without a value; `wait` is in `conditional.ts`. */

/** Whether the request prefers something. A preference is never an error: what cannot be read is ignored. */
export function prefers(request: Pick<FastifyRequest, 'headers'>, name: string): boolean {
  const header = request.headers.prefer;
  if (header === undefined) return false;
  const wanted = (Array.isArray(header) ? header.join(',') : header).split(',');
  return wanted.some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === name);
}

/** Tells that a preference was followed, beside those that were told before. */
export function applyPreference(reply: FastifyReply, applied: string): void {
  const before = reply.getHeader('Preference-Applied');
  reply.header('Preference-Applied', before === undefined ? applied : `${String(before)}, ${applied}`);
}
