import { listEvents } from '@firmquote/api/operations/events';
import type { FastifyInstance } from 'fastify';
import { customerOf } from '../http/context.ts';
import { json, serve } from '../http/serve.ts';
import { FeedEnds, findPlace, readEvents } from './list-events.ts';
import type { EventsRoom } from './room.ts';

/** The customer's event feed, to be polled without loss. */
export function eventRoutes(app: FastifyInstance, { pool, polls }: EventsRoom): void {
  const ends = new FeedEnds(pool);
  serve(app, listEvents, async ({ request, reply, query, wait }) => {
    const { customerId } = customerOf(request);
    const wanted = { customerId, ...query };
    let place = await findPlace(pool, wanted);
    const page = await readEvents(pool, wanted, place);
    if (!page.isEmpty) return json(page.body);
    const later = await polls.waitFor(request, reply, wait, customerId, async () => {
      const end = await ends.of(customerId);
      if (end <= place.sequence) return undefined;
      const found = await readEvents(pool, wanted, place);
      // All that came were of other types: these are not looked at again.
      if (found.isEmpty) place = { ...place, sequence: end };
      return found.isEmpty ? undefined : found;
    });
    return json((later ?? page).body);
  });
}
