import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Neighbours } from '../platform/neighbours.ts';
import type { PairSettings } from './pair-settings.ts';
import { PushSharing } from './share-pushes.ts';
import { PushSource } from './sources/push.ts';
import { NO_LIMITS, NOW, pair, testBook } from './test-book.ts';

interface Options {
  readonly names?: readonly string[];
  readonly instances?: { count: number };
  readonly settings?: Partial<PairSettings>;
  readonly neighbours?: Neighbours;
}

/** An instance as far as pushed prices know it. */
function instanceOn(
  pool: Pool,
  { names = ['push'], instances = { count: 2 }, settings = {}, neighbours }: Options = {},
) {
  const made = testBook({ ...NO_LIMITS, ...settings });
  const { clock, book } = made;
  const sources = new Map(names.map((name) => [name, new PushSource(name, clock)]));
  for (const source of sources.values()) {
    source.start(
      (tick) => book.apply(tick),
      (code, at) => book.withdraw(source.name, code, at),
    );
  }
  const sharing = new PushSharing({
    pool,
    clock,
    book,
    sources,
    instances: () => instances.count,
    neighbours,
  });
  const source = (name = 'push') => {
    const found = sources.get(name);
    assert.ok(found, name);
    return found;
  };
  const push = (bid: string, ask: string, code = 'EURUSD', name = 'push') =>
    source(name).push({ pair: code, bid, ask, at: isoInstant(clock.at) });
  const withdraw = (codes?: readonly string[], name = 'push') => source(name).withdraw(codes, clock.at);
  return { ...made, source, push, withdraw, sharing, share: () => sharing.share() };
}

async function twoInstances(options?: Options) {
  const { pool } = await createTestDatabase();
  return { pool, a: instanceOn(pool, options), b: instanceOn(pool, options) };
}

test('a price that is pushed to one instance holds on the others, and so does its withdrawal', async () => {
  const { a, b } = await twoInstances({ settings: { stalenessMs: 3_600_000 } });
  assert.equal(a.push('1.08488', '1.08494'), 'accepted');
  assert.equal(b.shown(), 'missing');
  await a.share();
  await b.share();
  assert.equal(b.shown(), '1.08488/1.08494 push fresh');
  assert.deepEqual([b.source().health().ticks, b.source().health().lastTickAt], [1, NOW]);
  await b.share();
  assert.equal(b.source().health().ticks, 1, 'what is known is not heard again');

  b.clock.at = a.clock.at += 100;
  assert.deepEqual(b.withdraw(['EURUSD']), ['EURUSD'], 'whoever withdraws need not know where it was pushed');
  await b.share();
  await a.share();
  assert.equal(a.shown(), '1.08488/1.08494 push stale');

  b.clock.at = a.clock.at += 100;
  a.push('1.08489', '1.08495');
  await a.share();
  await b.share();
  assert.equal(b.shown(), '1.08489/1.08495 push fresh');
});

test('all prices of a source go everywhere, those too that are not believed where they are withdrawn', async () => {
  const { pool } = await createTestDatabase();
  const careful = { bandBps: { units: 100n, scale: 0 }, outlierBps: null };
  const a = instanceOn(pool, { names: ['push', 'push:desk'], settings: careful });
  const b = instanceOn(pool, { names: ['push', 'push:desk'], settings: { outlierBps: null } });
  const shareAll = async () => {
    for (const each of [a, b, a]) await each.share();
  };
  a.push('1.08488', '1.08494');
  a.push('1.26810', '1.26818', 'GBPUSD', 'push:desk');
  await shareAll();
  for (const { clock } of [a, b]) clock.at += 50;
  assert.equal(a.push('1.09800', '1.09806'), 'outside_band');
  await shareAll();
  assert.deepEqual(
    [a.shown(), b.shown()],
    ['1.08488/1.08494 push stale', '1.09800/1.09806 push fresh'],
    'each instance judges by itself what it hears',
  );
  for (const { clock } of [a, b]) clock.at += 50;
  assert.deepEqual(a.withdraw(), ['EURUSD']);
  await shareAll();
  assert.equal(b.shown(), '1.09800/1.09806 push stale');
  assert.equal(b.shown('GBPUSD'), '1.26810/1.26818 push:desk fresh', 'other sources stand');

  for (const { clock } of [a, b]) clock.at += 50;
  a.push('0', '1.26818', 'GBPUSD', 'push:desk');
  await shareAll();
  assert.equal(b.shown('GBPUSD'), '1.26810/1.26818 push:desk stale', 'a side that is empty is a withdrawal');
});

