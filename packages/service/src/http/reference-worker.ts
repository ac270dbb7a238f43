import { readFile } from 'node:fs/promises';
import { type Audiences, fillLast, keepLast, tryDocument } from '@firmquote/site/try-document';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { answer, given } from './public-answer.ts';
import { preparePublicDocument } from './public-document.ts';
import { REFERENCE_PATHS, type ReferencePages } from './reference.ts';

/**
 * Runs in a process of its own: loading the library and reading its script takes hundreds of milliseconds, in which nobody
 * else would be answered. It ends when the pages are made, and what it has loaded goes with it.
 */

const server = fastify();
const DOCUMENT = new URL(import.meta.resolve('@firmquote/api/openapi.json'));
const document = tryDocument(JSON.parse(await readFile(DOCUMENT, 'utf8')), given() as Audiences);
server.get('/docs/try/openapi.json', async () => document);
await server.register(scalar, {
  routePrefix: '/docs/try',
  configuration: {
    url: '/docs/try/openapi.json',
    title: 'Firmquote API',
    withDefaultFonts: false,
    // It shows a document for this page; the one for programs is at `/openapi.json`.
    documentDownloadType: 'none',
    authentication: { preferredSecurityScheme: 'customer' },
    onBeforeRequest: fillLast,
    onResponseReceived: keepLast,
    // Everything that would talk to somebody else's service.
    showDeveloperTools: 'never',
    hideClientButton: true,
    mcp: { disabled: true },
    telemetry: false,
    agent: { disabled: true },
  } as never,
});
const pages = await Promise.all(
  REFERENCE_PATHS.map(async (path) => {
    const { headers, rawPayload } = await server.inject(path);
    return [path, await preparePublicDocument(String(headers['content-type']), rawPayload)] as const;
  }),
);
answer(Object.fromEntries(pages) as ReferencePages);
