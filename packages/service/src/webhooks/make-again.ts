import { inTransaction } from '../database/pool.ts';
import { cursorInvalid } from '../events/list-events.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid, parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import {
  countPending,
  type DeliveryRow,
  findDelivery,
  findReplayed,
  insertDelivery,
  restartDeliveries,
  restartEvents,
} from './delivery-store.ts';
import { takeEndpoint } from './endpoint-store.ts';
import { verdictOf } from './retry-schedule.ts';
import type { Owner, WebhooksRoom } from './room.ts';
import { Sender } from './send.ts';
import { existingEndpoint } from './set-endpoint.ts';
import { signerOf } from './signing.ts';
import { loggedAttempt, signedMessage, stateOf } from './take-turn.ts';

/** Deliveries that owners order: a test, and what was sent once more. */

const REPLAYED_MAX = 1_000; // limit: Events that one order replays
const REPLAYS_PENDING_MAX = 10_000; // limit: Deliveries of an endpoint that wait, beyond which none are replayed
const TESTS_MAX = 20; // limit: Tests of webhooks under way at once

export const TEST_TYPE = 'webhook.test';

/** What a test says follows from its id and whose it is. @param id UUID @param at its instant */
export function testMessage(owner: Owner, id: string, at: number): string {
  const ofTransactions = { version: null, status: null, previousStatus: null, clientReference: null };
  // What operators are notified of has only the members that it needs.
  const data = { eventId: typeId('evt', id), sequence: 0, ...(owner === null ? {} : ofTransactions) };
  return JSON.stringify({ type: TEST_TYPE, timestamp: isoInstant(at), data });
}

let testing = 0;

/**
 * Sends once, at once, whether the endpoint is enabled or not.
 * @throws Problem webhook_not_found, overloaded
 */
export async function sendTest(room: WebhooksRoom, owner: Owner, id: string): Promise<DeliveryRow> {
  const endpoint = await existingEndpoint(room.pool, owner, id);
  if (testing >= TESTS_MAX)
    throw new Problem('overloaded', 'Too many tests are running.', { headers: { 'Retry-After': '5' } });
  testing++;
  const sender = new Sender(endpoint.url, room.guard, { limitMs: room.limitMs, ca: room.ca });
  try {
    const now = room.clock.now();
    const eventId = newUuid(now);
    const event = {
      ...{ id: eventId, sequence: 0n, type: TEST_TYPE, resource: undefined },
      message: testMessage(owner, eventId, now),
    };
    const at = room.realClock.now();
    const attempt = await sender.send(signedMessage(await signerOf(room, endpoint), event, at));
    if (attempt === undefined) throw new Error('a test was closed while it was under way');
    room.onAttempt?.(attempt.failure ?? 'delivered');
    const isDelivered = verdictOf(attempt, 1, 0).is === 'delivered';
    const item = { event, attempts: 1, log: [loggedAttempt(at, attempt)], isWritten: false };
    const state = stateOf(item, isDelivered ? 'delivered' : 'failed');
    return await inTransaction(room.pool, async (connection) => {
      // It may have been deleted while it was waited for.
      await existingEndpoint(connection, owner, id, true);
      return insertDelivery(connection, id, state);
    });
  } finally {
    testing--;
    sender.close();
  }
}

/** @throws Problem webhook_not_found, also where the event was never sent */
export async function replayDelivery(
  room: WebhooksRoom,
  owner: Owner,
  id: string,
  eventId: string,
): Promise<DeliveryRow> {
  const now = room.realClock.now();
  return inTransaction(room.pool, async (connection) => {
    await existingEndpoint(connection, owner, id, true);
    await restartDeliveries(connection, id, [eventId], now);
    const row = await findDelivery(connection, id, eventId);
    if (row === undefined || row.status !== 'pending')
      throw new Problem('webhook_not_found', 'The webhook has no delivery of this event to repeat.');
    await takeEndpoint(connection, id, now);
    return row;
  });
}

interface ReplayCommand {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly status: DeliveryRow['status'] | undefined;
  /** As the API writes it. */
  readonly after: string | undefined;
}

export interface Replayed {
  readonly replayed: number;
  /** UUID. */
  readonly last: string | undefined;
  readonly hasMore: boolean;
}

/**
 * Events of a time, whether they were sent before or not; or only deliveries with a status.
 * @throws Problem webhook_not_found, cursor_invalid, limit_exceeded
 */
export async function replayMany(
  room: WebhooksRoom,
  owner: Owner,
  id: string,
  { from, to, status, after: afterText }: ReplayCommand,
): Promise<Replayed> {
  const after = afterText === undefined ? undefined : parseTypeId('evt', afterText);
  if (afterText !== undefined && after === undefined) throw cursorInvalid();
  const endpoint = await existingEndpoint(room.pool, owner, id);
  const feed = room.feedOf(owner);
  const limit = REPLAYED_MAX + 1;
  const ids =
    status === undefined ? undefined : await findReplayed(room.pool, id, { from, to, status, after, limit });
  // What comes after its place is sent to it anyhow.
  const until = BigInt(endpoint.sequence);
  const events =
    ids === undefined
      ? await feed.read({
          after: after === undefined ? 0n : await feed.placeOf(after),
          from,
          to,
          until,
          limit,
        })
      : undefined;
  const found = ids ?? events?.map((event) => event.id) ?? [];
  const taken = found.slice(0, REPLAYED_MAX);
  const now = room.realClock.now();
  const replayed = await inTransaction(room.pool, async (connection) => {
    const { types } = await existingEndpoint(connection, owner, id, true);
    if ((await countPending(connection, id, REPLAYS_PENDING_MAX)) >= REPLAYS_PENDING_MAX)
      throw new Problem('limit_exceeded', `${REPLAYS_PENDING_MAX} deliveries are already waiting.`, {
        members: { limitType: 'pending_deliveries', limit: REPLAYS_PENDING_MAX, used: REPLAYS_PENDING_MAX },
      });
    const wanted = (events ?? [])
      .slice(0, REPLAYED_MAX)
      .filter((event) => types.length === 0 || types.includes(event.type));
    if (ids !== undefined) await restartDeliveries(connection, id, taken, now);
    else
      await restartEvents(
        connection,
        id,
        wanted.map((event) => ({
          ...stateOf({ event, attempts: 0, log: [], isWritten: false }, 'pending'),
          nextAttemptAt: now,
        })),
      );
    await takeEndpoint(connection, id, now);
    return ids === undefined ? wanted.length : taken.length;
  });
  return { replayed, last: taken.at(-1), hasMore: found.length > taken.length };
}
