import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Live, MAX_AGE_MS } from './live.ts';

/** A database with one value, whose version is its number, that may be away; readings end when the test says so. */
function setUp() {
  const state = { now: 0, version: 1, isAway: false, reads: [] as (number | undefined)[] };
  const ends: (() => void)[] = [];
  const live = new Live({
    name: 'value',
    version: 'select 1',
    read: async (known) => {
      state.reads.push(known);
      const { version } = state;
      if (state.isAway) throw new Error('the database is away');
      await new Promise<void>((resolve) => ends.push(resolve));
      return version === known ? undefined : { version, value: { version } };
    },
    now: () => state.now,
  });
  const end = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    for (const each of ends.splice(0)) each();
  };
  const first = async () => {
    const reading = live.load();
    await end();
    await reading;
    return live.current();
  };
  return { live, state, end, first };
}

test('what is known is answered without a promise, for five seconds from when it was last confirmed', async () => {
  const { live, state, first, end } = setUp();
  const value = await first();
  state.now = MAX_AGE_MS - 1;
  assert.equal(live.current(), value);
  live.confirm(3_000);
  live.confirm(1_000);
  state.now = 3_000 + MAX_AGE_MS - 1;
  assert.equal(live.current(), value);
  state.now += 1;
  const waiting = live.current();
  assert.ok(waiting instanceof Promise);
  assert.equal(live.current(), waiting, 'all who wait share a reading');
  await end();
  assert.equal(await waiting, value, 'what was not changed stays the same object');
  assert.equal(live.current(), value);
  assert.deepEqual(state.reads, [undefined, 1]);
});

test('a reading counts from when it began', async () => {
  const { live, state, first, end } = setUp();
  await first();
  state.now = 6_000;
  const slow = live.load();
  state.now = 6_000 + MAX_AGE_MS;
  await end();
  await slow;
  assert.ok(live.current() instanceof Promise);
  await end();
});

test('while the database is away, what is held serves for its time, and then the next use fails', async () => {
  const { live, state, first, end } = setUp();
  await first();
  state.isAway = true;
  state.now = 4_999;
  await assert.rejects(live.load(), /away/);
  assert.ok(!(live.current() instanceof Promise));
  state.now = 5_000;
  await assert.rejects(async () => live.current(), /away/);
  state.isAway = false;
  const back = live.current();
  await end();
  assert.equal((await back).version, 1, 'a failure is not kept');
});

test('a reading from before a change does not undo it', async () => {
  const { live, state, first, end } = setUp();
  await first();
  const early = live.load();
  await Promise.resolve();
  state.version = 2;
  live.take(2, { version: 2 });
  await end();
  await early;
  assert.deepEqual([await live.current(), live.held()], [{ version: 2 }, '2']);
  live.take(1, { version: 1 });
  assert.equal(live.held(), '2');
});
