import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { createLogger } from '../platform/logger.ts';
import { BarHistory } from './bar-history.ts';
import { BarRecorder } from './bar-recorder.ts';
import { type BarRow, listBars } from './bar-store.ts';
import { NOW, testBook } from './test-book.ts';

let pool: Pool;

before(async () => {
  pool = (await createTestDatabase()).pool;
});

beforeEach(async () => {
  await ownerOf(pool).query('truncate market_bars_1s, market_bars_1m');
});

/** An instance of its own: book, recorder and sweeps. */
function instance(database: Pick<Pool, 'query'> = pool) {
  const { clock, book, send } = testBook();
  const recorder = new BarRecorder(clock, book);
  const history = new BarHistory({
    pool: database as Pool,
    clock,
    logger: createLogger('silent'),
    recorder,
    retention: { secondBarsHours: 1, minuteBarsDays: 1 },
  });
  const [write, forget] = history.sweeps();
  assert.ok(write && forget);
  return { clock, send, write: () => write.run(), forget: () => forget.run() };
}

const shown = ({ at, open, high, low, close, ticks }: BarRow) =>
  `+${(at - NOW) / 1000} ${open} ${high} ${low} ${close} ${ticks}`;
const bars = async (interval: '1s' | '1m', code = 'EURUSD') =>
  (await listBars(pool, code, interval, {}, 100)).map(shown).reverse();

test('bars of seconds are written as they end, and become bars of minutes', async () => {
  const { clock, send, write } = instance();
  const levels = ['1.08490', '1.08600', '1.08300', '1.08400'];
  for (const [i, bid] of levels.entries()) {
    clock.at = NOW + i * 15_000;
    send('a', bid, bid);
    await write();
  }
  assert.deepEqual(await bars('1s'), [
    '+0 1.084900 1.084900 1.084900 1.084900 1',
    '+15 1.086000 1.086000 1.086000 1.086000 1',
    '+30 1.083000 1.083000 1.083000 1.083000 1',
  ]);
  clock.at = NOW + 62_999;
  await write();
  assert.deepEqual(await bars('1m'), [], 'other instances may still write');
  clock.at = NOW + 63_000;
  await write();
  assert.deepEqual(await bars('1m'), ['+0 1.084900 1.086000 1.083000 1.084000 4']);
  await write();
  assert.deepEqual(await bars('1m'), ['+0 1.084900 1.086000 1.083000 1.084000 4']);
});

test('two instances write one bar, and a minute that began before a restart is whole', async () => {
  const [first, second] = [instance(), instance()];
  for (const { send } of [first, second]) send('a', '1.08488', '1.08494');
  for (const { clock } of [first, second]) clock.at = NOW + 1_000;
  await Promise.all([first.write(), second.write()]);
  assert.equal((await bars('1s')).length, 1);
  second.clock.at = NOW + 40_000;
  second.send('a', '1.08500', '1.08506');
  second.clock.at = NOW + 70_000;
  await second.write();
  assert.deepEqual(await bars('1m'), ['+0 1.084910 1.085030 1.084910 1.085030 2']);
  first.clock.at = NOW + 70_000;
  await first.write();
  assert.deepEqual(await bars('1m'), ['+0 1.084910 1.085030 1.084910 1.085030 2']);
});

test('the last minutes before a stop are made however long it lasts, while their seconds are kept', async () => {
  const [before, after] = [instance(), instance()];
  before.send('a', '1.08488', '1.08494');
  before.clock.at = NOW + 61_000;
  before.send('a', '1.08500', '1.08506');
  before.clock.at = NOW + 62_000;
  await before.write();
  assert.deepEqual(await bars('1m'), [], 'it stopped before the minute was made');
  after.clock.at = NOW + 30 * 3_600_000;
  assert.equal(await after.forget(), 0);
  await after.write();
  const made = ['+0 1.084910 1.084910 1.084910 1.084910 1', '+60 1.085030 1.085030 1.085030 1.085030 1'];
  assert.deepEqual(await bars('1m'), made);
  assert.equal(await after.forget(), 4, 'seconds and minutes go afterwards');
});

test('what a broken database did not take is written later', async () => {
  let isBroken = true;
  const query = (...parameters: Parameters<Pool['query']>) => {
    if (isBroken) throw new Error('the database is away');
    return pool.query(...parameters);
  };
  const { clock, send, write } = instance({ query } as unknown as Pool);
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 1_000;
  await assert.rejects(write(), /away/);
  send('a', '1.08489', '1.08494');
  clock.at = NOW + 2_000;
  isBroken = false;
  await write();
  assert.equal((await bars('1s')).length, 2);
});

test('bars go when their time is over', async () => {
  const { clock, send, write, forget } = instance();
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 63_000;
  await write();
  clock.at = NOW + 3_600_000;
  assert.equal(await forget(), 0);
  clock.at = NOW + 3_600_001;
  assert.equal(await forget(), 1);
  assert.deepEqual([(await bars('1s')).length, (await bars('1m')).length], [0, 1]);
  clock.at = NOW + 86_400_001;
  assert.equal(await forget(), 1);
  assert.deepEqual(await bars('1m'), []);
});

test('a clock that was set back makes the minutes anew', async () => {
  const { clock, send, write } = instance();
  clock.at = NOW + 600_000;
  send('a', '1.08488', '1.08494');
  clock.at = NOW + 663_000;
  await write();
  clock.at = NOW;
  await write();
  send('b', '1.08488', '1.08494');
  clock.at = NOW + 63_000;
  await write();
  assert.deepEqual(await bars('1m'), [
    '+0 1.084910 1.084910 1.084910 1.084910 1',
    '+600 1.084910 1.084910 1.084910 1.084910 1',
  ]);
});
