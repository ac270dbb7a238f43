import type { Pool } from '../database/pool.ts';
import { QueryReader } from '../http/query.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventSequenceOf, parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';

/** How long events are kept (contract §9). */
export const EVENT_RETENTION_MS = 30 * 24 * 3_600_000;

interface EventRow {
  sequence: string;
  id: string;
  type: string;
  at: number;
  quote_id: string | null;
  transaction_id: string | null;
  deposit_id: string | null;
  version: number | null;
  status: string | null;
  previous_status: string | null;
  client_reference: string | null;
  detail: string | null;
}

export interface EventPage {
  /** JSON of the page. */
  readonly body: string;
}

/**
 * `GET /v1/customer/events`: the customer's feed in the order of its commits, without gaps. Reading on from the last
 * id seen misses nothing, which lists sorted by `updatedAt` cannot promise.
 */
export async function listEvents(pool: Pool, customerId: string, query: unknown): Promise<EventPage> {
  const reader = new QueryReader(query);
  const after = reader.text('after', 64);
  const types = reader.listMatching('types', /^[a-z_]+\.[a-z_]+$/, 'event types such as transaction.settled');
  const limit = reader.limit();
  reader.finish();
  const from = after === undefined ? 0n : await sequenceOf(pool, customerId, after);
  const { rows } = await pool.query<EventRow>(
    `select sequence, id, type, at, quote_id, transaction_id, deposit_id, version, status, previous_status,
            client_reference, detail
     from events where customer_id = $1 and sequence > $2 and ($3::text[] is null or type = any ($3))
     order by sequence limit $4`,
    [customerId, from.toString(), types ?? null, limit + 1],
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const lastEventId = last === undefined ? (after ?? null) : typeId('evt', last.id);
  return {
    body: `{"items":[${shown.map(renderEvent).join(',')}],"lastEventId":${JSON.stringify(lastEventId)},"hasMore":${rows.length > limit}}`,
  };
}

/** The place of an event that the caller has seen. An id that was never in this feed is refused, not guessed at. */
async function sequenceOf(pool: Pool, customerId: string, text: string): Promise<bigint> {
  const uuid = parseTypeId('evt', text);
  if (uuid === undefined) throw cursorInvalid();
  const sequence = eventSequenceOf(uuid);
  const { rows } = await pool.query<{ id: string | null; oldest: string | null }>(
    `select (select id from events where customer_id = $1 and sequence = $2),
            (select min(sequence) from events where customer_id = $1) as oldest`,
    [customerId, sequence.toString()],
  );
  const row = rows[0];
  if (row?.id === uuid) return sequence;
  // Kept no longer: the feed goes on at its oldest event, and what lies between is gone.
  if (row?.id === null && row.oldest !== null && sequence > 0n && sequence < BigInt(row.oldest))
    return sequence;
  throw cursorInvalid();
}

function cursorInvalid(): Problem {
  return new Problem('cursor_invalid', 'The event named in after is not one of this feed.', {
    field: '/query/after',
  });
}

function renderEvent(row: EventRow): string {
  const eventId = typeId('evt', row.id);
  const data = JSON.stringify({
    eventId,
    sequence: '#',
    ...(row.quote_id === null ? {} : { quoteId: typeId('quote', row.quote_id) }),
    ...(row.transaction_id === null ? {} : { transactionId: typeId('txn', row.transaction_id) }),
    ...(row.deposit_id === null ? {} : { depositId: typeId('dep', row.deposit_id) }),
    version: row.version,
    status: row.status,
    previousStatus: row.previous_status,
    clientReference: row.client_reference,
    ...(row.detail === null ? {} : (JSON.parse(row.detail) as Record<string, unknown>)),
  }).replace('"sequence":"#"', `"sequence":${row.sequence}`);
  return `{"eventId":"${eventId}","sequence":${row.sequence},"type":"${row.type}","timestamp":"${isoInstant(row.at)}","data":${data}}`;
}

/** Forgets events past their retention, a bounded number at a time. Answers how many went. */
export async function forgetOldEvents(pool: Pool, now: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from events where (customer_id, sequence) in
       (select customer_id, sequence from events where at < $1 limit 5000)`,
    [isoInstant(now - EVENT_RETENTION_MS)],
  );
  return rowCount ?? 0;
}
