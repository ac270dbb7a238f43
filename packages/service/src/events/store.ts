import type { Pool, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import type { FeedPart } from './customer-feed.ts';
import type { EventRow } from './render-event.ts';

/** SQL of reading the customers' feeds, and of keeping their tables. `append.ts` writes events. */

const COLUMNS = `sequence, id, type, at, quote_id, transaction_id, deposit_id, version, status, previous_status,
  client_reference, detail`;

/** Events of a part of a feed, in their order. */
export async function readFeedPart(
  pool: Pool,
  customerId: string,
  { after, from, to, until, limit }: FeedPart,
): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>({
    name: 'read_customer_feed',
    text: `select ${COLUMNS} from feed_events
           where customer_id = $1 and kept_at > $2 and sequence > $2 and ($3::timestamptz is null or at >= $3)
             and ($4::timestamptz is null or at < $4) and ($5::bigint is null or kept_at <= $5 + 1 and sequence <= $5)
           order by kept_at, sequence limit $6`,
    values: [
      customerId,
      after.toString(),
      from === undefined ? null : isoInstant(from),
      to === undefined ? null : isoInstant(to),
      until?.toString() ?? null,
      limit,
    ],
  });
  return rows;
}

/**
 * Events by their ids (UUIDs); those that are kept no longer are left out. They are looked for between two instants, so that
 * the tables of other days are not looked into.
 */
export async function findFeedEvents(
  pool: Pool,
  customerId: string,
  ids: readonly string[],
  first: number,
  last: number,
): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>({
    name: 'find_customer_events',
    text: `select ${COLUMNS} from feed_events
           where customer_id = $1 and at >= $2 and at <= $3
             and kept_at = any (
               select ('x' || right(replace(i::text, '-', ''), 10))::bit(40)::bigint + n from unnest($4::uuid[]) i, generate_series(0, 1) n)
             and id = any ($4)`,
    values: [customerId, isoInstant(first), isoInstant(last), ids],
  });
  return rows;
}

/** Events after a place, in their order; of some types only, where these are given. */
export async function readEventsAfter(
  pool: Pool,
  customerId: string,
  sequence: bigint,
  types: readonly string[] | undefined,
  rowsMax: number,
): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>({
    // Planned once: there is a table for each day.
    name: 'read_events',
    text: `select ${COLUMNS} from feed_events
     where customer_id = $1 and kept_at > $2 and sequence > $2 and ($3::text[] is null or type = any ($3))
     order by kept_at, sequence limit $4`,
    values: [customerId, sequence.toString(), types ?? null, rowsMax],
  });
  return rows;
}

/** Whether an event of an instant is at a place of the feed, looked for in the table of its day alone. */
export async function isInFeed(
  pool: Pool,
  customerId: string,
  id: string,
  sequence: bigint,
  at: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from feed_events
     where customer_id = $1 and kept_at between $2 and $2 + 1 and sequence = $2 and id = $3 and at = $4`,
    [customerId, sequence.toString(), id, isoInstant(at)],
  );
  return rowCount === 1;
}

/** The newest event of a feed: its place, and its id while it is kept. */
export async function readNewest(
  pool: Pool,
  customerId: string,
): Promise<{ readonly sequence: string; readonly id: string | null } | undefined> {
  const { rows } = await pool.query<{ sequence: string; id: string | null }>(
    `select last_event_sequence as sequence,
            (select id from feed_events where customer_id = $1 and kept_at between last_event_sequence and last_event_sequence + 1
               and sequence = last_event_sequence)
     from customer_usage where customer_id = $1`,
    [customerId],
  );
  return rows[0];
}

/** The id of the event at a place, and the places of the oldest event that is kept and of the newest of all. */
interface FeedSpan {
  readonly id: string | null;
  readonly oldest: string | null;
  readonly last: string | null;
}

export async function readFeedSpan(
  pool: Pool,
  customerId: string,
  sequence: bigint,
): Promise<FeedSpan | undefined> {
  const { rows } = await pool.query<FeedSpan>(
    `select (select id from feed_events where customer_id = $1 and kept_at between $2 and $2 + 1 and sequence = $2),
            (select sequence from feed_events where customer_id = $1 order by kept_at, sequence limit 1) as oldest,
            (select last_event_sequence from customer_usage where customer_id = $1) as last`,
    [customerId, sequence.toString()],
  );
  return rows[0];
}

/** The places of the customers' newest events, in the order of the customers; 0 before the first. */
export async function readFeedEnds(pool: Pool, customerIds: readonly string[]): Promise<bigint[]> {
  const { rows } = await pool.query<{ customer_id: string; last: string }>(
    'select customer_id, last_event_sequence as last from customer_usage where customer_id = any ($1::uuid[])',
    [customerIds],
  );
  const ends = new Map(rows.map(({ customer_id, last }) => [customer_id, BigInt(last)]));
  return customerIds.map((id) => ends.get(id) ?? 0n);
}

/** Held, so that nothing happens in between: the place of the newest event. */
export async function lockFeedEnd(connection: Queryable, customerId: string): Promise<bigint> {
  const { rows } = await connection.query<{ last: string }>(
    'select last_event_sequence as last from customer_usage where customer_id = $1 for update',
    [customerId],
  );
  return BigInt(rows[0]?.last ?? 0);
}

/** Whether somebody is to be notified when the feed, whose end is held, goes on. */
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

/**
 * Makes the tables of the days that come, and drops those of days whose events are all older than `keptFrom`.
 * @param deletedMax events of no day's own table that are deleted one by one
 * @returns about how many events went
 */
export async function keepDayTables(
  pool: Pool,
  now: number,
  keptFrom: number,
  deletedMax: number,
): Promise<number> {
  const { rows } = await pool.query<{ gone: string }>('select keep_event_days($1, $2, $3) as gone', [
    isoInstant(now),
    isoInstant(keptFrom),
    deletedMax,
  ]);
  return Number.parseInt(rows[0]?.gone ?? '0', 10);
}
