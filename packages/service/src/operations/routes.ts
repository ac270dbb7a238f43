import type { FastifyInstance } from 'fastify';
import { Type } from '../platform/typebox.ts';
import { checkReadiness, type HealthServices } from './health.ts';
import type { Metrics } from './metrics.ts';

const CheckSchema = Type.Object({ ok: Type.Boolean(), detail: Type.String() });
const ReadinessSchema = Type.Object({
  ready: Type.Boolean(),
  checks: Type.Object({
    database: CheckSchema,
    writes: CheckSchema,
    clock: CheckSchema,
    prices: CheckSchema,
    calendars: CheckSchema,
    accepting: CheckSchema,
  }),
});

/** `/healthz` says that the process runs, `/readyz` that it can serve, `/metrics` how it does. */
export function operationsRoutes(
  app: FastifyInstance,
  services: HealthServices & { readonly metrics: Metrics },
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
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    const { registry } = services.metrics;
    return reply.header('Content-Type', registry.contentType).send(await registry.metrics());
  });
}
