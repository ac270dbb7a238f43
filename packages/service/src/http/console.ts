import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { policyOf, TELLS_OWN_SITE } from '../platform/security-headers.ts';
import { routeNotFound } from './errors.ts';
import { NEVER_CHANGES_SECONDS, type PublicDocument, sendPublicDocument } from './public-document.ts';

/** Made by `scripts/build-console.mjs`, which `npm start` runs. */
const FOLDER = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
const HOME = '/console/';
const ASSETS = '/console/assets/';

/** It runs what is ours and asks nobody but this service for anything; nothing stands in the page itself. */
const POLICY = policyOf({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  // One worker holds the stream of prices for all tabs.
  'worker-src': "'self'",
  'form-action': "'self'",
});

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Console not built · Firmquote</title>
<h1>The console is not built</h1>
<p>The service runs, and serves everything else. Run <code>node scripts/build-console.mjs</code> in its folder and start it again;
<code>npm start</code> does so by itself.</p>
</html>
`;

interface BuiltFile {
  readonly path: string;
  readonly file: string;
  readonly type: string;
}

/**
 * The console at `/console`: files that were built beforehand, compressed then, and read once. Every address in it that is no
 * file is a page of it.
 * @param folder where it was built
 */
export function serveConsole(app: FastifyInstance, folder: string = FOLDER): void {
  const files = readBuilt(folder);
  const home = files?.get(HOME);
  const serve = (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split('?', 1);
    if (files === undefined || home === undefined) return sendNotBuilt(reply);
    const asset = files.get(path);
    // A worker has the policy of its own file, not that of the page.
    reply.header('Content-Security-Policy', POLICY);
    if (path.startsWith(ASSETS)) {
      if (asset === undefined) throw routeNotFound();
      return sendPublicDocument(request, reply, asset, NEVER_CHANGES_SECONDS);
    }
    reply.headers(TELLS_OWN_SITE);
    return sendPublicDocument(request, reply, home, 0);
  };
  app.get('/console', serve);
  app.get('/console/*', serve);
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply.code(503).header('Retry-After', '60').type('text/html; charset=utf-8').send(NOT_BUILT);
}

/** By their addresses; undefined where it was never built. */
function readBuilt(folder: string): ReadonlyMap<string, PublicDocument> | undefined {
  let list: { readonly files: readonly BuiltFile[] };
  try {
    list = JSON.parse(readFileSync(`${folder}files.json`, 'utf8'));
  } catch {
    return undefined;
  }
  return new Map(list.files.map(({ path, file, type }) => [path, readFile(`${folder}${file}`, type)]));
}

function readFile(path: string, type: string): PublicDocument {
  const identity = readFileSync(path);
  const bodies = { gzip: readFileSync(`${path}.gz`), br: readFileSync(`${path}.br`) };
  return { type, tag: hash('sha256', identity, 'base64url'), bodies, sizeBytes: identity.length };
}
