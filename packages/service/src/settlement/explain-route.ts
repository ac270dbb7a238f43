import type { FastifyInstance } from 'fastify';
import { parseTypeId } from '../platform/ids.ts';
import { findQuote } from '../quotes/close-quotes.ts';
import { explainForOperator } from '../quotes/explain-quote.ts';
import { OperatorExplanation } from '../quotes/explain-schema.ts';
import type { QuoteStore } from '../quotes/store.ts';
import { TransactionParams } from '../transactions/schema.ts';
import { find, type SettlementRoom } from './operate.ts';

export interface ExplainTransactionServices extends Pick<SettlementRoom, 'pool' | 'clock'> {
  readonly store: QuoteStore;
}

/** The price of an executed trade is that of its quote, so the quote is what is explained. */
export function transactionExplainRoute(app: FastifyInstance, services: ExplainTransactionServices): void {
  app.get<{ Params: { transactionId: string } }>(
    '/v1/operator/transactions/:transactionId/explain',
    {
      config: { access: { audience: 'operator', scope: 'operator:transactions' } },
      schema: {
        tags: ['Operator: transactions'],
        summary: 'How the price of a transaction came about, in full',
        params: TransactionParams,
        response: { 200: OperatorExplanation },
      },
    },
    async (request, reply) => {
      const row = await find(services, parseTypeId('txn', request.params.transactionId));
      const quote = await findQuote(services, row.customer_id, row.quote_id);
      reply.header('Cache-Control', 'no-store');
      return explainForOperator(quote, services.clock.now());
    },
  );
}
