import { readFile } from 'node:fs/promises';
import type { Audiences } from '@firmquote/site/try-document';
import type { FastifyInstance } from 'fastify';
import { oneLargeAtATime } from './connections.ts';
import { once, preparePublicDocument, sendPublicDocument } from './public-document.ts';
import { endWorkersOnClose } from './public-worker.ts';
import { serveReference } from './reference.ts';
import { serveSite } from './site.ts';

/** Made of the declared operations by `scripts/generate-docs.ts`, and the same everywhere. The second has those of customers alone. */
const DOCUMENTS = ['openapi.json', 'openapi-customer.json'] as const;

/**
 * The OpenAPI documents at `/openapi.json` and `/openapi-customer.json`, the documentation at `/docs`, and a page at `/docs/try` that sends requests.
 * @param called origins that this page may call
 * @param audiences of the tokens that it gets
 * @returns makes the documentation ready
 */
export function documentApi(
  app: FastifyInstance,
  called: () => readonly string[],
  audiences: () => Audiences,
): () => Promise<unknown> {
  endWorkersOnClose(app);
  for (const name of DOCUMENTS) {
    const file = new URL(import.meta.resolve(`@firmquote/api/${name}`));
    const document = once(async () =>
      preparePublicDocument('application/json; charset=utf-8', await readFile(file)),
    );
    app.get(`/${name}`, { onRequest: oneLargeAtATime }, async (request, reply) =>
      sendPublicDocument(request, reply, await document(), 0),
    );
  }
  serveReference(app, called, audiences);
  return serveSite(app);
}
