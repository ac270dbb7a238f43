import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant, VirtualClock } from '../platform/clock.ts';
import { createLogger } from '../platform/logger.ts';
import { sealLog } from './seal.ts';
import { auditLines, type SealedLog } from './sealed-log.ts';
import { verifyInBackground } from './verify-sweep.ts';

const ROWS = 5_000;
const clock = new VirtualClock();
const trail = auditLines(clock.now.bind(clock));
let pool: Pool;
/** Keys of the rows that were looked at; the last one of a portion is read a second time. */
const read = new Set<string>();
const counted: SealedLog = {
  ...trail,
  async lines(...args) {
    const lines = await trail.lines(...args);
    for (const { key } of lines) read.add(key);
    return lines;
  },
};

before(async () => {
  ({ pool } = await createTestDatabase());
  for (let i = 0; i < ROWS / 1_000; i++) {
    await pool.query(
      `insert into audit_log (at, kind, operation, resource, subjects, outcome, actor, changes)
       select $1, 'change', 'test', '/things/' || i, '{}', 'done', 'service', '[]' from generate_series(1, 1000) i`,
      [isoInstant(clock.now())],
    );
    clock.advance(10_000);
    await sealLog({ pool, clock, realClock: clock }, trail);
  }
});
beforeEach(() => read.clear());

const background = () =>
  verifyInBackground({ pool, realClock: clock, logger: createLogger('silent') }, [counted]);

/** What each run of a time has read, when it is run as often as it wants. */
async function rowsOfRuns(seconds: number, sweep: ReturnType<typeof background>['sweep']): Promise<number[]> {
  const runs: number[] = [];
  for (let ms = 0; ms < seconds * 1_000; ms += sweep.everyMs) {
    read.clear();
    await sweep.run();
    runs.push(read.size);
    clock.advance(sweep.everyMs);
  }
  return runs;
}

test('a log is verified a portion at a time, and from its beginning again after a minute', async () => {
  const { sweep } = background();
  const runs = await rowsOfRuns(120, sweep);
  assert.ok(Math.max(...runs) <= 2_000, `rows of each run: ${runs.join(', ')}`);
  const [first, second] = [runs.slice(0, runs.length / 2), runs.slice(runs.length / 2)];
  for (const minute of [first, second]) assert.equal(sum(minute), ROWS, runs.join(', '));
});

test('however often all sweeps are run, as where the clock of business moves, it is read as fast as ever', async () => {
  const { sweep } = background();
  for (let i = 0; i < 20; i++) await sweep.run();
  assert.ok(read.size > 0 && read.size <= 2_000, `${read.size} rows`);
  read.clear();
  clock.advance(-3_600_000);
  await sweep.run();
  assert.ok(read.size > 0, 'also when the clock was put back');
  clock.advance(3_600_000);
});

test('what does not match is found by the walk that comes to it, and no longer when it matches again', async () => {
  const { sweep, faults, found } = background();
  await alter(ROWS - 10, 'other');
  await rowsOfRuns(60, sweep);
  assert.deepEqual(
    found().map(({ log, fault, key }) => ({ log, fault, key })),
    [{ log: 'audit', fault: 'altered', key: String(ROWS - 10) }],
  );
  assert.equal(faults.get('audit'), 1);
  await rowsOfRuns(60, sweep);
  assert.equal(faults.get('audit'), 2, 'each walk finds it');
  await alter(ROWS - 10, 'test');
  await rowsOfRuns(60, sweep);
  assert.deepEqual(found(), []);
});

/** Past what guards the trail, as only an owner can. */
async function alter(number: number, operation: string): Promise<void> {
  const connection = await ownerOf(pool).connect();
  try {
    await connection.query('set session_replication_role = replica');
    await connection.query('update audit_log set operation = $1 where number = $2', [operation, number]);
  } finally {
    connection.release(true);
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
