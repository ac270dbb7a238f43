import { IndicativePrice, IndicativeRequest, Quote, QuoteRequest } from '@firmquote/api/operations/quotes';
import { ExecuteRequest, Transaction } from '@firmquote/api/operations/transactions';
import { INDICATIVE, QUOTE, TRANSACTION } from './answers.ts';
import { bareServer, listen } from './bare-server.ts';

/**
 * The floor: bare Fastify routes with the service's own schemas, which validate the same body and serialise an answer
 * of the same size, and do nothing else: no token, no limits, no price, no database. Nothing built on Fastify can be
 * faster than this.
 */
const app = bareServer();
app.post(
  '/v1/customer/quotes/indicative',
  { schema: { body: IndicativeRequest, response: { 200: IndicativePrice } } },
  async () => INDICATIVE,
);
app.post(
  '/v1/customer/quotes',
  { schema: { body: QuoteRequest, response: { 201: Quote } } },
  async (_request, reply) => reply.code(201).send(QUOTE),
);
app.post(
  '/v1/customer/quotes/:quoteId/execute',
  { schema: { body: ExecuteRequest, response: { 201: Transaction } } },
  async (_request, reply) => reply.code(201).send(TRANSACTION),
);
app.get<{ Params: { quoteId: string } }>(
  '/v1/customer/quotes/:quoteId',
  { schema: { response: { 200: Quote } } },
  async ({ params }) => ({ ...QUOTE, quoteId: params.quoteId }),
);
app.get<{ Params: { transactionId: string } }>(
  '/v1/customer/transactions/:transactionId',
  { schema: { response: { 200: Transaction } } },
  async ({ params }) => ({ ...TRANSACTION, transactionId: params.transactionId }),
);
await listen(app, 'the floor');
