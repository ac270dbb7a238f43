import { Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { inlineSources, policyOf } from '../platform/security-headers.ts';
import { oneLargeAtATime } from './connections.ts';
import { once, type PublicDocument, sendPublicDocument } from './public-document.ts';

/** A page and its script. */
export const REFERENCE_PATHS = ['/docs/', '/docs/js/scalar.js'] as const;
type ReferencePath = (typeof REFERENCE_PATHS)[number];
export type ReferencePages = Readonly<Record<ReferencePath, PublicDocument>>;

/** The script changes with a version of the service only. */
const MAX_AGE_SECONDS: Readonly<Record<ReferencePath, number>> = {
  '/docs/': 0,
  '/docs/js/scalar.js': 86_400,
};

/**
 * The reference for people at `/docs`, made when somebody first wants to read it.
 * @param called origins that the page may call
 */
export function serveReference(app: FastifyInstance, called: () => readonly string[]): void {
  let worker: Worker | undefined;
  app.addHook('onClose', () => worker?.terminate());
  const reference = once(async () => {
    worker = new Worker(new URL('./reference-worker.ts', import.meta.url));
    const pages = await pagesOf(worker);
    return { pages, policy: pagePolicy(pages['/docs/'].bodies.identity.toString(), called()) };
  });
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301));
  for (const path of REFERENCE_PATHS) {
    app.get(path, { onRequest: oneLargeAtATime }, async (request, reply) => {
      const { pages, policy } = await reference();
      if (path === '/docs/') reply.header('Content-Security-Policy', policy);
      return sendPublicDocument(request, reply, pages[path], MAX_AGE_SECONDS[path]);
    });
  }
}

function pagesOf(worker: Worker): Promise<ReferencePages> {
  return new Promise((resolve, reject) => {
    worker.once('message', (pages: ReferencePages) => {
      resolve(withBuffers(pages));
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the pages of the reference were not made')));
  });
}

/** What crosses to another thread loses its class. */
function withBuffers(pages: ReferencePages): ReferencePages {
  const whole = ({ bodies, ...page }: PublicDocument): PublicDocument => ({
    ...page,
    bodies: {
      br: Buffer.from(bodies.br.buffer, bodies.br.byteOffset, bodies.br.byteLength),
      gzip: Buffer.from(bodies.gzip.buffer, bodies.gzip.byteOffset, bodies.gzip.byteLength),
      identity: Buffer.from(bodies.identity.buffer, bodies.identity.byteOffset, bodies.identity.byteLength),
    },
  });
  return { '/docs/': whole(pages['/docs/']), '/docs/js/scalar.js': whole(pages['/docs/js/scalar.js']) };
}

/** Its scripts are our own and the one in the page; it calls this service and nobody else. Its styles are made by scripts. */
function pagePolicy(html: string, called: readonly string[]): string {
  const origins = new Set(called.map((url) => new URL(url).origin));
  return policyOf({
    'script-src': `'self' ${inlineSources(html, 'script')}`,
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': "'self' data:",
    'connect-src': ["'self'", ...origins].join(' '),
  });
}
