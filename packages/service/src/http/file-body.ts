import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/**
 * The body of a file that is sent while it is read, for as long as who reads it may: a large one takes hours where they are slow. Of one
 * that is only asked about (HEAD) nothing is read: Fastify would read all of it.
 */
export function fileBody(request: FastifyRequest, pieces: AsyncIterable<string | Uint8Array>): Readable {
  const body = Readable.from(whilePermitted(request, pieces), { objectMode: false });
  return request.method === 'HEAD' ? body.destroy() : body;
}

async function* whilePermitted(
  request: FastifyRequest,
  pieces: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  const readmit = request.server.readmission(request);
  for await (const piece of pieces) {
    await readmit();
    yield piece;
  }
}
