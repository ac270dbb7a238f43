import * as api from '@firmquote/api/operations/health';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { serveRaw } from '../http/serve.ts';
import type { Neighbours } from '../platform/neighbours.ts';
import { checkPricing, checkReadiness, type PricingHealthRoom, READINESS } from './health.ts';
import { joinMetrics } from './join-metrics.ts';
import type { Metrics } from './metrics.ts';
import { ofAll } from './of-all.ts';
import type { HealthRoom } from './room.ts';

const PRICING = 'ready to price';
const METRICS = 'metrics';

/**
 * `/healthz` says that the process runs, `/readyz` that it can serve, `/readyz/prices` that it can price, `/metrics` how it
 * does. Probes send what they like in the query.
 */
export function operationsRoutes(
  app: FastifyInstance,
  room: HealthRoom &
    PricingHealthRoom & { readonly metrics: Metrics; readonly neighbours?: Neighbours | undefined },
): void {
  const { neighbours } = room;
  const { registry } = room.metrics;
  neighbours?.onAsked(READINESS, () => checkReadiness(room));
  neighbours?.onAsked(PRICING, () => checkPricing(room));
  neighbours?.onAsked(METRICS, () => registry.metrics());
  serveRaw(app, api.getLiveness, async () => ({ status: 'ok' }));
  serveRaw(app, api.getReadiness, async (_request, reply) => {
    const others = ofAll(await checkReadiness(room), neighbours, READINESS, 'accepting');
    return reported(reply, await others);
  });
  serveRaw(app, api.getPricingReadiness, async (_request, reply) => {
    return reported(reply, await ofAll(checkPricing(room), neighbours, PRICING, 'prices'));
  });
  app.get('/metrics', async (_request, reply) => {
    const own = await registry.metrics();
    const others = ((await neighbours?.ask(METRICS)) ?? new Map()).values();
    const text = neighbours === undefined ? own : joinMetrics([own, ...(others as Iterable<string>)]);
    return reply.header('Content-Type', registry.contentType).send(text);
  });
}

function reported(reply: FastifyReply, readiness: { readonly ready: boolean }): FastifyReply {
  return reply
    .code(readiness.ready ? 200 : 503)
    .header('Cache-Control', 'no-store')
    .send(readiness);
}
