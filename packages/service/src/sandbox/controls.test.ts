import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { createRunner, createSandbox, type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { noteFailure } from '../bank-statements/apply-failures.ts';
import { limitUsage } from '../customers/limits.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { SweepRunner } from '../platform/sweeps.ts';
import { SandboxControls } from './controls.ts';
import { enableSandboxBank } from './store.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let pool: Pool;
let sandbox: Sandbox;

before(async () => {
  database = await createTestDatabase({ connections: 16 });
  pool = database.pool;
  await enableSandboxBank(pool);
});
beforeEach(async () => {
  await pool.query('delete from sandbox_bank_jobs');
  await pool.query(
    `update sandbox_settings set auto_deposit = true, settlement = 'fast', clock_offset_ms = 0`,
  );
  sandbox = await createSandbox(pool);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  const house = await balancesOf(pool, HOUSE_ID);
  assert.deepEqual(house, {}, 'every simulated deposit has found its trade');
});

async function jobs(): Promise<number> {
  const { rowCount } = await pool.query('select 1 from sandbox_bank_jobs');
  return rowCount ?? 0;
}

test('a clock that goes back takes the volume of later days with it', async () => {
  const { controls, desk } = sandbox;
  const runner = createRunner(desk, controls);
  await sandbox.trade();
  const { rows } = await pool.query<{ limit_day: string; daily_usd_minor: string }>(
    'select limit_day, daily_usd_minor from customer_usage where customer_id = $1',
    [desk.customerId],
  );
  assert.deepEqual(rows, [{ limit_day: '2026-03-04', daily_usd_minor: '10000000' }]);
  await controls.moveClock({ advanceMs: -7 * 86_400_000 }, runner, { refresh: async () => undefined });
  const usage = await limitUsage(pool, desk.customerId, desk.clock.now());
  assert.equal(usage.dailyUsedMinor, 0n);
  await sandbox.trade();
  const after = await limitUsage(pool, desk.customerId, desk.clock.now());
  assert.deepEqual([after.tradeDate, after.dailyUsedMinor], ['2026-02-25', 10_000_000n]);
});

describe('by the calendar', () => {
  beforeEach(() => sandbox.controls.setBank({ settlement: 'calendar' }));

  test('a jump of three days funds, pays and settles on the days on which that happens', async () => {
    const euro = await sandbox.trade();
    const yen = await sandbox.trade({ buyCurrency: 'JPY' });
    const short = await sandbox.trade({ amount: '100907.00' });
    // To Saturday 7 March, 14:30 UTC: on that day no bank is open.
    await sandbox.advance(3 * 86_400);
    const [paidEuro, paidYen] = [await sandbox.read(euro), await sandbox.read(yen)];
    assert.equal(paidEuro.status, 'settled');
    assert.match(isoInstant(paidEuro.settled_at ?? 0), /^2026-03-06T00:00:0/);
    assert.match(isoInstant(paidYen.settled_at ?? 0), /^2026-03-05T15:00:0/);
    const [deposit] = JSON.parse(paidEuro.deposits) as { receivedAt: string }[];
    assert.match(deposit?.receivedAt ?? '', /^2026-03-04T14:30:0/);
    const overdue = await sandbox.read(short);
    assert.equal(overdue.status, 'overdue');
    assert.match(isoInstant(overdue.updated_at), /^2026-03-06T13:30:0/);
  });

  test('nothing is paid before the value date, and fast settlement catches up with what waits', async () => {
    const row = await sandbox.trade();
    await sandbox.advance(3_600);
    assert.equal((await sandbox.read(row)).status, 'funded');
    await sandbox.controls.setBank({ settlement: 'fast' });
    await sandbox.advance(4);
    assert.equal((await sandbox.read(row)).status, 'funded');
    await sandbox.advance(2);
    assert.equal((await sandbox.read(row)).status, 'settled');
  });

  test('a release that was planned when settlement was fast is dropped', async () => {
    await sandbox.controls.setBank({ settlement: 'fast' });
    const row = await sandbox.trade();
    await sandbox.advance(6);
    await sandbox.controls.setBank({ settlement: 'calendar' });
    await sandbox.advance(60);
    assert.equal((await sandbox.read(row)).status, 'funded');
    assert.equal(await jobs(), 0);
  });
});

describe('the clock', () => {
  test('set back keeps what was about to happen as far away as it was', async () => {
    const row = await sandbox.trade();
    const before = sandbox.clock.now();
    await sandbox.advance(-86_400);
    assert.ok(sandbox.clock.now() < before - 86_000_000);
    await sandbox.advance(4);
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    await sandbox.advance(1.5);
    assert.equal((await sandbox.read(row)).status, 'funded');
  });

  test('stops where something is due, also while something else cannot be done', async () => {
    const begin = sandbox.clock.now();
    const stops: number[] = [];
    const blocked = {
      name: 'blocked',
      does: 'Waits for somebody.',
      everyMs: 1_000,
      run: async () => 0,
      nextDueAt: async () => begin,
    };
    const due = [begin + DAY_MS, begin + 2 * DAY_MS];
    const daily = {
      name: 'daily',
      does: 'Notes when it runs.',
      everyMs: 1_000,
      run: async () => {
        if (due[0] === undefined || sandbox.clock.now() < due[0]) return 0;
        due.shift();
        return stops.push(Math.round((sandbox.clock.now() - begin) / DAY_MS));
      },
      nextDueAt: async () => due[0],
    };
    const runner = new SweepRunner([blocked, daily], silentLogger);
    const market = { refresh: async () => undefined };
    await sandbox.controls.moveClock({ advanceMs: 3 * DAY_MS }, runner, market);
    assert.deepEqual(stops, [1, 2]);
  });

  test('moves asked for at once are made one after the other', async () => {
    const before = sandbox.clock.now();
    await Promise.all([sandbox.advance(10), sandbox.advance(10), sandbox.advance(10)]);
    const moved = sandbox.clock.now() - before;
    assert.ok(moved >= 30_000 && moved < 35_000, `${moved}`);
  });

  test('is found by a second start, with what the bank was about to do', async () => {
    const row = await sandbox.trade();
    await sandbox.advance(2);
    const businessTime = sandbox.clock.now();
    // Another process: its own connections, its own clock, nothing in memory.
    const again = createPool({ connection: database.url, max: 4, onError: () => undefined });
    try {
      const clock = new VirtualClock();
      const controls = new SandboxControls(again, clock);
      await controls.load();
      assert.ok(Math.abs(clock.now() - businessTime) < 2_000);
      const desk = { ...sandbox.desk, pool: again, clock };
      const runner = createRunner(desk, controls);
      await controls.moveClock({ advanceMs: 13_000 }, runner, { refresh: async () => undefined });
      assert.equal((await sandbox.read(row)).status, 'settled');
      // The first instance follows within its next round.
      await sandbox.runner.runDueNow();
      assert.equal(sandbox.clock.offsetMs, clock.offsetMs);
    } finally {
      await again.end();
    }
  });
});

test('what two set of the bank at the same time is set, by whichever instance', async () => {
  const elsewhere = new SandboxControls(pool, new VirtualClock());
  const other = await pool.connect();
  const set: Promise<unknown>[] = [];
  try {
    await other.query('begin');
    await other.query('select from sandbox_settings for update');
    set.push(sandbox.controls.setBank({ autoDeposit: false }), elsewhere.setBank({ settlement: 'runs' }));
    await untilLocked(pool, 2);
  } finally {
    await other.query('rollback');
    other.release();
  }
  await Promise.all(set);
  await elsewhere.load();
  assert.deepEqual(elsewhere.bank, { autoDeposit: false, settlement: 'runs' });
});

test('a clock that another instance has just moved is moved from there', async () => {
  const { controls, desk } = sandbox;
  const market = { refresh: async () => undefined };
  const elsewhere = new SandboxControls(pool, new VirtualClock());
  await elsewhere.load();
  const before = elsewhere.offsetMs;
  await controls.moveClock({ advanceMs: 86_400_000 }, createRunner(desk, controls), market);
  // It has not looked since.
  await elsewhere.moveClock({ advanceMs: 3_600_000 }, new SweepRunner([], silentLogger), market);
  assert.equal(elsewhere.offsetMs - before, 86_400_000 + 3_600_000);
  await controls.load();
  assert.equal(controls.offsetMs, elsewhere.offsetMs);
});

test('a clock that goes back leaves what waits for its next attempt as far away as it was', async () => {
  const { controls, desk } = sandbox;
  const held = Object.assign(new Error('held'), { code: '55P03' });
  await noteFailure(desk, 'payment', newUuid(desk.clock.now()), held);
  const waits = async () => {
    const { rows } = await pool.query<{ next_at: number }>('select next_at from apply_failures');
    return (rows[0]?.next_at ?? 0) - desk.clock.now();
  };
  const before = await waits();
  await controls.moveClock({ advanceMs: -7 * 86_400_000 }, new SweepRunner([], silentLogger), {
    refresh: async () => undefined,
  });
  const after = await waits();
  assert.ok(after <= before, `${after} ms, and ${before} before`);
});
