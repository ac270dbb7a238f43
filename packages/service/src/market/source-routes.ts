import type { FastifyInstance } from 'fastify';
import { idempotent } from '../http/idempotency.ts';
import { ProblemSchema } from '../http/schema.ts';
import { healthView, sourceHealthView } from './health-view.ts';
import { access, actorOf, type MarketRoutesOptions, tags } from './route-helpers.ts';
import * as schema from './schema.ts';
import { resetSequence, switchSource } from './switch-source.ts';

/** How the sources are, and switching them off and on. */
export function sourceRoutes(app: FastifyInstance, options: MarketRoutesOptions): void {
  app.get(
    '/v1/operator/market/health',
    {
      config: { access },
      schema: {
        tags,
        summary:
          'Health of market data in this instance: sources, their ticks by outcome, pairs with a price',
        response: { 200: schema.MarketHealth, default: ProblemSchema },
      },
    },
    async (_request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return healthView(options.control);
    },
  );
  resetRoute(app, options);
  switchRoute(app, options, false, 'Switch a price source off: none of its prices is used any more');
  switchRoute(app, options, true, 'Switch a price source on again');
}

function switchRoute(
  app: FastifyInstance,
  { control, idempotency }: MarketRoutesOptions,
  enabled: boolean,
  summary: string,
): void {
  app.post(
    `/v1/operator/market/sources/:source/${enabled ? 'enable' : 'disable'}`,
    {
      config: { access },
      schema: {
        tags,
        summary,
        params: schema.SourceParams,
        body: schema.SwitchSource,
        response: { 200: schema.SourceHealthAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const { source } = request.params as { source: string };
      const { reason } = request.body as schema.SwitchSource;
      await switchSource(control, source, enabled, { actor: actorOf(request), reason });
      return { status: 200, body: sourceHealthView(control, source) };
    }),
  );
}

function resetRoute(app: FastifyInstance, { control, idempotency }: MarketRoutesOptions): void {
  app.post(
    '/v1/operator/market/sources/:source/reset-sequence',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set the sequence numbers of a FIX session and log on with them',
        description:
          'For when the two sides have lost count. The session logs out first, so its prices end. It reaches the process that answers. Agree on the numbers with the venue. The last reset stands in the health of the source as `sequenceReset`.',
        params: schema.SourceParams,
        body: schema.ResetSequence,
        response: { 202: schema.SourceHealthAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const { source } = request.params as { source: string };
      const { reason, nextSent = 1, nextReceived = 1 } = request.body as schema.ResetSequence;
      await resetSequence(control, source, { nextSent, nextReceived }, { actor: actorOf(request), reason });
      return { status: 202, body: sourceHealthView(control, source) };
    }),
  );
}
