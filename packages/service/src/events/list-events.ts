import type { EventType } from '@firmquote/api/operations/events';
import { Batcher } from '../database/batcher.ts';
import type { Pool } from '../database/pool.ts';
import { eventSequenceOf, instantOf, parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { renderEvent } from './render-event.ts';
import { isInFeed, keepDayTables, readEventsAfter, readFeedEnds, readFeedSpan, readNewest } from './store.ts';

/** How long events are kept (docs/interface.md#events). */
export const EVENT_RETENTION_MS = 30 * 24 * 3_600_000; // limit

/** Ids can carry later ones, which no calendar writes with four digits of a year. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** In place of an event: the newest one, whichever that is. */
const LATEST = 'latest';

/** What of the feed is wanted. */
interface EventRequest {
  readonly customerId: string;
  /** The last event that was seen, or {@link LATEST}. */
  readonly after: string | undefined;
  readonly types: readonly EventType[] | undefined;
  readonly limit: number;
}

/** A place in the feed. */
interface EventPlace {
  readonly sequence: bigint;
  /** The event there. */
  readonly after: string | undefined;
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
export async function findPlace(
  pool: Pool,
  { customerId, after }: Pick<EventRequest, 'customerId' | 'after'>,
): Promise<EventPlace> {
  if (after === undefined) return { sequence: 0n, after, missed: 0n };
  if (after === LATEST) return findNewest(pool, customerId);
  const uuid = parseTypeId('evt', after);
  if (uuid === undefined) throw cursorInvalid();
  const sequence = eventSequenceOf(uuid);
  if (await isOfFeed(pool, customerId, uuid, sequence)) return { sequence, after, missed: 0n };
  const span = await readFeedSpan(pool, customerId, sequence);
  const { id = null, oldest = null, last = null } = span ?? {};
  if (id === uuid) return { sequence, after, missed: 0n };
  const next = oldest === null ? BigInt(last ?? 0) + 1n : BigInt(oldest);
  if (id !== null || sequence <= 0n || sequence >= next) throw cursorInvalid();
  return { sequence, after, missed: next - sequence - 1n };
}

async function findNewest(pool: Pool, customerId: string): Promise<EventPlace> {
  const { sequence = '0', id = null } = (await readNewest(pool, customerId)) ?? {};
  return { sequence: BigInt(sequence), after: id === null ? undefined : typeId('evt', id), missed: 0n };
}

/** Whether it is there, looked for in the table of its day alone: an id carries the instant of its event. */
async function isOfFeed(pool: Pool, customerId: string, uuid: string, sequence: bigint): Promise<boolean> {
  const at = instantOf(uuid);
  if (at > LAST_INSTANT) return false;
  return isInFeed(pool, customerId, uuid, sequence, at);
}

/**
 * `GET /v1/customer/events`: the customer's feed in the order of its commits, without gaps. Reading on from the last
 * id seen misses nothing, which lists sorted by `updatedAt` cannot promise. Of some types only, it goes on behind the others too: who was
 * shown none of them for long would look through them again each time, and be told that he missed them when they are deleted.
 */
export async function readEvents(
  pool: Pool,
  { customerId, types, limit }: EventRequest,
  { sequence, after, missed }: EventPlace,
): Promise<EventPage> {
  // First, so that all up to there are among those that are looked through.
  const newest = types === undefined ? undefined : await findNewest(pool, customerId);
  const rows = await readEventsAfter(pool, customerId, sequence, types, limit + 1);
  const shown = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = shown.at(-1);
  const isBehind = !hasMore && newest !== undefined && newest.sequence > BigInt(last?.sequence ?? sequence);
  const own = last === undefined ? after : typeId('evt', last.id);
  const lastEventId = (isBehind ? newest.after : undefined) ?? own ?? null;
  return {
    isEmpty: last === undefined,
    body: `{"items":[${shown.map(renderEvent).join(',')}],"lastEventId":${JSON.stringify(lastEventId)},"hasMore":${hasMore},"missed":${missed}}`,
  };
}

/** Looks for new events, for all who wait, in one statement. */
export class FeedEnds {
  readonly #ends: Batcher<string, bigint>;

  constructor(pool: Pool) {
    this.#ends = new Batcher({
      name: 'read_feed_ends',
      run: (customerIds) => readFeedEnds(pool, customerIds),
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

export function cursorInvalid(): Problem {
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
export function keepEventDays(pool: Pool, now: number): Promise<number> {
  return keepDayTables(pool, now, now - EVENT_RETENTION_MS, DELETED_MAX);
}
