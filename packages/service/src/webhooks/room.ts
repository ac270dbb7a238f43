import type { FastifyInstance } from 'fastify';
import type { Pool } from '../database/pool.ts';
import { CustomerFeed, type FeedEvent, type FeedPart } from '../events/customer-feed.ts';
import { EVENT_RETENTION_MS } from '../events/list-events.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { AddressGuard } from './address-guard.ts';
import { deleteDeliveriesBefore } from './delivery-store.ts';
import { Dispatcher } from './dispatcher.ts';
import { longestDue } from './endpoint-store.ts';
import { OperatorFeed } from './operator-feed.ts';
import { deleteOperatorEventsBefore } from './operator-feed-store.ts';
import { webhookRoutes } from './routes.ts';
import { type TroubleSources, Troubles } from './troubles.ts';

const DELETED_MAX = 5_000; // limit: Deliveries that one run of the sweep deletes

/** What an endpoint follows: events in order, each with a place, kept for a while. */
export interface Feed {
  read(part: FeedPart): Promise<FeedEvent[]>;
  /**
   * Where an event is, by its id (UUID).
   * @throws Problem cursor_invalid where it is not of this feed
   */
  placeOf(id: string): Promise<bigint>;
  /** By ids (UUIDs), those that are still kept. */
  find(ids: readonly string[]): Promise<FeedEvent[]>;
}

/** Whose an endpoint is: a customer's (UUID), or operators'. */
export type Owner = string | null;

/** What the use cases of this room work with. */
export interface WebhooksRoom {
  readonly pool: Pool;
  /** Of events, and how long they are kept. */
  readonly clock: Clock;
  /** Of attempts and leases: receivers compare with theirs. */
  readonly realClock: Clock;
  readonly logger: Logger;
  readonly guard: AddressGuard;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly feedOf: (owner: Owner) => Feed;
  /** Called after each attempt: `delivered`, or how it failed. */
  readonly onAttempt?: ((outcome: string) => void) | undefined;
  /** Draws from 0 to 1, for the jitter. */
  readonly chance: () => number;
  /** Certificates that are believed beside those that Node believes. */
  readonly ca?: string | undefined;
  /** Of an attempt. */
  readonly limitMs?: number | undefined;
}

/** What the rest of the service sees of this room. */
export interface Webhooks {
  readonly sweeps: readonly Sweep[];
  readonly dispatcher: Dispatcher;
  /** Called after sweeps. */
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
