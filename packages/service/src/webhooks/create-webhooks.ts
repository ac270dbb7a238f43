import type { FastifyInstance } from 'fastify';
import { CustomerFeed } from '../events/customer-feed.ts';
import { EVENT_RETENTION_MS } from '../events/list-events.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { deleteDeliveriesBefore } from './delivery-store.ts';
import { Dispatcher } from './dispatcher.ts';
import { longestDue } from './endpoint-store.ts';
import { OperatorFeed } from './operator-feed.ts';
import { deleteOperatorEventsBefore } from './operator-feed-store.ts';
import type { WebhooksRoom } from './room.ts';
import { webhookRoutes } from './routes.ts';
import { type TroubleSources, Troubles } from './troubles.ts';

const DELETED_MAX = 5_000; // limit: Deliveries that one run of the sweep deletes

export interface Webhooks {
  readonly sweeps: readonly Sweep[];
  readonly dispatcher: Dispatcher;
  /** Told of sweeps. */
  readonly troubles: Pick<Troubles, 'sweepRan' | 'sweepFailed'>;
  /** How long the endpoint that waits longest has been due, s. */
  readonly lagSeconds: () => Promise<number>;
  routes(app: FastifyInstance): void;
}

/** The room as the composition root sees it. */
export function createWebhooks(options: Omit<WebhooksRoom, 'feedOf'>, sources: TroubleSources): Webhooks {
  const { pool, clock, realClock } = options;
  const operators = new OperatorFeed(pool);
  const room: WebhooksRoom = {
    ...options,
    feedOf: (owner) => (owner === null ? operators : new CustomerFeed(pool, owner)),
  };
  const dispatcher = new Dispatcher(room);
  const troubles = new Troubles(room, sources);
  return {
    sweeps: [dispatcher.sweep(), forgetSweep(room), troubles.sweep()],
    dispatcher,
    troubles,
    lagSeconds: async () => (await longestDue(pool, realClock.now())) / 1_000,
    routes: (app) => webhookRoutes(app, room),
  };

  function forgetSweep({ pool: of }: WebhooksRoom): Sweep {
    return {
      name: 'forget_deliveries',
      does: 'Deletes webhook deliveries and operator notices past the retention of events.',
      everyMs: 60_000,
      isHousekeeping: true,
      run: async () => {
        const before = clock.now() - EVENT_RETENTION_MS;
        const deliveries = await deleteDeliveriesBefore(of, before, DELETED_MAX);
        return deliveries + (await deleteOperatorEventsBefore(of, before, DELETED_MAX));
      },
    };
  }
}
