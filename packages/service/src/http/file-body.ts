import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/** The body of a file that is sent while it is read. Of one that is only asked about (HEAD) nothing is read: Fastify would read all of it. */
export function fileBody(
  { method }: Pick<FastifyRequest, 'method'>,
  pieces: AsyncIterable<string | Uint8Array>,
): Readable {
  const body = Readable.from(pieces, { objectMode: false });
  return method === 'HEAD' ? body.destroy() : body;
}
