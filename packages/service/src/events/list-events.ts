import type { EventType } from '@firmquote/api/operations/events';
import { Batcher } from '../database/batcher.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventSequenceOf, instantOf, parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type EventRow, renderEvent } from './render-event.ts';

/** How long events are kept (docs/interface.md#events). */
export const EVENT_RETENTION_MS = 30 * 24 * 3_600_000; // limit

/** Ids can carry later ones, which no calendar writes with four digits of a year. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** What of the feed is wanted. */
interface EventRequest {
  readonly customerId: string;
  /** The last event that was seen. */
  readonly after: string | undefined;
  readonly types: readonly EventType[] | undefined;
  readonly limit: number;
}

/** A place in the feed. */
interface EventPlace {
  readonly sequence: bigint;
  /** How many events behind the one that was named are kept no longer, and so were never seen. */
  readonly missed: bigint;
}

export interface EventPage {
  readonly isEmpty: boolean;
  /** JSON of the page. */
  readonly body: string;
}

/**
 * Where the feed goes on. An id that was never in this feed is refused, not guessed at; one that is kept no longer is as good
 * as ever, and what lies between it and the oldest event that is kept is counted.
 * @throws Problem cursor_invalid
 */
export async function findPlace(pool: Pool, { customerId, after }: EventRequest): Promise<EventPlace> {
  if (after === undefined) return { sequence: 0n, missed: 0n };
  const uuid = parseTypeId('evt', after);
  if (uuid === undefined) throw cursorInvalid();
  const sequence = eventSequenceOf(uuid);
  if (await isOfFeed(pool, customerId, uuid, sequence)) return { sequence, missed: 0n };
  const { rows } = await pool.query<{ id: string | null; oldest: string | null; last: string | null }>(
    `select (select id from feed_events where customer_id = $1 and kept_at between $2 and $2 + 1 and sequence = $2),
            (select sequence from feed_events where customer_id = $1 order by kept_at, sequence limit 1) as oldest,
            (select last_event_sequence from customer_usage where customer_id = $1) as last`,
    [customerId, sequence.toString()],
  );
  const { id = null, oldest = null, last = null } = rows[0] ?? {};
  if (id === uuid) return { sequence, missed: 0n };
  const next = oldest === null ? BigInt(last ?? 0) + 1n : BigInt(oldest);
  if (id !== null || sequence <= 0n || sequence >= next) throw cursorInvalid();
  return { sequence, missed: next - sequence - 1n };
}

/** Whether it is there, looked for in the table of its day alone: an id carries the instant of its event. */
async function isOfFeed(pool: Pool, customerId: string, uuid: string, sequence: bigint): Promise<boolean> {
  const at = instantOf(uuid);
  if (at > LAST_INSTANT) return false;
  const { rowCount } = await pool.query(
    `select from feed_events
     where customer_id = $1 and kept_at between $2 and $2 + 1 and sequence = $2 and id = $3 and at = $4`,
    [customerId, sequence.toString(), uuid, isoInstant(at)],
  );
  return rowCount === 1;
}

/**
 * `GET /v1/customer/events`: the customer's feed in the order of its commits, without gaps. Reading on from the last
 * id seen misses nothing, which lists sorted by `updatedAt` cannot promise.
 */
export async function readEvents(
  pool: Pool,
  { customerId, after, types, limit }: EventRequest,
  { sequence, missed }: EventPlace,
): Promise<EventPage> {
  const { rows } = await pool.query<EventRow>({
    // Planned once: there is a table for each day.
    name: 'read_events',
    text: `select sequence, id, type, at, quote_id, transaction_id, deposit_id, version, status, previous_status,
            client_reference, detail
     from feed_events
     where customer_id = $1 and kept_at > $2 and sequence > $2 and ($3::text[] is null or type = any ($3))
     order by kept_at, sequence limit $4`,
    values: [customerId, sequence.toString(), types ?? null, limit + 1],
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const lastEventId = last === undefined ? (after ?? null) : typeId('evt', last.id);
  return {
    isEmpty: last === undefined,
    body: `{"items":[${shown.map(renderEvent).join(',')}],"lastEventId":${JSON.stringify(lastEventId)},"hasMore":${rows.length > limit},"missed":${missed}}`,
  };
}

/** Tells of new events for all that wait for some, in one question. */
export class FeedEnds {
  readonly #ends: Batcher<string, bigint>;

  constructor(pool: Pool) {
    this.#ends = new Batcher({
      name: 'read_feed_ends',
      run: (customerIds) => readEnds(pool, customerIds),
      maxInFlight: 1,
      maxBatch: 256,
      maxQueue: 20_000,
    });
  }

  /** The sequence of the customer's newest event; 0 before the first. */
  of(customerId: string): Promise<bigint> {
    return this.#ends.submit(customerId);
  }
}

async function readEnds(pool: Pool, customerIds: readonly string[]): Promise<bigint[]> {
  const { rows } = await pool.query<{ customer_id: string; last: string }>(
    'select customer_id, last_event_sequence as last from customer_usage where customer_id = any ($1::uuid[])',
    [customerIds],
  );
  const ends = new Map(rows.map(({ customer_id, last }) => [customer_id, BigInt(last)]));
  return customerIds.map((id) => ends.get(id) ?? 0n);
}

function cursorInvalid(): Problem {
  return new Problem('cursor_invalid', 'The event named in `after` is not in this feed.', {
    field: '/query/after',
  });
}

/** Events of no day's own table that one run deletes one by one. */
const DELETED_MAX = 5_000; // limit: Events that one run of the sweep deletes one by one

/**
 * Makes the tables of the days that come and drops those of days whose events are all past their retention. Answers about how
 * many events went.
 */
export async function keepEventDays(pool: Pool, now: number): Promise<number> {
  const { rows } = await pool.query<{ gone: string }>('select keep_event_days($1, $2, $3) as gone', [
    isoInstant(now),
    isoInstant(now - EVENT_RETENTION_MS),
    DELETED_MAX,
  ]);
  return Number.parseInt(rows[0]?.gone ?? '0', 10);
}
