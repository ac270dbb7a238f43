import { tradeDateAt, tradeDateEnd } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { sendCacheable } from '../http/cacheable.ts';
import { customerOf } from '../http/context.ts';
import { linkedPage } from '../http/paging.ts';
import { acceptAny } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TSchema } from '../platform/typebox.ts';
import { listCurrencies } from './currencies.ts';
import { executionPolicy } from './execution-policy.ts';
import { interruptedPairs, marketStatus } from './market-status.ts';
import { listPairs } from './pairs.ts';
import * as schema from './schema.ts';
import type { ReferenceServices } from './service.ts';
import { explainPair } from './value-dates.ts';

const PATH = '/v1/customer/reference';
/** Calendars and cut-offs may change at any time; so long a caller may go on with what it has. */
const MAX_AGE_SECONDS = 10;
/** What moves with the clock and the market is asked again each time, which costs nothing when it has not moved. */
const ALWAYS_ASK = 0;

/** `/v1/customer/reference/…`: what can be traded, when it settles, and by which rules (docs/interface.md#value-dates). */
export function referenceRoutes(app: FastifyInstance, services: ReferenceServices): void {
  app.get(
    `${PATH}/currencies`,
    route('Currencies', schema.listOf(schema.CurrencyReference)),
    (request, reply) => sendCacheable(request, reply, { items: listCurrencies(services) }, MAX_AGE_SECONDS),
  );

  app.get(
    `${PATH}/pairs`,
    listRoute('Pairs, and what you may trade of them', schema.PairPage, schema.PairQuery),
    async (request, reply) => {
      const page = await listPairs(services, customerOf(request).customerId, request.query);
      linkedPage(request, reply, page);
      return sendCacheable(request, reply, page, ALWAYS_ASK);
    },
  );

  app.get(
    `${PATH}/value-dates`,
    listRoute('Why a pair settles when it does', schema.ValueDateExplanation, schema.ValueDateQuery),
    (request, reply) => sendCacheable(request, reply, explainPair(services, request.query), ALWAYS_ASK),
  );

  app.get(
    `${PATH}/market-status`,
    route('Is the market open', schema.MarketStatusAnswer),
    (request, reply) => {
      const tradeDate = tradeDateAt(services.clock.now());
      const body = {
        market: marketStatus(services.market),
        tradeDate,
        tradeDateEndsAt: isoInstant(tradeDateEnd(tradeDate)),
        interruptedPairs: interruptedPairs(services.market, customerOf(request).customerId),
      };
      return sendCacheable(request, reply, body, ALWAYS_ASK);
    },
  );

  app.get(
    `${PATH}/execution-policy`,
    route('How quotes are made and executed', schema.ExecutionPolicy),
    async (request, reply) => {
      const profile = await services.customers.profile(customerOf(request).customerId);
      return sendCacheable(request, reply, executionPolicy(profile), MAX_AGE_SECONDS);
    },
  );
}

function route(summary: string, answer: TSchema) {
  return {
    config: { access: { audience: 'customer', scope: 'quotes:read' }, rate: 'reads' },
    schema: { summary, tags: ['Reference'], response: { 200: answer } },
  } as const;
}

/** With query parameters, which the use case checks with messages that name values. */
function listRoute(summary: string, answer: TSchema, querystring: TSchema) {
  const { config, schema: described } = route(summary, answer);
  return { config, schema: { ...described, querystring }, validatorCompiler: acceptAny } as const;
}
