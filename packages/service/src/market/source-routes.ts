import type { FastifyInstance } from 'fastify';
import { idempotent } from '../http/idempotency.ts';
import { ProblemSchema } from '../http/schema.ts';
import { healthView, sourceHealthView } from './health-view.ts';
import { access, actorOf, type MarketRoutesOptions, tags } from './route-helpers.ts';
import * as schema from './schema.ts';
import { switchSource } from './switch-source.ts';

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
