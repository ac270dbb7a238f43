import { REPORTS, type ReportName } from '@firmquote/api/operations/reports';
import { logFailure } from '../database/log-failure.ts';
import { inTransaction } from '../database/pool.ts';
import { reportMissingReport } from '../deposits/exceptions.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import type { ReportParameters } from './report.ts';
import type { ReportMaker, SchedulesRoom } from './room.ts';
import { dueSlots, periodOf, type Slot, slotFrom, type Timing } from './schedule-slots.ts';
import { insertRun, listSchedules, lockSchedule, moveSchedule, type ScheduleRow } from './schedule-store.ts';
import { timingOf } from './schedules.ts';

/** Slots of one schedule that are made up for after a time without the service; older ones are left out. */
const CATCH_UP_MAX = 31; // limit: Missed runs of a schedule that are made up for
const DAY_MS = 86_400_000;

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
          else if (next.dueAt <= clock.now()) done += await queueDue(maker, row.id);
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

/** What comes next of a schedule; undefined for one that is paused, or whose calendar has ended. */
export function nextDue(maker: Pick<SchedulesRoom, 'calendars'>, row: ScheduleRow): Slot | undefined {
  if (row.paused) return undefined;
  try {
    const timing = timingOf(maker, row);
    const next = slotFrom(timing, row.next_date);
    // What it reports has to be known, too.
    parametersOf(row, timing, next);
    return next;
  } catch {
    return undefined;
  }
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

async function queueDue(maker: ScheduleMaker, id: string): Promise<number> {
  const now = maker.clock.now();
  return inTransaction(maker.pool, async (connection) => {
    const row = await lockSchedule(connection, id, true);
    if (row === undefined || row.paused) return 0;
    const timing = timingOf(maker, row);
    const { due, next } = dueSlots(timing, row.next_date, now);
    if (due.length === 0) return 0;
    const made = due.slice(-(REPORTS[row.report as ReportName].range === 'instants' ? CATCH_UP_MAX : 1));
    let queued = 0;
    for (const slot of made) {
      const isNew = await insertRun(connection, {
        id: newUuid(now),
        report: row.report as ReportName,
        format: row.format,
        parameters: JSON.stringify(parametersOf(row, timing, slot)),
        requested_by: row.created_by,
        created_at: now,
        expires_at: now + row.keep_days * DAY_MS,
        scheduleId: row.id,
        slot: slot.date,
        dueAt: slot.dueAt,
      });
      if (isNew) queued++;
    }
    await moveSchedule(connection, row.id, next, due.length - made.length);
    return queued;
  });
}

/** A report of a period is of the time since the slot before; one of value dates begins on its day; the others are of now. */
function parametersOf(row: ScheduleRow, timing: Timing, slot: Slot): ReportParameters {
  const filters = { customerId: row.customer_id ?? undefined, currency: row.currency ?? undefined };
  switch (REPORTS[row.report as ReportName].range) {
    case 'instants':
      return { ...periodOf(timing, slot), ...filters };
    case 'value-dates':
      return { fromDate: slot.date, ...filters };
    case 'none':
      return filters;
  }
}