test('what is older than what is known, or too old for anything, is not heard', async () => {
  const { pool, a, b } = await twoInstances({ settings: { stalenessMs: 10_000 } });
  a.push('1.08480', '1.08486');
  await a.share();
  b.clock.at += 5;
  b.push('1.08490', '1.08496');
  await b.share();
  assert.equal(b.shown(), '1.08490/1.08496 push fresh');
  await a.share();
  assert.equal(a.shown(), '1.08490/1.08496 push fresh', 'a clock may be a little behind');
  assert.equal(a.book.heardAt(pair('EURUSD'), 'push'), b.clock.at, 'and the time is the same on all');

  const { ticks } = b.source().health();
  b.clock.at = a.clock.at += 50;
  for (const each of [a, b]) each.push('1.08490', '1.08496');
  await a.share();
  await b.share();
  assert.equal(b.source().health().ticks, ticks + 1, 'a price that is pushed to each counts once');

  // Written late, as by an instance that stood still.
  b.clock.at += 2;
  b.push('1.08490', '1.08496');
  a.clock.at += 1;
  a.push('1.08481', '1.08487');
  await a.share();
  await b.share();
  assert.equal(b.shown(), '1.08490/1.08496 push fresh');

  const late = instanceOn(pool, { settings: { stalenessMs: 10_000 } });
  late.clock.at = b.clock.at + 10_001;
  await late.share();
  assert.equal(late.shown(), 'missing');
  const inTime = instanceOn(pool, { settings: { stalenessMs: 10_000 } });
  inTime.clock.at = b.clock.at + 9_000;
  await inTime.share();
  assert.equal(inTime.shown(), '1.08490/1.08496 push fresh', 'a new instance has prices at once');
});

test('of prices that bear one time the last holds everywhere, as where it was pushed', async () => {
  const { a, b } = await twoInstances();
  const shareAll = async () => {
    for (const each of [a, b, a]) await each.share();
  };
  a.push('1.08488', '1.08494');
  await shareAll();
  assert.equal(a.push('1.08520', '1.08526'), 'accepted');
  await shareAll();
  assert.equal(b.shown(), '1.08520/1.08526 push fresh');
  a.push('1.08488', '1.08494');
  await shareAll();
  assert.equal(b.shown(), '1.08488/1.08494 push fresh', 'a price that was there before counts again');
  a.withdraw(['EURUSD']);
  await shareAll();
  assert.equal(b.shown(), '1.08488/1.08494 push stale');
  a.push('1.08488', '1.08494');
  await shareAll();
  assert.equal(b.shown(), '1.08488/1.08494 push fresh', 'and after it was taken back');

  b.push('1.08500', '1.08506');
  a.push('1.08490', '1.08496');
  await shareAll();
  assert.equal(a.shown(), b.shown(), 'whoever was pushed what');
  const { ticks } = b.source().health();
  await shareAll();
  assert.equal(b.source().health().ticks, ticks);
});

