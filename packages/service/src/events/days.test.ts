import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { migrate, readSchema, schemaOf } from '../database/migrate.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { appendEvents } from './append.ts';
import { EVENT_RETENTION_MS, findPlace, keepEventDays, readEvents } from './list-events.ts';

/** Events lie in tables by day, which are dropped whole. */

const DAY_MS = 24 * 3_600_000;
const MIDNIGHT = Date.parse('2026-03-02T00:00:00Z');

let pool: Pool;
let desk: Desk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
  desk = await createDesk(pool);
});

const notify = (at: number, { customerId } = desk, to = pool) =>
  appendEvents(to, [{ customerId, type: 'market.closed' }], at);

/** The table of each event of the feed, in its order, with its id. */
async function places({ customerId } = desk, of = pool): Promise<{ place: string; id: string }[]> {
  const { rows } = await of.query<{ place: string; id: string }>(
    'select tableoid::regclass::text as place, id from events where customer_id = $1 order by sequence',
    [customerId],
  );
  return rows;
}
const tablesOf = async (...from: Parameters<typeof places>) =>
  (await places(...from)).map(({ place }) => place);

async function feed(after: string | undefined, { customerId } = desk) {
  const request = { customerId, after, types: undefined, limit: 100 };
  const { body } = await readEvents(pool, request, await findPlace(pool, request));
  return JSON.parse(body) as { items: { eventId: string }[]; missed: number };
}

describe('the feed', () => {
  test('has tables ahead of the day that it is, and loses a day when all of it is past its retention', async () => {
    await keepEventDays(pool, MIDNIGHT);
    for (const at of [MIDNIGHT, MIDNIGHT + DAY_MS - 1, MIDNIGHT + DAY_MS, MIDNIGHT + 8 * DAY_MS - 1])
      await notify(at);
    assert.deepEqual(await tablesOf(), [
      'events_20260302',
      'events_20260302',
      'events_20260303',
      'events_20260309',
    ]);
    const [first, ...others] = await places();
    const ends = MIDNIGHT + DAY_MS + EVENT_RETENTION_MS;
    await keepEventDays(pool, ends - 1);
    assert.equal((await places()).length, 4);
    await keepEventDays(pool, ends);
    assert.deepEqual(await places(), others.slice(1));
    const { items, missed } = await feed(typeId('evt', first?.id ?? ''));
    assert.deepEqual([items.length, missed], [2, 1]);
    const second = await feed(items[0]?.eventId);
    assert.deepEqual([second.items, second.missed], [items.slice(1), 0]);
    for (const unknown of ['ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-00000000ffff'])
      await assert.rejects(feed(typeId('evt', unknown)), { code: 'cursor_invalid' });
  });

  test('keeps what has no table of its week, and deletes it one by one', async () => {
    const other = await createDesk(pool);
    const at = Date.parse('2031-01-15T00:00:00Z');
    await notify(at, other);
    await notify(at + DAY_MS, other);
    await keepEventDays(pool, at);
    // The days after them have a table, those that began without one have none.
    await notify(at + 1, other);
    await notify(at + 2 * DAY_MS, other);
    const inDefault = Array.from({ length: 3 }, () => 'events_default');
    assert.deepEqual(await tablesOf(other), [...inDefault, 'events_20310117']);
    await keepEventDays(pool, at + EVENT_RETENTION_MS + 2);
    assert.deepEqual(await tablesOf(other), ['events_default', 'events_20310117']);
  });

  test('is followed by types without an end: what is of others is passed once, and never missed', async () => {
    const other = await createDesk(pool);
    const at = Date.parse('2035-01-01T00:00:00Z');
    await keepEventDays(pool, at);
    for (let n = 0; n < 3; n++) await notify(at + n, other);
    const [first, , third] = await places(other);
    const funded = async (after: string | undefined, limit = 100) => {
      const request = { customerId: other.customerId, after, types: ['transaction.funded' as const], limit };
      const { body } = await readEvents(pool, request, await findPlace(pool, request));
      return JSON.parse(body) as { items: object[]; missed: number; hasMore: boolean; lastEventId: string };
    };
    const idOf = (event: { id: string } | undefined) => typeId('evt', event?.id ?? '');
    const empty = await funded(idOf(first));
    assert.deepEqual(empty, { items: [], lastEventId: idOf(third), hasMore: false, missed: 0 });
    assert.equal((await funded(undefined)).lastEventId, idOf(third));
    const transactionId = other.customerId;
    for (const type of ['transaction.funded', 'transaction.funded', 'market.opened'] as const)
      await appendEvents(pool, [{ ...{ customerId: other.customerId, transactionId }, type }], at + DAY_MS);
    const [, , , fourth, , sixth] = await places(other);
    const cut = await funded(empty.lastEventId, 1);
    assert.deepEqual([cut.items.length, cut.hasMore, cut.lastEventId], [1, true, idOf(fourth)]);
    const rest = await funded(cut.lastEventId, 1);
    assert.deepEqual([rest.items.length, rest.hasMore, rest.lastEventId], [1, false, idOf(sixth)]);
    await keepEventDays(pool, at + DAY_MS + EVENT_RETENTION_MS);
    assert.equal((await places(other)).length, 3);
    assert.equal((await funded(empty.lastEventId)).missed, 0);
  });

  test('is not held up: who has written in a day is waited for by the next run', async () => {
    const other = await createDesk(pool);
    const at = Date.parse('2033-01-03T00:00:00Z');
    await keepEventDays(pool, at);
    await notify(at, other);
    const late = at + DAY_MS + EVENT_RETENTION_MS;
    await inTransaction(pool, async (connection) => {
      await appendEvents(connection, [{ customerId: other.customerId, type: 'market.opened' }], at + 1);
      await keepEventDays(pool, late);
    });
    assert.deepEqual(await tablesOf(other), ['events_20330103', 'events_20330103']);
    await keepEventDays(pool, late);
    assert.deepEqual(await tablesOf(other), []);
  });
});

test('events of before lie in the first table until all of them are past their retention', async () => {
  const { owner: own } = await createTestDatabase({ migrated: false });
  const { migrations, definitions } = await readSchema();
  const ofEvents = /^(?:000[567]|0052)_/;
  const earlier = migrations.filter(({ name }) => !ofEvents.test(name));
  const known = definitions.filter(({ name }) => !/event_days|(?:feed|told)_events/.test(name));
  await migrate(own, schemaOf(earlier, known));
  const before = await createDesk(own);
  const now = Date.now();
  await notify(now, before, own);
  await migrate(own);
  await notify(now + 1, before, own);
  await notify(now + 4 * DAY_MS, before, own);
  const [first, second, third] = await tablesOf(before, own);
  assert.deepEqual([first, second], ['events_earlier', 'events_earlier']);
  assert.equal(third, 'events_default');
  await keepEventDays(own, now);
  const { rows } = await own.query<{ ends: number }>('select ends from event_days() where is_first');
  const ends = rows[0]?.ends ?? assert.fail();
  assert.ok(ends > now + DAY_MS, isoInstant(ends));
  await keepEventDays(own, ends + EVENT_RETENTION_MS - 1);
  assert.equal((await tablesOf(before, own)).length, 3);
  await keepEventDays(own, ends + EVENT_RETENTION_MS);
  assert.deepEqual(await tablesOf(before, own), [third]);
});
