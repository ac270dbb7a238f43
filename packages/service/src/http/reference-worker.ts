import { parentPort } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { preparePublicDocument } from './public-document.ts';
import { REFERENCE_PATHS, type ReferencePages } from './reference.ts';

/**
 * Runs in a thread of its own: loading the library and reading its script takes hundreds of milliseconds, in which nobody
 * else would be answered. It ends when the pages are made, and what it has loaded goes with it.
 */

const server = fastify();
await server.register(scalar, {
  routePrefix: '/docs/try',
  configuration: {
    url: '/openapi.json',
    title: 'Firmquote API',
    withDefaultFonts: false,
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
parentPort?.postMessage(Object.fromEntries(pages) as ReferencePages);