test('what a process of the same service has told is not undone by what it wrote before', async () => {
  const { pool } = await createTestDatabase();
  const listeners: ((value: unknown, from: number) => void)[] = [];
  const here = { notify: (_: string, value: unknown) => listeners[1]?.(value, 1) };
  const neighbour = (number: number) =>
    ({
      notify: number === 1 ? here.notify : () => undefined,
      onNotified: (_: string, listener: (value: unknown, from: number) => void) => {
        listeners[number - 1] = listener;
      },
    }) as unknown as Neighbours;
  const [first, second] = [1, 2].map((number) => instanceOn(pool, { neighbours: neighbour(number) }));
  assert.ok(first && second);
  first.push('1.08488', '1.08494');
  await first.share();
  first.push('1.08520', '1.08526');
  assert.equal(second.shown(), '1.08520/1.08526 push fresh');
  await second.share();
  assert.equal(second.shown(), '1.08520/1.08526 push fresh');
});

test('no time that is ahead, of a wrong push or of a clock that was set back, keeps later prices away', async () => {
  const { a, b } = await twoInstances();
  const shareAll = async () => {
    for (const each of [a, b]) await each.share();
  };
  const empty = { pair: 'EURUSD', bid: '0', ask: '1.08494', at: '2099-01-01T00:00:00Z' };
  a.push('1.08488', '1.08494');
  await shareAll();
  assert.equal(a.source().push(empty), 'not_positive');
  await shareAll();
  assert.equal(b.shown(), '1.08488/1.08494 push stale');
  for (const { clock } of [a, b]) clock.at += 10;
  a.push('1.08489', '1.08495');
  await shareAll();
  assert.equal(b.shown(), '1.08489/1.08495 push fresh');

  for (const { clock } of [a, b]) clock.at += 3_600_000;
  a.push('1.08490', '1.08496');
  await shareAll();
  for (const { clock } of [a, b]) clock.at -= 3_000_000;
  assert.equal(a.push('1.08491', '1.08497'), 'accepted');
  await shareAll();
  assert.equal(b.shown(), '1.08491/1.08497 push fresh');
});

test('a price that is pushed to a source which is switched off ends the one before it on every instance', async () => {
  const { a, b } = await twoInstances();
  a.push('1.08488', '1.08494');
  await a.share();
  await b.share();
  for (const { book } of [a, b]) book.setDisabledSources(new Set(['push']));
  b.clock.at = a.clock.at += 100;
  assert.equal(a.push('1.07488', '1.07494'), 'source_disabled');
  await a.share();
  await b.share();
  for (const { book } of [a, b]) book.setDisabledSources(new Set());
  assert.deepEqual([a.shown(), b.shown()], Array(2).fill('1.08488/1.08494 push stale'));
});

test('an instance that is alone writes nothing, and tells everything when there is another one', async () => {
  const instances = { count: 1 };
  const { pool, a, b } = await twoInstances({ instances });
  const written = async () =>
    (await pool.query('select count(*)::int as n from market_pushed_prices')).rows[0].n;
  a.push('1.08480', '1.08486');
  a.clock.at += 10;
  a.push('1.08488', '1.08494');
  a.push('1.26810', '1.26818', 'GBPUSD');
  assert.equal(a.push('1.1', '1.0'), 'crossed');
  assert.equal(a.push('1', '1', 'USDEUR'), 'unknown_pair');
  await a.sharing.sweep.run();
  assert.equal(await written(), 0);
  instances.count = 2;
  await a.sharing.sweep.run();
  assert.equal(await written(), 2);
  await b.sharing.sweep.run();
  assert.deepEqual(
    [b.shown(), b.shown('GBPUSD')],
    ['1.08488/1.08494 push fresh', '1.26810/1.26818 push fresh'],
  );
});

