import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from './logger.ts';
import { type Sweep, SweepRunner } from './sweeps.ts';

const lines: string[] = [];
const logger = createLogger('info', { write: (line: string) => lines.push(line) });

function sweep(name: string, run: () => Promise<number>, everyMs = 3_600_000): Sweep {
  return { name, does: 'Nothing.', everyMs, run };
}

describe('sweeps that are run because something is due', () => {
  test('go round until none has moved anything since one did, and no further', async () => {
    const left = { first: 0, second: 3 };
    const order: string[] = [];
    const runner = new SweepRunner(
      [
        sweep('first', async () => {
          order.push('first');
          const moved = left.first;
          left.first = 0;
          return moved;
        }),
        sweep('second', async () => {
          order.push('second');
          if (left.second === 0) return 0;
          left.second--;
          left.first++;
          return 1;
        }),
      ],
      logger,
    );
    await runner.runDueNow();
    assert.deepEqual(left, { first: 0, second: 0 });
    assert.equal(order.length, 9);
    assert.deepEqual(order.slice(0, 2), ['first', 'second']);
    assert.deepEqual(order.slice(-3), ['first', 'second', 'first']);
  });

  test('begin with the one that is due before the others, which then run once', async () => {
    const order: string[] = [];
    let left = 1;
    const quiet = (name: string) =>
      sweep(name, async () => {
        order.push(name);
        return 0;
      });
    const due = sweep('due', async () => {
      order.push('due');
      return left-- > 0 ? 1 : 0;
    });
    const runner = new SweepRunner([quiet('first'), due, quiet('last')], logger);
    await runner.runDueNow(due);
    assert.deepEqual(order, ['due', 'last', 'first', 'due']);
    await new SweepRunner([], logger).runDueNow();
  });

  test('leave housekeeping to the end where one of many instants is due', async () => {
    const order: string[] = [];
    const quiet = (name: string): Sweep =>
      sweep(name, async () => {
        order.push(name);
        return 0;
      });
    const due = quiet('due');
    const runner = new SweepRunner([{ ...quiet('house'), isHousekeeping: true }, due, quiet('last')], logger);
    await runner.runDueNow(due);
    assert.deepEqual(order.splice(0), ['due', 'last']);
    await runner.runDueNow();
    assert.deepEqual(order, ['house', 'due', 'last']);
  });

  test('a failing sweep is logged, tried again, and does not keep the others from their work', async () => {
    let failures = 2;
    let other = 0;
    const runner = new SweepRunner(
      [
        sweep('shaky', async () => {
          if (failures-- > 0) throw new Error('lost connection');
          return 0;
        }),
        sweep('other', async () => {
          other++;
          return 0;
        }),
      ],
      logger,
    );
    await runner.runDueNow();
    assert.equal(other, 2);
    assert.equal(lines.filter((line) => line.includes('lost connection')).length, 2);

    failures = 100;
    await assert.rejects(runner.runDueNow(), /lost connection/);
    assert.equal(other, 5);
  });

  test('who runs them is told of a failure, and decides how it is written down', async () => {
    const failed: string[] = [];
    const written: unknown[] = [];
    const runner = new SweepRunner(
      [sweep('shaky', () => Promise.reject(new Error('away'))), sweep('steady', async () => 0)],
      logger,
      {
        onFailure: (name) => failed.push(name),
        logFailure: (_logger, error, fields) => written.push([(error as Error).message, fields]),
      },
    );
    await assert.rejects(runner.runDueNow(), /away/);
    assert.deepEqual(failed, ['shaky', 'shaky', 'shaky']);
    assert.deepEqual(written[0], ['away', { sweep: 'shaky' }]);
  });

  test('work that never ends is an error, not an endless loop', async () => {
    const runner = new SweepRunner([sweep('endless', async () => 1)], logger);
    await assert.rejects(runner.runDueNow(), /still find work/);
  });

  test('answer the earliest instant at which there is something to do', async () => {
    const due = (name: string, at: number | undefined): Sweep => ({
      ...sweep(name, async () => 0),
      nextDueAt: async () => at,
    });
    const runner = new SweepRunner(
      [due('a', 20), due('b', undefined), due('c', 10), sweep('d', async () => 0)],
      logger,
    );
    const next = await runner.nextDue();
    assert.deepEqual([next?.at, next?.sweep.name], [10, 'c']);
    assert.equal(await new SweepRunner([], logger).nextDue(), undefined);
  });
});

test('no sweep runs twice at once, and stop waits for the run under way', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await delay(5);
    running--;
    runs++;
    return 0;
  };
  const runner = new SweepRunner([sweep('slow', work, 1)], logger);
  runner.start();
  await Promise.all([runner.runDueNow(), runner.runDueNow(), runner.runDueNow()]);
  assert.ok(runs >= 3);
  const stopping = runner.stop();
  const before = runs;
  await stopping;
  assert.equal(running, 0);
  assert.equal(most, 1);
  await delay(10);
  assert.ok(runs <= before + 1, 'nothing runs after stop');
});

test('the timers start sweeps by themselves', async () => {
  let runs = 0;
  const ran = Promise.withResolvers<void>();
  const runner = new SweepRunner(
    [
      sweep(
        'timed',
        async () => {
          runs++;
          ran.resolve();
          return 0;
        },
        1,
      ),
    ],
    logger,
  );
  // The timers do not hold the process, so something else has to.
  const held = setTimeout(() => ran.reject(new Error('never ran')), 60_000);
  runner.start();
  await ran.promise;
  clearTimeout(held);
  await runner.stop();
  const until = runs;
  assert.ok(until >= 1);
  await new Promise(setImmediate);
  assert.equal(runs, until, 'none starts once it is stopped');
});

test('sweeps of one interval begin one after the other, each in its own part of it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const begun: string[] = [];
  const names = ['a', 'b', 'c', 'd'];
  const work = (name: string) => async () => begun.push(name);
  const runner = new SweepRunner(
    names.map((name) => sweep(name, work(name), 1_000)),
    logger,
  );
  runner.start();
  const after = async (ms: number) => {
    t.mock.timers.tick(ms);
    await new Promise(setImmediate);
    return begun.splice(0).join();
  };
  assert.equal(await after(999), '', 'none before its interval is over');
  for (let round = 0; round < 2; round++) {
    assert.equal(await after(1), 'a');
    assert.equal(await after(249), '');
    assert.equal(await after(1), 'b');
    assert.equal(await after(250), 'c');
    assert.equal(await after(250), 'd');
    assert.equal(await after(249), '');
  }
  await runner.stop();
  assert.equal(await after(2_000), '', 'none once it is stopped');
});

test('what is watched from the start is looked at without waiting for an interval', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const ran: string[] = [];
  const noting = (name: string) => async () => {
    ran.push(name);
    return 0;
  };
  const watch: Sweep = { ...sweep('watch', noting('watch')), fromTheStart: true };
  const runner = new SweepRunner([sweep('other', noting('other')), watch], logger);
  runner.start();
  t.mock.timers.tick(1);
  await new Promise(setImmediate);
  assert.deepEqual(ran, ['watch']);
  await runner.stop();
});

test('two sweeps of one name are refused', () => {
  assert.throws(() => new SweepRunner([sweep('a', async () => 0), sweep('a', async () => 0)], logger));
});
