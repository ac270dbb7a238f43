import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { customerOf } from '../http/context.ts';
import type { HeldPolls } from '../http/held-polls.ts';
import { acceptAny } from '../http/schema.ts';
import { FeedEnds, findPlace, listEvents, readEventQuery } from './list-events.ts';
import { EventList, EventQuery } from './schema.ts';

export interface EventServices {
  readonly pool: Pool;
  readonly polls: HeldPolls;
}

/** The customer's event feed, to be polled without loss. */
export function eventRoutes(app: FastifyInstance, { pool, polls }: EventServices): void {
  const ends = new FeedEnds(pool);
  app.get(
    '/v1/customer/events',
    {
      config: { access: { audience: 'customer', scope: 'transactions:read' }, rate: 'reads' },
      schema: {
        summary: 'Event feed',
        description: 'With `Prefer: wait=30` an empty page is held until there is an event, 30 s at most.',
        tags: ['Events'],
        querystring: EventQuery,
        response: { 200: EventList },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { customerId } = customerOf(request);
      const wanted = readEventQuery(customerId, request.query);
      let place = await findPlace(pool, wanted);
      let page = await listEvents(pool, wanted, place);
      if (page.isEmpty) {
        const later = await polls.waitFor(request, reply, customerId, async () => {
          const end = await ends.of(customerId);
          if (end <= place.sequence) return undefined;
          const found = await listEvents(pool, wanted, place);
          // All that came were of other types: these are not looked at again.
          if (found.isEmpty) place = { ...place, sequence: end };
          return found.isEmpty ? undefined : found;
        });
        page = later ?? page;
      }
      return reply
        .header('Content-Type', 'application/json; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .send(page.body);
    },
  );
}
