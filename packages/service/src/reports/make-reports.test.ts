import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import type { ReportFormat } from '@firmquote/api/operations/reports';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk, EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import { answerReport } from './answer-report.ts';
import { REPORTS } from './catalogue.ts';
import {
  claimJob,
  deleteExpiredJobs,
  deleteJob,
  findJob,
  insertJob,
  type JobRow,
  readPiece,
  writePiece,
} from './job-store.ts';
import { ATTEMPTS_MAX, LEASE_SECONDS, makeNextReport } from './make-reports.ts';
import type { ReportMaker } from './room.ts';
import { Snapshots } from './snapshot.ts';

let pool: Pool;
let maker: ReportMaker;
before(async () => {
  ({ pool } = await createTestDatabase());
  const desk = await createDesk(pool);
  for (let i = 0; i < 3; i++) await desk.execute(await desk.quote({ amount: `${100 + i}.00` }));
  desk.clock.set(EXAMPLE_INSTANT + 3_600_000);
  maker = {
    pool,
    snapshots: new Snapshots(pool),
    clock: desk.clock,
    book: desk.market.book,
    logger: createLogger('silent'),
    accepting: () => true,
  };
});

const RANGE = { from: EXAMPLE_INSTANT - 1_000, to: EXAMPLE_INSTANT + 60_000 };

async function ask(format: ReportFormat = 'csv', jobsMax = 100): Promise<JobRow | undefined> {
  const now = maker.clock.now();
  const times = { createdAt: now, expiresAt: now + 3_600_000 };
  const job = {
    id: newUuid(now),
    report: 'blotter',
    format,
    parameters: RANGE,
    requestedBy: newUuid(now),
  } as const;
  return inTransaction(pool, (connection) => insertJob(connection, { ...job, ...times }, jobsMax));
}

async function stateOf(job: JobRow | undefined): Promise<JobRow> {
  const found = await findJob(pool, job?.id ?? '');
  assert.ok(found);
  return found;
}

async function textOf(job: JobRow): Promise<string> {
  let text = '';
  for (let piece = 1; piece <= job.pieces; piece++) text += await readPiece(pool, job.id, piece);
  return text;
}

/** The database's own clock is what leases run on; here they are made to have run out. */
async function endLease(job: JobRow | undefined): Promise<void> {
  await pool.query(`update report_jobs set lease_until = now() - interval '1 second' where id = $1`, [
    job?.id,
  ]);
}

