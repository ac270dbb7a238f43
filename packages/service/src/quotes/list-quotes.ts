import { listQuotes } from '@firmquote/api/operations/quotes';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import { pageJson, serve } from '../http/serve.ts';
import type { Clock } from '../platform/clock.ts';
import { findQuotes } from './list-store.ts';
import { renderQuote } from './render.ts';

/** The customer's quotes, newest first, in keyset pages (docs/interface.md#lists). */
export function quoteListRoute(
  app: FastifyInstance,
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
): void {
  serve(app, listQuotes, async ({ request, query, page }) => {
    const { customerId } = customerOf(request);
    const now = clock.now();
    const { records, next } = await findQuotes(pool, customerId, query, now, page.limit, page.afterId);
    const items = records.map((record) => renderQuote(record, now));
    return pageJson(page.from(items, next === undefined ? undefined : [next]));
  });
}
