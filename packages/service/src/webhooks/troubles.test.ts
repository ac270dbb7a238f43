import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { createWebhookDesk, type Desk, startReceiver } from './test-support.ts';
import { Troubles } from './troubles.ts';

const MINUTE_MS = 60_000;

let pool: Pool;
let desk: Desk;
let source: { state: string };
let calendars: { currency: string; to: string }[];
let faults: { log: string; fault: string; key: string | undefined; seal: string }[] = [];
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
  desk = createWebhookDesk(pool);
  source = { state: 'running' };
  calendars = [];
});

const instance = () =>
  new Troubles(desk.room, {
    priceSources: () => ({ oanda: source }),
    endingCalendars: () => calendars,
    logFaults: () => faults,
  });
const reported = async () => {
  const { rows } = await pool.query<{ type: string; data: string }>(
    'select type, data from operator_events order by id',
  );
  return rows.map(({ type, data }) =>
    [type, ...Object.values(JSON.parse(data) as Record<string, string>)].join(' '),
  );
};

test('operators are told once of a source that is gone and back, of a calendar that ends, of a sweep that keeps failing', async () => {
  const [one, other] = [instance(), instance()];
  const both = async () => {
    await one.notify();
    await other.notify();
  };
  const receiver = await startReceiver();
  const { id } = await desk.endpoint(null, { url: receiver.url, ordering: 'resource' });
  await both();
  assert.deepEqual(await reported(), [], 'all is well');
  source = { state: 'connecting' };
  await both();
  desk.clock.advance(MINUTE_MS / 2);
  await both();
  assert.deepEqual(await reported(), [], 'it may be back at once');
  desk.clock.advance(MINUTE_MS);
  await both();
  await both();
  assert.deepEqual(await reported(), ['price_source.down oanda connecting']);
  source = { state: 'running' };
  await both();
  assert.equal((await reported()).length, 1, 'instances that see it differently take turns slowly');
  desk.clock.advance(11 * MINUTE_MS);
  await both();
  assert.deepEqual((await reported()).at(-1), 'price_source.up oanda running');
  calendars = [{ currency: 'SEK', to: '2026-12-31' }];
  await both();
  await both();
  assert.deepEqual((await reported()).at(-1), 'calendar.ending SEK 2026-12-31');
  for (let failed = 0; failed < 3; failed++) one.sweepFailed('expire_quotes');
  for (let failed = 0; failed < 2; failed++) other.sweepFailed('fold_house_rows');
  await both();
  await both();
  assert.deepEqual((await reported()).slice(3), ['sweep.failing expire_quotes']);
  one.sweepRan('expire_quotes');
  desk.clock.advance(25 * 60 * MINUTE_MS);
  await both();
  assert.equal((await reported()).length, 4);
  await desk.send();
  assert.deepEqual(receiver.received.map(({ message }) => [message.data.sequence, message.type]).sort(), [
    [1, 'price_source.down'],
    [2, 'price_source.up'],
    [3, 'calendar.ending'],
    [4, 'sweep.failing'],
  ]);
  assert.equal((await desk.state(null, id)).sequence, '4');
});

test('a source that was down and is not to run now is not told as back until it runs', async () => {
  const before = (await reported()).length;
  const one = instance();
  const after = async (state: string, minutes: number) => {
    source = { state };
    await one.notify();
    desk.clock.advance(minutes * MINUTE_MS);
    await one.notify();
    return (await reported()).slice(before);
  };
  const down = ['price_source.down oanda connecting'];
  assert.deepEqual(await after('connecting', 2), down);
  assert.deepEqual(await after('idle', 11), down, 'its schedule has ended');
  assert.deepEqual(await after('running', 11), [...down, 'price_source.up oanda running']);
});

test('operators are told once of each row that does not match its seal', async () => {
  const before = (await reported()).length;
  const [one, other] = [instance(), instance()];
  const both = async () => [await one.notify(), await other.notify()];
  faults = [{ log: 'journal', fault: 'altered', key: 'k1', seal: '7' }];
  assert.deepEqual(await both(), [1, 0]);
  assert.deepEqual(await both(), [0, 0]);
  desk.clock.advance(11 * MINUTE_MS);
  faults = [{ log: 'journal', fault: 'seal_missing', key: undefined, seal: '8' }];
  await both();
  assert.deepEqual((await reported()).slice(before), [
    'log.fault journal altered k1',
    'log.fault journal seal_missing seal 8',
  ]);
  faults = [];
});

test('events of operators get their places in the order of their commits, whatever is open beside them', async () => {
  const slow = await pool.connect();
  await slow.query('begin');
  await slow.query(`select notify_operators('exception.opened', now(), 'late', '{}')`);
  await pool.query(`select notify_operators('exception.opened', now(), 'early', '{}')`);
  await desk.send();
  await slow.query('commit');
  slow.release();
  await desk.send();
  const { rows } = await pool.query<{ resource: string }>(
    `select resource from operator_events where resource in ('late', 'early') order by place`,
  );
  assert.deepEqual(
    rows.map(({ resource }) => resource),
    ['early', 'late'],
  );
});
