import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { oneLargeAtATime } from './connections.ts';
import { once, preparePublicDocument, sendPublicDocument } from './public-document.ts';
import { serveReference } from './reference.ts';

/** Made of the declared operations by `scripts/generate-docs.ts`, and the same everywhere. */
const DOCUMENT = new URL(import.meta.resolve('@firmquote/api/openapi.json'));

/**
 * The OpenAPI document at `/openapi.json`, and a self-hosted reference at `/docs`.
 * @param called origins that the page of the reference may call
 */
export function documentApi(app: FastifyInstance, called: () => readonly string[]): void {
  const document = once(async () =>
    preparePublicDocument('application/json; charset=utf-8', await readFile(DOCUMENT)),
  );
  app.get('/openapi.json', { onRequest: oneLargeAtATime }, async (request, reply) =>
    sendPublicDocument(request, reply, await document(), 0),
  );
  serveReference(app, called);
}
