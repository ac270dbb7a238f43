import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { uuidFloor } from '../platform/ids.ts';

/** SQL of deliveries. */

export type DeliveryRow = Row<'webhook_deliveries'>;

/** One attempt, as it is kept. */
export interface LoggedAttempt {
  readonly at: string;
  readonly durationMs: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly answer: string | null;
}

/** What an attempt made of a delivery. */
export interface DeliveryState {
  readonly eventId: string;
  readonly sequence: bigint;
  readonly type: string;
  readonly resource: string | null;
  readonly status: DeliveryRow['status'];
  readonly attempts: number;
  readonly nextAttemptAt: number | undefined;
  readonly log: readonly LoggedAttempt[];
}

/** What waits, and how much that is in all. */
export interface Pending {
  readonly rows: readonly DeliveryRow[];
  readonly count: number;
}

const LOADED_MAX = 200;

/** The deliveries that are to be tried next, soonest first. */
export async function nextPending(connection: Queryable, endpointId: string): Promise<Pending> {
  const { rows } = await connection.query<DeliveryRow>({
    name: 'webhooks_pending',
    text: `select * from webhook_deliveries where endpoint_id = $1 and status = 'pending'
           order by next_attempt_at limit $2`,
    values: [endpointId, LOADED_MAX],
  });
  return { rows, count: rows.length };
}

/** The first of each resource, which all others of it wait for. */
export async function firstPending(connection: Queryable, endpointId: string): Promise<Pending> {
  const { rows } = await connection.query<DeliveryRow & { total: number }>({
    name: 'webhooks_first_pending',
    text: `select distinct on (coalesce(resource, event_id::text)) d.*, (count(*) over ())::int as total
           from webhook_deliveries d where endpoint_id = $1 and status = 'pending'
           order by coalesce(resource, event_id::text), sequence`,
    values: [endpointId],
  });
  return { rows, count: rows[0]?.total ?? 0 };
}

/** Which of these events have a delivery. */
export async function knownDeliveries(
  connection: Queryable,
  endpointId: string,
  eventIds: readonly string[],
): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const { rows } = await connection.query<Pick<DeliveryRow, 'event_id'>>({
    name: 'known_webhooks',
    text: 'select event_id from webhook_deliveries where endpoint_id = $1 and event_id = any ($2::uuid[])',
    values: [endpointId, eventIds],
  });
  return new Set(rows.map((row) => row.event_id));
}

/** What a turn has come to so far. */
export interface Progress {
  readonly lease: string;
  /** Now, when it may be due again. Of one that is disabled business time, as its other instants and what operators are told have it. */
  readonly at: number;
  /** How far the feed was read and everything in it written down. */
  readonly seen: bigint;
  readonly states: readonly DeliveryState[];
  readonly isSlow: boolean;
  readonly isDone: boolean;
  readonly hasMore: boolean;
  readonly disable: string | undefined;
}

/** False when somebody else has the endpoint by now: then nothing was written. */
export async function recordProgress(
  connection: Queryable,
  endpointId: string,
  progress: Progress,
): Promise<boolean> {
  const { rows } = await connection.query<{ held: boolean }>({
    name: 'record_webhooks',
    text: 'select record_webhooks($1, $2, $3, $4, $5, $6, $7, $8, $9) as held',
    values: [
      endpointId,
      progress.lease,
      isoInstant(progress.at),
      progress.seen.toString(),
      stateRows(progress.states),
      progress.isSlow,
      progress.isDone,
      progress.hasMore,
      progress.disable ?? null,
    ],
  });
  return rows[0]?.held === true;
}

function stateRows(states: readonly DeliveryState[]): string {
  return JSON.stringify(
    states.map((state) => ({
      event_id: state.eventId,
      sequence: state.sequence.toString(),
      type: state.type,
      resource: state.resource,
      status: state.status,
      attempts: state.attempts,
      next_attempt_at: state.nextAttemptAt === undefined ? null : isoInstant(state.nextAttemptAt),
      log: state.log,
    })),
  );
}

/** Writes a delivery that is over, of nobody's turn. */
export async function insertDelivery(
  connection: Connection,
  endpointId: string,
  state: DeliveryState,
): Promise<DeliveryRow> {
  const { rows } = await connection.query<DeliveryRow>(
    `insert into webhook_deliveries (endpoint_id, event_id, sequence, type, resource, status, attempts, next_attempt_at, log)
     select $1, r.event_id, r.sequence, r.type, r.resource, r.status, r.attempts, r.next_attempt_at, r.log
     from json_populate_recordset(null::webhook_deliveries, $2) r returning *`,
    [endpointId, stateRows([state])],
  );
  return rows[0] as DeliveryRow;
}

