import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ReportScheduleInput } from '@firmquote/api/operations/report-schedules';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/process.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { LiveDateRules } from '../calendars/date-rules.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import type { FieldError, Problem } from '../problems/problem.ts';
import { type JobRow, readPiece } from './job-store.ts';
import { ATTEMPTS_MAX, makeNextReport } from './make-reports.ts';
import type { ReportMaker, SchedulesRoom } from './room.ts';
import { nextDue } from './schedule-runs.ts';
import { findSchedule, listRuns, type ScheduleRow } from './schedule-store.ts';
import { scheduledReportsSweep } from './schedule-sweep.ts';
import { createSchedule, endSchedule, replaceSchedule } from './schedules.ts';
import { Snapshots } from './snapshot.ts';

const BY = newUuid(Date.parse('2026-03-01T00:00:00Z'));
const DAILY: ReportScheduleInput = {
  ...{ name: 'Trades of the day', report: 'blotter', format: 'csv', every: 'day', on: null, at: '06:30' },
  ...{ zone: 'UTC', holidays: 'run', calendar: null, customerId: null, currency: null, keepDays: 10 },
  paused: false,
};

let pool: Pool;
let maker: ReportMaker & SchedulesRoom;
let set: (instant: string) => void;
let desk: Desk;
let calendars: LiveDateRules;

before(async () => {
  ({ pool } = await createTestDatabase());
  desk = await createDesk(pool);
  calendars = new LiveDateRules();
  await calendars.refresh(pool);
  set = (instant) => desk.clock.set(Date.parse(instant));
  maker = {
    pool,
    snapshots: new Snapshots(pool),
    clock: desk.clock,
    book: desk.market.book,
    calendars,
    logger: createLogger('silent'),
    accepting: () => true,
  };
});

async function exceptionsOf({ id }: ScheduleRow) {
  const { rows } = await pool.query<{ type: string; reason: string; report_id: string | null; slot: string }>(
    'select type, reason, report_id, slot from reconciliation_exceptions where schedule_id = $1',
    [id],
  );
  assert.ok(rows.every(({ type }) => type === 'report_failed'));
  return rows.map(({ reason, report_id, slot }) => [reason, report_id, slot]);
}

async function scheduled(change: Partial<ReportScheduleInput> = {}): Promise<ScheduleRow> {
  let made: ScheduleRow | undefined;
  await createSchedule(maker, { ...DAILY, ...change }, BY, async (_, row) => {
    made = row;
  });
  return made ?? assert.fail('nothing was made');
}

/** What several instances do at once. */
async function sweep(instances = 1): Promise<number> {
  const runs = Array.from({ length: instances }, () => scheduledReportsSweep(maker).run());
  return (await Promise.all(runs)).reduce((sum, moved) => sum + moved, 0);
}

async function runsOf({ id }: ScheduleRow): Promise<JobRow[]> {
  return (await listRuns(pool, id, undefined, 1_000)).reverse();
}

/** What each run reports. */
async function periodsOf(schedule: ScheduleRow): Promise<string[]> {
  return (await runsOf(schedule)).map(({ parameters }) => {
    const { from, to } = JSON.parse(parameters) as { from: number; to: number };
    return [from, to].map((instant) => new Date(instant).toISOString().slice(0, 16)).join(' ');
  });
}

const again = async ({ id }: ScheduleRow) => (await findSchedule(pool, id)) ?? assert.fail();

