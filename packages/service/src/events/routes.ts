import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import { acceptAny } from '../http/schema.ts';
import { listEvents } from './list-events.ts';
import { EventList, EventQuery } from './schema.ts';

/** The customer's event feed, to be polled without loss. */
export function eventRoutes(app: FastifyInstance, services: { readonly pool: Pool }): void {
  app.get(
    '/v1/customer/events',
    {
      config: { access: { audience: 'customer', scope: 'transactions:read' }, rate: 'reads' },
      schema: {
        summary: 'Event feed',
        tags: ['Events'],
        querystring: EventQuery,
        response: { 200: EventList },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { customerId } = customerOf(request);
      const page = await listEvents(services.pool, customerId, request.query);
      return reply
        .header('Content-Type', 'application/json; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .send(page.body);
    },
  );
}
