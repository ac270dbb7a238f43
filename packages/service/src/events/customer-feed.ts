import type { Pool } from '../database/pool.ts';
import { instantOf, typeId } from '../platform/ids.ts';
import { findPlace } from './list-events.ts';
import { type EventRow, renderMessage } from './render-event.ts';
import { findFeedEvents, readFeedPart } from './store.ts';

/** An event as it is sent. */
export interface FeedEvent {
  readonly sequence: bigint;
  /** UUID. */
  readonly id: string;
  readonly type: string;
  /** What it is about, and in order with; undefined: nothing. */
  readonly resource: string | undefined;
  /** JSON. */
  readonly message: string;
}

/** A part of a feed: after a place, and where they are given of these instants, and up to another place. */
export interface FeedPart {
  readonly after: bigint;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly until?: bigint | undefined;
  readonly limit: number;
}

/** A customer's feed for those who follow it by its places, without holding a request open. */
export class CustomerFeed {
  readonly #pool: Pool;
  readonly #customerId: string;

  constructor(pool: Pool, customerId: string) {
    this.#pool = pool;
    this.#customerId = customerId;
  }

  async read(part: FeedPart): Promise<FeedEvent[]> {
    return (await readFeedPart(this.#pool, this.#customerId, part)).map(feedEventOf);
  }

  /**
   * Where an event is, by its id (UUID), also when it is kept no longer.
   * @throws Problem cursor_invalid where it was never in this feed
   */
  async placeOf(id: string): Promise<bigint> {
    const place = await findPlace(this.#pool, { customerId: this.#customerId, after: typeId('evt', id) });
    return place.sequence;
  }

  /** Events by their ids (UUIDs); those that are kept no longer are left out. */
  async find(ids: readonly string[]): Promise<FeedEvent[]> {
    if (ids.length === 0) return [];
    const instants = ids.map(instantOf);
    const [first, last] = [Math.min(...instants), Math.max(...instants)];
    return (await findFeedEvents(this.#pool, this.#customerId, ids, first, last)).map(feedEventOf);
  }
}

function feedEventOf(row: EventRow): FeedEvent {
  return {
    sequence: BigInt(row.sequence),
    id: row.id,
    type: row.type,
    resource: resourceOf(row),
    message: renderMessage(row),
  };
}

/** `quote.executed` is of the quote, though it names the transaction. */
function resourceOf(row: EventRow): string | undefined {
  const detail = row.detail === null ? {} : (JSON.parse(row.detail) as { readonly withdrawalId?: string });
  const own = (prefix: 'quote' | 'txn' | 'dep', id: string | null) =>
    id === null ? undefined : typeId(prefix, id);
  const quote = own('quote', row.quote_id);
  if (row.type.startsWith('quote.')) return quote;
  return detail.withdrawalId ?? own('txn', row.transaction_id) ?? own('dep', row.deposit_id) ?? quote;
}
