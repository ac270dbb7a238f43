import { explainTransaction } from '@firmquote/api/operations/quote-explanations';
import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { serve } from '../http/serve.ts';
import type { Clock } from '../platform/clock.ts';
import { explainForOperator } from '../quotes/explain-quote.ts';
import { keptQuote } from '../quotes/quote-lifecycle.ts';
import type { QuoteStore } from '../quotes/store.ts';
import { existingTransaction } from './list-transactions.ts';

interface Services {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly store: QuoteStore;
}

/** The price of an executed trade is that of its quote, so the quote is what is explained. */
export function transactionExplainRoute(app: FastifyInstance, services: Services): void {
  serve(app, explainTransaction, async ({ params }) => {
    const row = await existingTransaction(services.pool, params.transactionId);
    const quote = await keptQuote(services, row.customer_id, row.quote_id);
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: explainForOperator(quote, services.clock.now()),
    };
  });
}
