import type { Pool } from '../database/pool.ts';
import type { FeedEvent, FeedPart } from '../events/customer-feed.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { AddressGuard } from './address-guard.ts';

/** What an endpoint follows: events in order, each with a place, kept for a while. */
export interface Feed {
  read(part: FeedPart): Promise<FeedEvent[]>;
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
  /** Told of each attempt: `delivered`, or how it failed. */
  readonly onAttempt?: ((outcome: string) => void) | undefined;
  /** Draws from 0 to 1, for the jitter. */
  readonly chance: () => number;
  /** Certificates that are believed beside those that Node believes. */
  readonly ca?: string | undefined;
  /** Of an attempt. */
  readonly limitMs?: number | undefined;
}