test('a price whose writing takes long is heard when it is there, whatever was heard meanwhile', async () => {
  const { pool, a, b } = await twoInstances();
  const slow = await ownerOf(pool).connect();
  await slow.query('begin');
  await slow.query(
    `insert into market_pushed_prices (source, pair, bid, ask, at, instance)
     values ('push', 'EURUSD', 1.08488, 1.08494, $1, gen_random_uuid())`,
    [isoInstant(NOW)],
  );
  for (const bid of ['1.26810', '1.26811', '1.26812']) {
    a.clock.at += 1;
    a.push(bid, '1.26818', 'GBPUSD');
    await a.share();
    await b.share();
  }
  assert.deepEqual([b.shown(), b.shown('GBPUSD')], ['missing', '1.26812/1.26818 push fresh']);
  assert.equal(b.source().health().ticks, 3);
  await slow.query('commit');
  slow.release();
  await b.share();
  assert.equal(b.shown(), '1.08488/1.08494 push fresh');
  assert.equal(b.source().health().ticks, 4, 'the others are not heard again');
});

test('while the database cannot be written, prices wait, and the newest are told afterwards', async () => {
  const { pool, a, b } = await twoInstances();
  const owner = ownerOf(pool);
  await owner.query('alter table market_pushed_prices rename to elsewhere');
  a.push('1.08480', '1.08486');
  await assert.rejects(a.sharing.sweep.run(), /market_pushed_prices/);
  assert.equal(await a.sharing.sweep.run(), 0, 'it is not asked ten times a second');
  a.clock.at += 10;
  a.push('1.08488', '1.08494');
  await owner.query('alter table elsewhere rename to market_pushed_prices');
  await a.share();
  await b.share();
  assert.equal(b.shown(), '1.08488/1.08494 push fresh');
  assert.equal(b.source().health().ticks, 1);
});

test('instances that write the same pairs in different orders never wait for each other in a circle', async () => {
  const { pool, a, b } = await twoInstances();
  const codes = ['EURUSD', 'GBPUSD', 'USDJPY', 'AUDUSD'];
  const holder = await ownerOf(pool).connect();
  for (const each of [a, b]) for (const code of codes) each.push('1.08488', '1.08494', code);
  await a.share();
  await holder.query('begin');
  await holder.query(`select from market_pushed_prices where pair = 'GBPUSD' for update`);
  a.clock.at += 1;
  b.clock.at += 1;
  for (const code of codes) a.push('1.08488', '1.08495', code);
  for (const code of codes.toReversed()) b.push('1.08488', '1.08496', code);
  const both = Promise.all([a.share(), b.share()]);
  await untilLocked(pool, 2);
  await holder.query('commit');
  holder.release();
  await both;
});

const step = fc.record({
  who: fc.nat({ max: 2 }),
  what: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ pip: fc.nat({ max: 99 }), code: fc.constantFrom('EURUSD', 'GBPUSD') }),
    },
    { weight: 1, arbitrary: fc.constant('withdraw' as const) },
    { weight: 1, arbitrary: fc.constant('withdraw all' as const) },
    { weight: 3, arbitrary: fc.constant('share' as const) },
  ),
});

test('in whatever order instances are pushed to and share, in the end all say the same', async () => {
  const { pool } = await createTestDatabase();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await ownerOf(pool).query('truncate market_pushed_prices');
      const all = [0, 1, 2].map(() => instanceOn(pool, { settings: { stalenessMs: 3_600_000 } }));
      for (const { who, what } of steps) {
        for (const { clock } of all) clock.at += 1;
        const instance = all[who];
        assert.ok(instance);
        if (what === 'share') await instance.share();
        else if (what === 'withdraw') instance.withdraw(['EURUSD']);
        else if (what === 'withdraw all') instance.withdraw();
        else {
          const pips = (100 + what.pip).toString();
          instance.push(`1.08${pips}`, `1.09${pips}`, what.code);
        }
      }
      for (const each of [...all, ...all]) await each.share();
      for (const code of ['EURUSD', 'GBPUSD']) {
        // One that never heard of a price knows nothing of its withdrawal either: none can be dealt on.
        const said = all
          .map(({ shown }) => shown(code))
          .map((text) => (text.endsWith('fresh') ? text : 'none'));
        assert.equal(new Set(said).size, 1, said.join(', '));
      }
    }),
    { numRuns: 60 },
  );
});
