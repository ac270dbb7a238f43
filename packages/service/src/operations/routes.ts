import type { FastifyInstance } from 'fastify';
import { Type } from '../platform/typebox.ts';
import { checkPricing, checkReadiness, type HealthServices, type PricingServices } from './health.ts';
import type { Metrics } from './metrics.ts';

const CheckSchema = Type.Object({ ok: Type.Boolean(), detail: Type.String() });
const ReadinessSchema = Type.Object({
  ready: Type.Boolean(),
  checks: Type.Object({
    database: CheckSchema,
    writes: CheckSchema,
    migrations: CheckSchema,
    clock: CheckSchema,
    accepting: CheckSchema,
  }),
});
const PricingReadinessSchema = Type.Object({
  ready: Type.Boolean(),
  checks: Type.Object({ prices: CheckSchema, calendars: CheckSchema }),
});

/** `/healthz` says that the process runs, `/readyz` that it can serve, `/readyz/prices` that it can price, `/metrics` how it does. */
export function operationsRoutes(
  app: FastifyInstance,
  services: HealthServices & PricingServices & { readonly metrics: Metrics },
): void {
  app.get(
    '/healthz',
    {
      schema: {
        summary: 'Is the process alive',
        tags: ['Operations'],
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    async () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Can it serve',
        description: 'For balancers. It does not ask for prices: `/readyz/prices` does.',
        tags: ['Operations'],
        response: { 200: ReadinessSchema, 503: ReadinessSchema },
      },
    },
    async (_request, reply) => {
      const readiness = await checkReadiness(services);
      return reply
        .code(readiness.ready ? 200 : 503)
        .header('Cache-Control', 'no-store')
        .send(readiness);
    },
  );
  app.get(
    '/readyz/prices',
    {
      schema: {
        summary: 'Can it price',
        description: 'For alarms. Without prices everything but quoting is served.',
        tags: ['Operations'],
        response: { 200: PricingReadinessSchema, 503: PricingReadinessSchema },
      },
    },
    async (_request, reply) => {
      const readiness = checkPricing(services);
      return reply
        .code(readiness.ready ? 200 : 503)
        .header('Cache-Control', 'no-store')
        .send(readiness);
    },
  );
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    const { registry } = services.metrics;
    return reply.header('Content-Type', registry.contentType).send(await registry.metrics());
  });
}
