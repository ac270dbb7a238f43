import { listErrorCodes } from '@firmquote/api/operations/reference';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode, problemPath, RETRY_HELP } from '@firmquote/api/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inlineSources, policyOf } from '../platform/security-headers.ts';
import { cameBy } from './inside-listener.ts';
import { serve } from './serve.ts';

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function page(code: ProblemCode): string {
  const { status, title, retry, help } = PROBLEMS[code];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${code} – Firmquote</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em;border-radius:.2em}dt{font-weight:600;margin-top:.8rem}dd{margin:0}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}a{color:#8cf}}</style>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(help)}</p>
<dl><dt>Code</dt><dd><code>${code}</code></dd><dt>HTTP status</dt><dd>${status}</dd><dt>Retry</dt><dd><code>${retry}</code> – ${RETRY_HELP[retry]}</dd></dl>
<p><a href="/v1/problems">All problems</a></p></html>`;
}

/**
 * The registry for machines at `/v1/problems`, and a page for each `type` address: that of the documentation, where the caller
 * can read it, or else a short one.
 */
export function problemRoutes(app: FastifyInstance, baseUrl: () => string, isDocumented: boolean): void {
  const canRead = (request: FastifyRequest) =>
    isDocumented && (app.insideServer === undefined || cameBy(request.raw, app.insideServer));
  serve(app, listErrorCodes, () => ({
    body: {
      items: PROBLEM_CODES.map((code) => ({
        code,
        type: `${baseUrl()}${problemPath(code)}`,
        ...PROBLEMS[code],
      })),
    },
  }));
  for (const code of PROBLEM_CODES) {
    const html = page(code);
    app.get(problemPath(code), async (request, reply) =>
      canRead(request)
        ? reply.redirect(`/docs${problemPath(code).replace('/problems/', '/errors/')}`, 302)
        : reply
            .header('Content-Type', 'text/html; charset=utf-8')
            .header('Content-Security-Policy', policyOf({ 'style-src': inlineSources(html, 'style') }))
            .send(html),
    );
  }
}