describe('a report in the background', () => {
  test('is the same text as the one answered at once, with its checksum, rows and bytes', async () => {
    for (const format of ['csv', 'json'] as const) {
      const asked = await ask(format);
      assert.equal(asked?.status, 'queued');
      assert.equal(await makeNextReport(maker), 1);
      const job = await stateOf(asked);
      const text = await textOf(job);
      const { text: direct } = await answerReport(maker, REPORTS.blotter, format, RANGE);
      const withoutTime = (each: string) => each.replace(/"generatedAt":"[^"]+"/, '');
      assert.equal(withoutTime(text), withoutTime(direct));
      assert.deepEqual(
        [job.status, job.rows_written, job.bytes_written, job.sha256],
        ['completed', '3', String(Buffer.byteLength(text)), createHash('sha256').update(text).digest('hex')],
      );
    }
    assert.equal(await makeNextReport(maker), 0);
  });

  test('is made once by several instances', async () => {
    const jobs = await Promise.all([ask(), ask(), ask()]);
    const made = await Promise.all(Array.from({ length: 6 }, () => makeNextReport(maker)));
    assert.equal(
      made.reduce((sum, each) => sum + each, 0),
      3,
    );
    for (const job of jobs)
      assert.deepEqual([(await stateOf(job)).status, (await stateOf(job)).attempts], ['completed', 1]);
  });

  test('is begun anew when its maker died, and what that one still writes does not count', async () => {
    const asked = await ask();
    const dead = '00000000-0000-4000-8000-000000000001';
    const claimed = await inTransaction(pool, (connection) =>
      claimJob(connection, dead, LEASE_SECONDS, maker.clock.now()),
    );
    assert.equal(claimed?.id, asked?.id);
    const late = {
      id: asked?.id ?? '',
      lease: dead,
      leaseSeconds: 60,
      rows: 9,
      bytes: 9,
      piece: 1,
      content: 'x',
    };
    assert.equal(await writePiece(pool, late), true);
    assert.equal(await makeNextReport(maker), 0, 'the lease holds');
    await endLease(asked);
    assert.equal(await makeNextReport(maker), 1);
    assert.equal(await writePiece(pool, { ...late, piece: 7 }), false);
    const job = await stateOf(asked);
    assert.deepEqual([job.status, job.attempts, job.rows_written], ['completed', 2, '3']);
    assert.match(await textOf(job), /^executedAt,/);
  });

  test("is its maker's for as long as it reads, however rare its rows are", async () => {
    const days = 5;
    const { pool: other } = await createTestDatabase();
    const desk = await createDesk(other);
    for (let day = 0; day < days; day++) {
      desk.clock.set(EXAMPLE_INSTANT + day * 86_400_000);
      await desk.execute(await desk.quote());
    }
    const now = desk.clock.now();
    const job = {
      id: newUuid(now),
      report: 'spread-revenue',
      format: 'csv',
      requestedBy: newUuid(now),
      // Of a customer who has no trade.
      parameters: { from: EXAMPLE_INSTANT - 1_000, to: now + 60_000, customerId: newUuid(now) },
      createdAt: now,
      expiresAt: now + 3_600_000,
    } as const;
    await inTransaction(other, (connection) => insertJob(connection, job, 100));
    let [looked, taken] = [0, 0];
    const snapshots = new Snapshots(other);
    const slow: ReportMaker = {
      ...maker,
      ...{ pool: other, clock: desk.clock, book: desk.market.book },
      snapshots: {
        read: (work: Parameters<Snapshots['read']>[0]) =>
          snapshots.read(async (connection) => {
            const query = async (...args: Parameters<Connection['query']>) => {
              // Each statement takes as long as one may.
              await other.query(`update report_jobs set lease_until = lease_until - interval '30 seconds'`);
              const another = await inTransaction(other, (each) =>
                claimJob(each, newUuid(now), LEASE_SECONDS, now),
              );
              if (another !== undefined) taken++;
              looked++;
              return connection.query(...args);
            };
            return work({ query } as unknown as Connection);
          }),
      } as Snapshots,
    };
    assert.equal(await makeNextReport(slow), 1);
    const made = await findJob(other, job.id);
    assert.deepEqual([made?.status, made?.attempts, made?.rows_written], ['completed', 1, '0']);
    assert.equal(taken, 0);
    assert.ok(looked * 30 > 2 * LEASE_SECONDS);
  });

  test('is given back when the service stops, and made after the start', async () => {
    const asked = await ask();
    assert.equal(await makeNextReport({ ...maker, accepting: () => false }), 0);
    let looks = 0;
    const stopping = { ...maker, accepting: () => ++looks < 2 };
    assert.equal(await makeNextReport(stopping), 0);
    assert.deepEqual([(await stateOf(asked)).status, (await stateOf(asked)).attempts], ['queued', 0]);
    assert.equal(await makeNextReport(maker), 1);
    assert.equal((await stateOf(asked)).status, 'completed');
  });

  test('is put back when too many others read, which is no attempt', async () => {
    const asked = await ask();
    const snapshots = {
      read: () => Promise.reject(new Problem('overloaded', 'too many')),
    } as unknown as Snapshots;
    assert.equal(await makeNextReport({ ...maker, snapshots }), 0);
    assert.deepEqual([(await stateOf(asked)).status, (await stateOf(asked)).attempts], ['queued', 0]);
    assert.equal(await makeNextReport(maker), 1);
  });

  test('fails for good after three attempts, and says so without telling the inside', async () => {
    const asked = await ask();
    const broken: ReportMaker = {
      ...maker,
      clock: {
        now: () => {
          throw new Error('secret detail');
        },
      },
    };
    await assert.rejects(makeNextReport(broken), /secret/);
    await pool.query(`update report_jobs set parameters = '{"from":"x"}' where id = $1`, [asked?.id]);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      assert.equal((await stateOf(asked)).failure, null);
      assert.equal(await makeNextReport(maker), 1);
      if (attempt < ATTEMPTS_MAX) {
        assert.equal((await stateOf(asked)).status, 'running');
        await endLease(asked);
      }
    }
    const job = await stateOf(asked);
    assert.deepEqual([job.status, job.attempts], ['failed', ATTEMPTS_MAX]);
    assert.match(job.failure ?? '', /^It failed 3 times because of a fault in the service/);
    assert.equal(await makeNextReport(maker), 0);
  });

  test('that is deleted while it is made is given up', async () => {
    const asked = await ask();
    const deleting = {
      ...maker,
      accepting: () => true,
      book: maker.book,
      clock: {
        now: () => {
          // The second look is the report's own time, after it was claimed.
          void deleteJob(pool, asked?.id ?? '');
          return maker.clock.now();
        },
      },
    };
    await makeNextReport(deleting);
    await deleteJob(pool, asked?.id ?? '');
    assert.equal(await findJob(pool, asked?.id ?? ''), undefined);
    assert.equal(await makeNextReport(maker), 0);
  });

  test('is kept until it expires, and only so many are', async () => {
    const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from report_jobs');
    const kept = rows[0]?.n ?? 0;
    assert.equal(await ask('csv', kept), undefined);
    const both = await Promise.all([ask('csv', kept + 1), ask('csv', kept + 1)]);
    assert.equal(both.filter((job) => job !== undefined).length, 1);
    assert.equal(await deleteExpiredJobs(pool, maker.clock.now()), 0);
    assert.ok((await deleteExpiredJobs(pool, maker.clock.now() + 3_601_000)) > 0);
    const { rows: pieces } = await pool.query('select 1 from report_pieces');
    assert.deepEqual(pieces, []);
  });
});
