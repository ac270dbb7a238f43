import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { systemClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { SweepRunner } from '../platform/sweeps.ts';
import { Problem } from '../problems/problem.ts';
import { ClockWatch, MAX_CLOCK_SKEW_MS } from './clock-watch.ts';
import type { Pool } from './pool.ts';

let pool: Pool;
let desk: Desk;
before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await createDesk(pool);
});

/** A machine whose clock is off by what the test says, beside one that nobody can set. */
function machine(offByMs = 0) {
  const state = { offByMs, lines: '' };
  const watch = new ClockWatch({
    pool,
    logger: createLogger('info', { write: (line: string) => (state.lines += line) }),
    clock: { now: () => systemClock.now() + state.offByMs },
  });
  return { state, watch };
}

const isMaintenance = (error: unknown) =>
  error instanceof Problem && error.code === 'maintenance' && error.headers['Retry-After'] === '1';

/** Several times: the quickest answer says most, and a single one may be late on a busy machine. */
async function measured(watch: ReturnType<typeof machine>['watch']): Promise<number> {
  let skew = Number.NaN;
  for (let i = 0; i < 5; i++) skew = await watch.measure();
  return skew;
}

describe('the clock of an instance', () => {
  test('that agrees with the database is right', async () => {
    const { watch } = machine();
    assert.equal(watch.isRight(), true);
    assert.ok((await measured(watch)) < MAX_CLOCK_SKEW_MS);
    watch.requireRight();
  });

  test('that is ahead or behind is off by as much, until it is set right', async () => {
    for (const offByMs of [-60_000, -400, 400, 60_000]) {
      const { state, watch } = machine(offByMs);
      const skew = await measured(watch);
      assert.ok(Math.abs(skew - Math.abs(offByMs)) < 100, `${skew} ms`);
      assert.throws(() => watch.requireRight(), isMaintenance);
      state.offByMs = 0;
      assert.ok((await measured(watch)) < MAX_CLOCK_SKEW_MS);
      watch.requireRight();
      assert.match(state.lines, /clock is off.*\n.*right again/);
    }
  });

  test('that is set is noticed before it is measured again', async () => {
    const { state, watch } = machine();
    await watch.measure();
    state.offByMs = 600_000;
    assert.throws(() => watch.requireRight(), isMaintenance);
  });

  test('stays known while the database does not answer', async () => {
    const off = machine(5_000);
    await off.watch.measure();
    const failing = new ClockWatch({
      pool: { query: () => Promise.reject(new Error('no answer')) } as unknown as Pool,
      logger: createLogger('fatal'),
    });
    await assert.rejects(failing.measure(), /no answer/);
    assert.equal(failing.isRight(), true);
    assert.equal(off.watch.isRight(), false);
  });

  test('an answer that took long proves nothing of a clock that was off', async () => {
    let waitMs = 0;
    const state = { now: 1_000_000 };
    const watch = new ClockWatch({
      pool: {
        query: async () => {
          // The database's clock is 400 ms behind the machine's.
          const now = state.now + waitMs / 2 - 400;
          state.now += waitMs;
          return { rows: [{ now }] };
        },
      } as unknown as Pool,
      logger: createLogger('fatal'),
      clock: { now: () => state.now },
      monotonicMs: () => state.now,
    });
    assert.equal(await watch.measure(), 400);
    waitMs = 20_000;
    assert.equal(await watch.measure(), 400);
  });
});

describe('on a clock that is off', () => {
  test('nothing is quoted or executed, and both go on when it is right', async () => {
    const { state, watch } = machine(1_000);
    await watch.measure();
    const quote = await desk.quote();
    const { timekeeper } = desk.services;
    Object.assign(desk.services, { timekeeper: watch });
    await assert.rejects(desk.quote(), isMaintenance);
    await assert.rejects(desk.execute(quote), isMaintenance);
    const { rows } = await pool.query('select from transactions');
    assert.equal(rows.length, 0);
    state.offByMs = 0;
    await watch.measure();
    assert.equal((await desk.execute(quote)).quote_id, quote.id);
    await desk.quote();
    Object.assign(desk.services, { timekeeper });
  });

  test('sweeps rest', async () => {
    const { state, watch } = machine(-1_000);
    await watch.measure();
    let runs = 0;
    const sweep = {
      name: 'close_ledger_days',
      does: 'Nothing.',
      everyMs: 3_600_000,
      run: async () => ++runs && 0,
    };
    const runner = new SweepRunner([sweep], createLogger('fatal'), { rests: () => !watch.isRight() });
    await runner.runDueNow();
    assert.equal(runs, 0);
    state.offByMs = 0;
    await watch.measure();
    await runner.runDueNow();
    assert.equal(runs, 1);
  });
});
