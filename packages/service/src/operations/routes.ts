import * as api from '@firmquote/api/operations/health';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { serveRaw } from '../http/serve.ts';
import { checkPricing, checkReadiness, type HealthServices, type PricingServices } from './health.ts';
import type { Metrics } from './metrics.ts';

/**
 * `/healthz` says that the process runs, `/readyz` that it can serve, `/readyz/prices` that it can price, `/metrics` how it
 * does. Probes send what they like in the query.
 */
export function operationsRoutes(
  app: FastifyInstance,
  services: HealthServices & PricingServices & { readonly metrics: Metrics },
): void {
  serveRaw(app, api.getLiveness, async () => ({ status: 'ok' }));
  serveRaw(app, api.getReadiness, async (_request, reply) => told(reply, await checkReadiness(services)));
  serveRaw(app, api.getPricingReadiness, async (_request, reply) => told(reply, checkPricing(services)));
  app.get('/metrics', async (_request, reply) => {
    const { registry } = services.metrics;
    return reply.header('Content-Type', registry.contentType).send(await registry.metrics());
  });
}

function told(reply: FastifyReply, readiness: { readonly ready: boolean }): FastifyReply {
  return reply
    .code(readiness.ready ? 200 : 503)
    .header('Cache-Control', 'no-store')
    .send(readiness);
}