export async function findDelivery(
  connection: Queryable,
  endpointId: string,
  eventId: string,
): Promise<DeliveryRow | undefined> {
  const { rows } = await connection.query<DeliveryRow>(
    'select * from webhook_deliveries where endpoint_id = $1 and event_id = $2',
    [endpointId, eventId],
  );
  return rows[0];
}

/** Newest event first. `before` is the event that the page begins after. */
export async function listDeliveries(
  connection: Queryable,
  endpointId: string,
  status: readonly DeliveryRow['status'][] | undefined,
  before: string | undefined,
  rowsMax: number,
): Promise<DeliveryRow[]> {
  const { rows } = await connection.query<DeliveryRow>(
    `select * from webhook_deliveries
     where endpoint_id = $1 and ($2::text[] is null or status = any ($2)) and ($3::uuid is null or event_id < $3)
     order by event_id desc limit $4`,
    [endpointId, status ?? null, before ?? null, rowsMax],
  );
  return rows;
}

/** Which deliveries are made again. */
interface Replay {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly status: DeliveryRow['status'] | undefined;
  /** The event that was replayed last (UUID). */
  readonly after: string | undefined;
  readonly limit: number;
}

/** In the order of their events. */
export async function findReplayed(
  connection: Queryable,
  endpointId: string,
  { from, to, status, after, limit }: Replay,
): Promise<string[]> {
  const { rows } = await connection.query<Pick<DeliveryRow, 'event_id'>>(
    `select event_id from webhook_deliveries
     where endpoint_id = $1 and event_id >= $2 and ($3::uuid is null or event_id < $3) and status = $4 and sequence > 0
       and ($5::uuid is null or event_id > $5)
     order by event_id limit $6`,
    [endpointId, uuidFloor(from ?? 0), to === undefined ? null : uuidFloor(to), status, after ?? null, limit],
  );
  return rows.map((row) => row.event_id);
}

/** Their schedule begins anew. */
export async function restartDeliveries(
  connection: Connection,
  endpointId: string,
  eventIds: readonly string[],
  at: number,
): Promise<void> {
  await connection.query(
    `update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = $3
     where endpoint_id = $1 and event_id = any ($2::uuid[]) and sequence > 0`,
    [endpointId, eventIds, isoInstant(at)],
  );
}

/** Makes deliveries of events that have none, and begins those anew that have one. */
export async function restartEvents(
  connection: Connection,
  endpointId: string,
  states: readonly DeliveryState[],
): Promise<void> {
  await connection.query(
    `insert into webhook_deliveries as d
       (endpoint_id, event_id, sequence, type, resource, status, attempts, next_attempt_at, log)
     select $1, r.event_id, r.sequence, r.type, r.resource, r.status, r.attempts, r.next_attempt_at, r.log
     from json_populate_recordset(null::webhook_deliveries, $2) r
     on conflict (endpoint_id, event_id) do update set status = 'pending', attempts = 0,
       next_attempt_at = excluded.next_attempt_at`,
    [endpointId, stateRows(states)],
  );
}

/** Up to so many. */
export async function countPending(connection: Queryable, endpointId: string, most: number): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(
    `select count(*)::int as n from (
       select from webhook_deliveries where endpoint_id = $1 and status = 'pending' limit $2) p`,
    [endpointId, most],
  );
  return rows[0]?.n ?? 0;
}

/** Deletes deliveries of events before an instant; answers how many. */
export async function deleteDeliveriesBefore(
  connection: Queryable,
  before: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from webhook_deliveries d using (
       select x.endpoint_id, x.event_id from webhook_endpoints e
       cross join lateral (
         select o.endpoint_id, o.event_id from webhook_deliveries o
         where o.endpoint_id = e.id and o.event_id < $1 order by o.event_id limit $2) x
       limit $2) old
     where d.endpoint_id = old.endpoint_id and d.event_id = old.event_id`,
    [uuidFloor(before), rowsMax],
  );
  return rowCount ?? 0;
}

/** What waits for earlier events waits for nothing any more. */
export async function releaseBlocked(connection: Connection, endpointId: string, at: number): Promise<void> {
  await connection.query(
    `update webhook_deliveries set next_attempt_at = $2
     where endpoint_id = $1 and status = 'pending' and next_attempt_at is null`,
    [endpointId, isoInstant(at)],
  );
}
