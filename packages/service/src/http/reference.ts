import type { Audiences } from '@firmquote/site/try-document';
import type { FastifyInstance } from 'fastify';
import { inlineSources, policyOf } from '../platform/security-headers.ts';
import { oneLargeAtATime } from './connections.ts';
import { once, type PublicDocument, plainText, sendPublicDocument } from './public-document.ts';
import { answerOfWorker } from './public-worker.ts';

/** A page, its script and what it shows. */
export const REFERENCE_PATHS = ['/docs/try/', '/docs/try/js/scalar.js', '/docs/try/openapi.json'] as const;
type ReferencePath = (typeof REFERENCE_PATHS)[number];
export type ReferencePages = Readonly<Record<ReferencePath, PublicDocument>>;

/** The script changes with a version of the service only. */
const MAX_AGE_SECONDS: Readonly<Record<ReferencePath, number>> = {
  '/docs/try/': 0,
  '/docs/try/js/scalar.js': 86_400,
  '/docs/try/openapi.json': 0,
};

/**
 * A page that sends requests, made when somebody first wants it. To read the interface there are the pages of the site, which
 * need no script; this one's has four megabytes.
 * @param called origins that the page may call
 * @param audiences of the tokens that it gets
 */
export function serveReference(
  app: FastifyInstance,
  called: () => readonly string[],
  audiences: () => Audiences,
): void {
  const reference = once(async () => {
    const pages = await answerOfWorker<ReferencePages>(
      app,
      new URL('./reference-worker.ts', import.meta.url),
      audiences(),
    );
    return { pages, policy: pagePolicy(plainText(pages['/docs/try/']), called()) };
  });
  app.get('/docs/try', (_request, reply) => reply.redirect('/docs/try/', 301));
  for (const path of REFERENCE_PATHS) {
    app.get(path, { onRequest: oneLargeAtATime }, async (request, reply) => {
      const { pages, policy } = await reference();
      if (path === '/docs/try/') reply.header('Content-Security-Policy', policy);
      return sendPublicDocument(request, reply, pages[path], MAX_AGE_SECONDS[path]);
    });
  }
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
