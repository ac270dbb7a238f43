import { logFailure } from '../database/log-failure.ts';
import { inTransaction } from '../database/pool.ts';
import { reportMissingReport } from '../deposits/exceptions.ts';
import { typeId } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { ReportMaker, SchedulesRoom } from './room.ts';
import { nextDue, queueDue } from './schedule-runs.ts';
import { listSchedules, lockSchedule } from './schedule-store.ts';

type ScheduleMaker = ReportMaker & SchedulesRoom;

/** Queues what is due of every schedule: each slot once, whichever instance is first. */
export function scheduledReportsSweep(maker: ScheduleMaker): Sweep {
  const { pool, clock, logger } = maker;
  return {
    name: 'queue_scheduled_reports',
    does: 'Queues scheduled reports that are due, each slot once, and reports schedules that cannot run.',
    everyMs: 5_000,
    async run() {
      if (!maker.accepting()) return 0;
      let done = 0;
      for (const row of await listSchedules(pool)) {
        try {
          const next = nextDue(maker, row);
          // One that has no calendar any more keeps no other from running.
          if (next === undefined) done += row.paused ? 0 : await notifyThatItCannotRun(maker, row.id);
          else if (next.dueAt <= clock.now()) done += await queueRuns(maker, row.id);
        } catch (error) {
          logFailure(logger, error, { schedule: typeId('rps', row.id) }, 'report schedule failed');
        }
      }
      return done;
    },
    async nextDueAt() {
      const dues = (await listSchedules(pool)).flatMap((row) => nextDue(maker, row)?.dueAt ?? []);
      return dues.length === 0 ? undefined : Math.min(...dues);
    },
  };
}

/** Once for the slot that it stands at. @returns 1 where that is new */
async function notifyThatItCannotRun(maker: ScheduleMaker, id: string): Promise<number> {
  const now = maker.clock.now();
  return inTransaction(maker.pool, async (connection) => {
    const row = await lockSchedule(connection, id, true);
    if (row === undefined || row.paused || nextDue(maker, row) !== undefined) return 0;
    const report = { scheduleId: id, reportId: null, slot: row.next_date };
    if (!(await reportMissingReport(connection, report, 'cannot_run', now))) return 0;
    const { calendar, next_date: slot } = row;
    maker.logger.error({ schedule: typeId('rps', id), calendar, slot }, 'a report schedule cannot run');
    return 1;
  });
}

async function queueRuns({ pool, clock, calendars }: ScheduleMaker, id: string): Promise<number> {
  const now = clock.now();
  return inTransaction(pool, async (connection) => {
    const row = await lockSchedule(connection, id, true);
    return row === undefined ? 0 : (await queueDue({ calendars }, connection, row, now)).queued;
  });
}
