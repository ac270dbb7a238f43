import * as api from '@firmquote/api/operations/quote-explanations';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import { serve } from '../http/serve.ts';
import { disclosureOf, explainForOperator, explainQuote } from './explain-quote.ts';
import { findAnyQuote } from './operator-store.ts';
import { keptQuote, quoteNotFound } from './quote-lifecycle.ts';
import type { QuotesRoom } from './room.ts';

type ExplainRoom = Pick<QuotesRoom, 'clock' | 'customers' | 'store'> & { readonly pool: Pool };

const headers = { 'Cache-Control': 'no-store' };

/** How the price of a quote was derived: for its customer as far as disclosed, for operators all of it. */
export function explainRoutes(app: FastifyInstance, room: ExplainRoom): void {
  const { clock, pool, store } = room;
  serve(app, api.explainQuote, async ({ request, params }) => {
    const { customerId } = customerOf(request);
    const [quote, { settings }] = await Promise.all([
      keptQuote(room, customerId, params.quoteId),
      room.customers.profile(customerId),
    ]);
    const disclosure = disclosureOf(quote, settings.pricingDisclosure);
    return { headers, body: explainQuote(quote, clock.now(), disclosure) };
  });
  serve(app, api.explainAnyQuote, async ({ params: { quoteId }, query: { customerId } }) => {
    const quote = await (customerId === undefined
      ? findAnyQuote(pool, quoteId)
      : store.findKept(customerId, quoteId));
    if (quote === undefined) throw quoteNotFound();
    return { headers, body: explainForOperator(quote, clock.now()) };
  });
}
