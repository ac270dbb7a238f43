import type { Pool, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { instantOf, typeId } from '../platform/ids.ts';
import { type EventRow, renderMessage } from './render-event.ts';

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

const COLUMNS = `sequence, id, type, at, quote_id, transaction_id, deposit_id, version, status, previous_status,
  client_reference, detail`;

/** A customer's feed for those who follow it by its places, without holding a request open. */
export class CustomerFeed {
  readonly #pool: Pool;
  readonly #customerId: string;

  constructor(pool: Pool, customerId: string) {
    this.#pool = pool;
    this.#customerId = customerId;
  }

  async read({ after, from, to, until, limit }: FeedPart): Promise<FeedEvent[]> {
    const { rows } = await this.#pool.query<EventRow>({
      name: 'read_customer_feed',
      text: `select ${COLUMNS} from feed_events
             where customer_id = $1 and kept_at > $2 and sequence > $2 and ($3::timestamptz is null or at >= $3)
               and ($4::timestamptz is null or at < $4) and ($5::bigint is null or kept_at <= $5 + 1 and sequence <= $5)
             order by kept_at, sequence limit $6`,
      values: [
        this.#customerId,
        after.toString(),
        from === undefined ? null : isoInstant(from),
        to === undefined ? null : isoInstant(to),
        until?.toString() ?? null,
        limit,
      ],
    });
    return rows.map(feedEventOf);
  }

  /** Events by their ids (UUIDs); those that are kept no longer are left out. */
  async find(ids: readonly string[]): Promise<FeedEvent[]> {
    if (ids.length === 0) return [];
    const instants = ids.map(instantOf);
    // Within these instants, so that the tables of other days are not looked into.
    const { rows } = await this.#pool.query<EventRow>({
      name: 'find_customer_events',
      text: `select ${COLUMNS} from feed_events
             where customer_id = $1 and at >= $2 and at <= $3
               and kept_at = any (
                 select ('x' || right(replace(i::text, '-', ''), 10))::bit(40)::bigint + n from unnest($4::uuid[]) i, generate_series(0, 1) n)
               and id = any ($4)`,
      values: [this.#customerId, isoInstant(Math.min(...instants)), isoInstant(Math.max(...instants)), ids],
    });
    return rows.map(feedEventOf);
  }
}

/** Held, so that nothing happens in between: the place of the newest event. */
export async function lockFeedEnd(connection: Queryable, customerId: string): Promise<bigint> {
  const { rows } = await connection.query<{ last: string }>(
    'select last_event_sequence as last from customer_usage where customer_id = $1 for update',
    [customerId],
  );
  return BigInt(rows[0]?.last ?? 0);
}

/** Whether somebody is to be told when the feed, whose end is held, goes on. */
export async function followFeed(
  connection: Queryable,
  customerId: string,
  isFollowed: boolean,
): Promise<void> {
  await connection.query(
    'update customer_usage set feed_news = case when $2 then true end where customer_id = $1',
    [customerId, isFollowed],
  );
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