describe('scheduled reports', () => {
  test('each slot has one run, however many instances look, and its own day', async () => {
    set('2026-03-04T07:00:00Z');
    const schedule = await scheduled();
    assert.equal(await sweep(4), 0, 'nothing is due before the next morning');
    set('2026-03-05T06:29:59Z');
    assert.equal(await sweep(4), 0);
    set('2026-03-05T06:30:00Z');
    assert.equal(await sweep(4), 1);
    assert.equal(await sweep(4), 0);
    const [run, ...others] = await runsOf(schedule);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [run?.slot, run?.due_at, run?.requested_by, JSON.parse(run?.parameters ?? '')],
      [
        '2026-03-05',
        Date.parse('2026-03-05T06:30:00Z'),
        BY,
        { from: Date.parse('2026-03-04T00:00:00Z'), to: Date.parse('2026-03-05T00:00:00Z') },
      ],
    );
    assert.equal(await makeNextReport(maker), 1);
    const [made] = await runsOf(schedule);
    assert.deepEqual([made?.status, made?.sha256?.length], ['completed', 64]);
    await endSchedule(maker, schedule.id);
    const kept = await pool.query('select schedule_id, slot from report_jobs where id = $1', [run?.id]);
    assert.deepEqual(kept.rows, [{ schedule_id: null, slot: '2026-03-05' }], 'what was made is kept');
  });

  test('a trade that is committed after the midnight before which it was made is in the report of its day', async () => {
    set('2026-03-06T12:00:00Z');
    const schedule = await scheduled({ at: '00:00' });
    set('2026-03-06T23:59:40Z');
    const quote = await desk.quote();
    const held = await pool.connect();
    await held.query('begin');
    await held.query('select from customer_usage where customer_id = $1 for update', [desk.customerId]);
    const executing = desk.execute(quote);
    try {
      await until('the execution waits', async () => {
        const { rowCount } = await pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rowCount !== 0;
      });
      set('2026-03-07T00:00:00Z');
      await sweep();
      await makeNextReport(maker);
    } finally {
      await held.query('commit');
      held.release();
    }
    const trade = await executing;
    assert.ok(trade.created_at < Date.parse('2026-03-07T00:00:00Z'));
    const next = nextDue(maker, await again(schedule));
    set(new Date(next?.dueAt ?? 0).toISOString());
    await sweep();
    await makeNextReport(maker);
    const [run] = await runsOf(schedule);
    assert.deepEqual([run?.slot, run?.status], ['2026-03-07', 'completed']);
    assert.match((await readPiece(pool, run?.id ?? '', 1)) ?? '', new RegExp(trade.reference));
    await endSchedule(maker, schedule.id);
  });

  test('after a time without the service each missed slot is made once, the newest 31 of them', async () => {
    set('2026-03-10T07:00:00Z');
    const schedule = await scheduled();
    set('2026-03-13T12:00:00Z');
    assert.equal(await sweep(3), 3);
    assert.deepEqual(
      (await runsOf(schedule)).map(({ slot }) => slot),
      ['2026-03-11', '2026-03-12', '2026-03-13'],
    );
    set('2026-05-01T12:00:00Z');
    assert.equal(await sweep(3), 31);
    const runs = await runsOf(schedule);
    assert.deepEqual([runs.length, runs.at(3)?.slot, runs.at(-1)?.slot], [34, '2026-04-01', '2026-05-01']);
    const { left_out, next_date } = await again(schedule);
    assert.deepEqual([left_out, next_date], [18, '2026-05-02']);
    await endSchedule(maker, schedule.id);
  });

  test('a report of now is made up for once', async () => {
    set('2026-06-01T07:00:00Z');
    const schedule = await scheduled({ report: 'exposure', format: 'json' });
    set('2026-06-11T12:00:00Z');
    assert.equal(await sweep(2), 1);
    assert.deepEqual(
      (await runsOf(schedule)).map(({ slot }) => slot),
      ['2026-06-11'],
    );
    assert.equal((await again(schedule)).left_out, 9);
    await endSchedule(maker, schedule.id);
  });

  test('what falls due during a pause is not made later', async () => {
    set('2026-07-01T07:00:00Z');
    const schedule = await scheduled();
    await replaceSchedule(maker, schedule.id, { ...DAILY, paused: true }, schedule.version);
    set('2026-07-05T07:00:00Z');
    assert.equal(await sweep(), 0);
    await replaceSchedule(maker, schedule.id, DAILY, 2);
    assert.equal(await sweep(), 0);
    set('2026-07-06T07:00:00Z');
    assert.equal(await sweep(), 1);
    // Another name moves nothing.
    const renamed = await replaceSchedule(maker, schedule.id, { ...DAILY, name: 'Blotter' }, 3);
    assert.equal(renamed.next_date, '2026-07-07');
    await endSchedule(maker, schedule.id);
  });

  test('a calendar that changes between two runs leaves out no day, and reports none twice', async () => {
    let version = 1_000n;
    const closed = (...dates: string[]) => {
      const days = dates.map((date) => ({
        date,
        state: 'closed' as const,
        reason: 'Feast',
        source: 'a decree',
      }));
      const years = [{ currency: 'SAR', year: 2026, complete: false, days }];
      calendars.take({ version: version++, years, cutOffs: [] });
    };
    // A Wednesday.
    closed('2026-11-12');
    set('2026-11-10T07:00:00Z');
    const schedule = await scheduled({ holidays: 'skip', calendar: 'SAR' });
    set('2026-11-11T07:00:00Z');
    assert.equal(await sweep(), 1);
    // The feast is a day later than it was expected.
    closed('2026-11-15');
    set('2026-11-16T07:00:00Z');
    assert.equal(await sweep(), 1);
    // A day that was reported is said to have been none.
    closed('2026-11-15', '2026-11-16');
    set('2026-11-17T07:00:00Z');
    assert.equal(await sweep(), 1);
    assert.deepEqual(await periodsOf(schedule), [
      '2026-11-10T00:00 2026-11-11T00:00',
      '2026-11-11T00:00 2026-11-16T00:00',
      '2026-11-16T00:00 2026-11-17T00:00',
    ]);
    await endSchedule(maker, schedule.id);
  });

  test('another zone, or other days, leave out no hour, and report none twice', async () => {
    set('2026-10-05T07:00:00Z');
    const schedule = await scheduled({ zone: 'Asia/Tokyo' });
    set('2026-10-06T07:00:00Z');
    assert.equal(await sweep(), 1);
    const replace = async (version: number, change: Partial<ReportScheduleInput>) =>
      replaceSchedule(maker, schedule.id, { ...DAILY, ...change }, version);
    await replace(1, { zone: 'America/New_York' });
    set('2026-10-07T12:00:00Z');
    assert.equal(await sweep(), 1);
    await replace(2, { zone: 'Asia/Tokyo' });
    set('2026-10-08T07:00:00Z');
    assert.equal(await sweep(), 1);
    await replace(3, { zone: 'Asia/Tokyo', every: 'week', on: 2 });
    set('2026-10-13T07:00:00Z');
    assert.equal(await sweep(), 1);
    // The twentieth comes before the next Tuesday but one.
    await replace(4, { zone: 'Asia/Tokyo', every: 'month', on: 20 });
    set('2026-10-20T07:00:00Z');
    assert.equal(await sweep(), 1);
    // What was not to be reported is not made up for.
    await replace(5, { zone: 'Asia/Tokyo', paused: true });
    set('2026-10-28T07:00:00Z');
    await replace(6, { zone: 'Asia/Tokyo' });
    set('2026-10-29T07:00:00Z');
    assert.equal(await sweep(), 1);
    assert.deepEqual(await periodsOf(schedule), [
      '2026-10-04T15:00 2026-10-05T15:00',
      '2026-10-05T15:00 2026-10-07T04:00',
      '2026-10-07T04:00 2026-10-07T15:00',
      '2026-10-07T15:00 2026-10-12T15:00',
      '2026-10-12T15:00 2026-10-19T15:00',
      '2026-10-27T15:00 2026-10-28T15:00',
    ]);
    await endSchedule(maker, schedule.id);
  });

  test('what fell due before a change is made, though no instance had come to it', async () => {
    for (const change of [{ paused: true }, { every: 'week', on: 1 }] as const) {
      set('2026-07-20T07:00:00Z');
      const schedule = await scheduled();
      // Nothing ran for two nights; the change comes before the first sweep.
      set('2026-07-22T08:00:00Z');
      await replaceSchedule(maker, schedule.id, { ...DAILY, ...change }, schedule.version);
      assert.equal(await sweep(2), 0);
      assert.deepEqual(
        (await runsOf(schedule)).map(({ slot }) => slot),
        ['2026-07-21', '2026-07-22'],
      );
      await endSchedule(maker, schedule.id);
    }
  });

  test('another time of day leaves out no day, and reports none twice', async () => {
    set('2026-07-14T07:00:00Z');
    const schedule = await scheduled();
    // The run of today was to come at half past six.
    set('2026-07-15T06:10:00Z');
    await replaceSchedule(maker, schedule.id, { ...DAILY, at: '06:00' }, schedule.version);
    assert.equal(await sweep(), 1);
    await replaceSchedule(maker, schedule.id, { ...DAILY, at: '08:00' }, schedule.version + 1);
    set('2026-07-15T08:00:00Z');
    assert.equal(await sweep(), 0);
    set('2026-07-16T08:00:00Z');
    assert.equal(await sweep(), 1);
    assert.deepEqual(
      (await runsOf(schedule)).map(({ slot }) => slot),
      ['2026-07-15', '2026-07-16'],
    );
    await endSchedule(maker, schedule.id);
  });

  test('a calendar that has ended keeps no other schedule from running', async () => {
    set('2026-08-03T07:00:00Z');
    const skipping = await scheduled({ holidays: 'skip', calendar: 'USD' });
    const plain = await scheduled();
    await pool.query("update report_schedules set calendar = 'XTS' where id = $1", [skipping.id]);
    set('2026-08-04T07:00:00Z');
    // A run of the one, and an exception for the other.
    assert.equal(await sweep(2), 2);
    assert.equal((await runsOf(plain)).length, 1);
    assert.equal(await sweep(2), 0, 'told once');
    assert.deepEqual(await exceptionsOf(skipping), [['cannot_run', null, '2026-08-04']]);
    // Paused it is nobody's work; and somebody who was done with it is not asked again.
    await pool.query(
      "update reconciliation_exceptions set status = 'resolved', resolved_at = now(), resolution = 'acknowledged' where schedule_id = $1",
      [skipping.id],
    );
    assert.equal(await sweep(), 0);
    for (const { id } of [skipping, plain]) await endSchedule(maker, id);
  });

  test('the last day that a calendar knows is reported, and that it is the last one is told', async () => {
    set('2030-12-28T07:00:00Z');
    const schedule = await scheduled({ holidays: 'skip', calendar: 'EUR' });
    set('2030-12-31T07:00:00Z');
    assert.equal(await sweep(), 2);
    const runs = await runsOf(schedule);
    assert.deepEqual(
      runs.map(({ slot }) => slot),
      ['2030-12-30', '2030-12-31'],
    );
    assert.equal(await sweep(), 1);
    assert.deepEqual(await exceptionsOf(schedule), [['cannot_run', null, '2031-01-01']]);
    await endSchedule(maker, schedule.id);
  });

  test('a run that waits for an open day is not lost when its schedule is changed', async () => {
    set('2026-07-10T07:00:00Z');
    const monthly = { every: 'month', on: 1, holidays: 'following', calendar: 'EUR' } as const;
    const schedule = await scheduled(monthly);
    // The first of August is a Saturday.
    set('2026-08-02T12:00:00Z');
    assert.equal(await sweep(), 0);
    const changed = { ...DAILY, ...monthly, calendar: 'GBP' };
    const { next_date } = await replaceSchedule(maker, schedule.id, changed, schedule.version);
    assert.equal(next_date, '2026-08-01');
    set('2026-08-03T06:30:00Z');
    assert.equal(await sweep(2), 1);
    await replaceSchedule(maker, schedule.id, { ...DAILY, ...monthly }, schedule.version + 1);
    assert.equal(await sweep(2), 0);
    assert.deepEqual(
      (await runsOf(schedule)).map(({ slot }) => slot),
      ['2026-08-01'],
    );
    await endSchedule(maker, schedule.id);
  });

  test('a schedule whose next day its calendar does not know is refused, and can be paused', async () => {
    set('2030-11-20T07:00:00Z');
    const monthly = { every: 'month', on: 1, holidays: 'skip', calendar: 'EUR' } as const;
    const schedule = await scheduled({ ...monthly, holidays: 'following' });
    set('2030-12-20T07:00:00Z');
    const refused = (work: Promise<unknown>) =>
      assert.rejects(work, (error: Problem) => {
        assert.equal(error.code, 'validation_failed');
        assert.deepEqual(
          (error.members as { errors: FieldError[] }).errors.map(({ pointer, code }) => [pointer, code]),
          [['/calendar', 'out_of_range']],
        );
        return true;
      });
    for (const holidays of ['skip', 'following'] as const) await refused(scheduled({ ...monthly, holidays }));
    await refused(replaceSchedule(maker, schedule.id, { ...DAILY, ...monthly }, schedule.version));
    const paused = { ...DAILY, ...monthly, paused: true };
    assert.ok((await replaceSchedule(maker, schedule.id, paused, schedule.version)).paused);
    await endSchedule(maker, schedule.id);
  });

  test('a run that cannot be made is told to operators', async () => {
    set('2026-09-01T07:00:00Z');
    const schedule = await scheduled();
    set('2026-09-02T07:00:00Z');
    await sweep();
    await pool.query('update report_jobs set attempts = $2 where schedule_id = $1', [
      schedule.id,
      ATTEMPTS_MAX,
    ]);
    for (let made = 1; made > 0; ) made = await makeNextReport(maker);
    const [run] = await runsOf(schedule);
    assert.equal(run?.status, 'failed');
    assert.deepEqual(await exceptionsOf(schedule), [['run_failed', run.id, '2026-09-02']]);
    const { rows } = await pool.query<{ data: string }>(
      "select data from operator_events where type = 'report.failed'",
    );
    assert.deepEqual(
      rows.map(({ data }) => JSON.parse(data) as unknown),
      [{ reportId: run?.id, subject: 'blotter', reason: run?.failure, scheduleId: schedule.id }],
    );
  });
});
