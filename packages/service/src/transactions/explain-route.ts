import { explainTransaction } from '@firmquote/api/operations/quote-explanations';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { explainForOperator } from '../quotes/explain-quote.ts';
import { keptQuote } from '../quotes/quote-lifecycle.ts';
import type { QuoteStore } from '../quotes/store.ts';
import { existingTransaction } from './list-transactions.ts';
import type { TransactionsRoom } from './room.ts';

type ExplainRoom = Pick<TransactionsRoom, 'pool' | 'clock'> & { readonly store: QuoteStore };

/** The price of an executed trade is that of its quote, so the quote is what is explained. */
export function transactionExplainRoute(app: FastifyInstance, room: ExplainRoom): void {
  serve(app, explainTransaction, async ({ params }) => {
    const row = await existingTransaction(room.pool, params.transactionId);
    const quote = await keptQuote(room, row.customer_id, row.quote_id);
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: explainForOperator(quote, room.clock.now()),
    };
  });
}
