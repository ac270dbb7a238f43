import * as api from '@firmquote/api/operations/operator-quotes';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { replayHeaders } from '../http/replay-headers.ts';
import { serve } from '../http/serve.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { findQuotes } from './list-store.ts';
import { findAnyQuote, findQuotesOfAll } from './operator-store.ts';
import { quoteNotFound } from './quote-lifecycle.ts';
import type { QuoteRecord } from './record.ts';
import { currentState, renderCreated, renderQuote, shownVersion } from './render.ts';
import { requestQuote } from './request-quote.ts';
import type { QuotesRoom } from './room.ts';

type OperatorQuotesRoom = QuotesRoom & { readonly pool: Pool };

const headers = { 'Cache-Control': 'no-store' };

/** Quotes of all customers, and quotes that dealers ask for. Executing is the transactions room's. */
export function operatorQuoteRoutes(app: FastifyInstance, room: OperatorQuotesRoom): void {
  const { clock, pool, store } = room;
  serve(app, api.listAllQuotes, async ({ query, page }) => {
    const { customerId } = query;
    const now = clock.now();
    const { records, next } = await (customerId === undefined
      ? findQuotesOfAll(pool, query, now, page.limit, page.afterId)
      : findQuotes(pool, customerId, query, now, page.limit, page.afterId));
    const items = records.map((record) => operatorView(record, now));
    return { headers, body: page.from(items, next === undefined ? undefined : [next]) };
  });
  serve(app, api.getAnyQuote, async ({ params: { quoteId }, query: { customerId } }) => {
    const quote = await (customerId === undefined
      ? findAnyQuote(pool, quoteId)
      : store.find(customerId, quoteId));
    if (quote === undefined) throw quoteNotFound();
    const now = clock.now();
    return { headers, version: shownVersion(quote, now), body: operatorView(quote, now) };
  });
  serve(app, api.quoteForCustomer, async ({ params: { customerId }, body, key, by }) => {
    const { record, answeredAt, current } = await requestQuote(room, {
      customerId,
      clientId: by,
      body,
      key,
    });
    const now = clock.now();
    const replay = current === undefined ? {} : replayHeaders(currentState(current, now));
    const quote: unknown = JSON.parse(renderCreated(record, answeredAt ?? now));
    const Location = `${api.listAllQuotes.path}/${typeId('quote', record.id)}`;
    return {
      status: 201,
      version: record.version,
      headers: { ...headers, ...replay, Location },
      body: quote,
    };
  });
}

function operatorView(record: QuoteRecord, now: number): Record<string, unknown> {
  return {
    customerId: typeId('cus', record.customerId),
    requestedBy: actorId(record.clientId),
    ...(JSON.parse(renderQuote(record, now)) as Record<string, unknown>),
  };
}
