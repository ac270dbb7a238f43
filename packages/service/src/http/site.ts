import { NOT_FOUND_PATH } from '@firmquote/site/site-file';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inlineSources, policyOf } from '../platform/security-headers.ts';
import { routeNotFound } from './errors.ts';
import {
  NEVER_CHANGES_SECONDS,
  once,
  type PublicDocument,
  plainText,
  sendPublicDocument,
} from './public-document.ts';
import { answerOfWorker } from './public-worker.ts';

export type PreparedSite = readonly {
  readonly path: string;
  readonly isImmutable: boolean;
  readonly document: PublicDocument;
}[];

interface Site {
  readonly files: ReadonlyMap<string, PreparedSite[number]>;
  /** Of every page alike. */
  readonly policy: string;
}

/**
 * The documentation at `/docs`, for people and for programs. It is made of the project's files when somebody first wants to
 * read it, or when there is nothing else to do.
 * @returns makes it ready
 */
export function serveSite(app: FastifyInstance): () => Promise<unknown> {
  const site = once(async () => {
    const prepared = await answerOfWorker<PreparedSite>(app, new URL('./site-worker.ts', import.meta.url));
    const files = new Map(prepared.map((file) => [file.path, file]));
    const home = files.get('/docs/');
    return { files, policy: pagePolicy(home === undefined ? '' : plainText(home.document)) };
  });
  const serve = async (request: FastifyRequest, reply: FastifyReply) => send(request, reply, await site());
  app.get('/', (_request, reply) => reply.redirect('/docs/', 302));
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301));
  for (const path of ['/docs/*', '/llms.txt', '/llms-full.txt']) app.get(path, serve);
  return site;
}

function send(request: FastifyRequest, reply: FastifyReply, { files, policy }: Site): FastifyReply {
  const [path = ''] = request.url.split('?', 1);
  const file = files.get(path);
  if (file === undefined) return sendNotFound(request, reply, files, policy);
  if (file.document.type.startsWith('text/html')) reply.header('Content-Security-Policy', policy);
  return sendPublicDocument(request, reply, file.document, file.isImmutable ? NEVER_CHANGES_SECONDS : 0);
}

/** People get a page that leads on; programs a problem. */
function sendNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Site['files'],
  policy: string,
): FastifyReply {
  const page = files.get(NOT_FOUND_PATH);
  const isForPeople = String(request.headers.accept ?? '').includes('text/html');
  if (page === undefined || !isForPeople) throw routeNotFound();
  const { document } = page;
  return reply
    .code(404)
    .header('Content-Security-Policy', policy)
    .type(document.type)
    .send(plainText(document));
}

/** Pages run what is ours and the one line in them that sets their colours; they ask nobody else for anything. */
function pagePolicy(html: string): string {
  return policyOf({
    'script-src': `'self' ${inlineSources(html, 'script')}`,
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
  });
}
