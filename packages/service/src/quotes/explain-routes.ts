import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { findQuote, quoteNotFound } from './close-quotes.ts';
import { disclosureOf, explainForOperator, explainQuote } from './explain-quote.ts';
import { ExplainQuery, Explanation, OperatorExplanation } from './explain-schema.ts';
import { findAnyQuote } from './operator-store.ts';
import type { QuoteRecord } from './record.ts';
import { QuoteParams } from './schema.ts';
import type { QuoteServices } from './service.ts';

type ExplainServices = Pick<QuoteServices, 'clock' | 'customers' | 'store'> & { readonly pool: Pool };

/** How the price of a quote came about: for its customer as far as disclosed, for operators all of it. */
export function explainRoutes(app: FastifyInstance, services: ExplainServices): void {
  app.get<{ Params: { quoteId: string } }>(
    '/v1/customer/quotes/:quoteId/explain',
    {
      config: { access: { audience: 'customer', scope: 'quotes:read' }, rate: 'reads' },
      schema: {
        summary: 'How the price of a quote came about',
        description:
          'Market, spread and every rounding, computed again from what was kept with the quote. Shows what the pricing disclosure permits.',
        tags: ['Quotes'],
        params: QuoteParams,
        response: { 200: Explanation },
      },
    },
    async (request, reply) => {
      const { customerId } = customerOf(request);
      const id = parseTypeId('quote', request.params.quoteId);
      const [quote, { settings }] = await Promise.all([
        findQuote(services, customerId, id),
        services.customers.profile(customerId),
      ]);
      reply.header('Cache-Control', 'no-store');
      return explainQuote(quote, services.clock.now(), disclosureOf(quote, settings.pricingDisclosure));
    },
  );

  app.get<{ Params: { quoteId: string } }>(
    '/v1/operator/quotes/:quoteId/explain',
    {
      config: { access: { audience: 'operator', scope: 'operator:transactions' } },
      schema: {
        summary: 'How the price of a quote of any customer came about, in full',
        tags: ['Operator: transactions'],
        params: QuoteParams,
        querystring: ExplainQuery,
        response: { 200: OperatorExplanation },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const customer = query.text('customerId', 64);
      query.finish();
      const quote = await findForOperator(services, request.params.quoteId, customer);
      reply.header('Cache-Control', 'no-store');
      return explainForOperator(quote, services.clock.now());
    },
  );
}

async function findForOperator(
  { pool, store }: ExplainServices,
  quoteId: string,
  customerId: string | undefined,
): Promise<QuoteRecord> {
  const id = parseTypeId('quote', quoteId);
  if (id === undefined) throw quoteNotFound();
  const owner = customerId === undefined ? undefined : parseTypeId('cus', customerId);
  if (customerId !== undefined && owner === undefined) throw quoteNotFound();
  const quote = owner === undefined ? await findAnyQuote(pool, id) : await store.find(owner, id);
  if (quote === undefined) throw quoteNotFound();
  return quote;
}
