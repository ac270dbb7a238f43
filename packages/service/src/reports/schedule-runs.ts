import { REPORTS, type ReportName } from '@firmquote/api/operations/reports';
import type { Queryable } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import type { ReportParameters } from './report.ts';
import type { SchedulesRoom } from './room.ts';
import { dueSlots, endOf, periodOf, type Slot, slotFrom, type Timing } from './schedule-slots.ts';
import { insertRun, moveSchedule, type ScheduleRow } from './schedule-store.ts';

/** Slots of one schedule that are made up for after a time without the service; older ones are left out. */
const CATCH_UP_MAX = 31; // limit: Missed runs of a schedule that are made up for
/** What was decided before midnight and is committed after it belongs to the day before: no statement takes longer. */
const SETTLES_MS = 60_000; // limit: Time after the end of its period before which no scheduled report is made
const DAY_MS = 86_400_000;

type Calendars = Pick<SchedulesRoom, 'calendars'>;

/** What says when a schedule runs. */
type Timed = Pick<ScheduleRow, 'report' | 'every' | 'day_on' | 'at_time' | 'zone' | 'holidays' | 'calendar'>;

/** When a schedule runs, by the calendars that are in force. */
export function timingOf({ calendars }: Calendars, row: Timed): Timing {
  const { report, every, day_on: on, at_time: at, zone, holidays, calendar } = row;
  const settlesMs = rangeOf({ report }) === 'instants' ? SETTLES_MS : 0;
  const open = calendars.current.calendars;
  const isOpen = (date: string) => calendar === null || open.isBusinessDay(calendar, date);
  return { every, on: on ?? undefined, at, zone, holidays, isOpen, settlesMs };
}

/** What comes next of a schedule; undefined for one that is paused, or whose calendar has ended. */
export function nextDue(room: Calendars, row: ScheduleRow): Slot | undefined {
  if (row.paused) return undefined;
  try {
    const timing = timingOf(room, row);
    const next = slotFrom(timing, row.next_date);
    // What it reports has to be known, too.
    parametersOf(row, timing, next, reportedUntil(row));
    return next;
  } catch {
    return undefined;
  }
}

/**
 * Queues what is due of a schedule that the caller has locked.
 * @returns how many runs are new, and the schedule as it stands then
 */
export async function queueDue(
  room: Calendars,
  connection: Queryable,
  row: ScheduleRow,
  now: number,
): Promise<{ readonly queued: number; readonly moved: ScheduleRow }> {
  if (nextDue(room, row) === undefined) return { queued: 0, moved: row };
  const timing = timingOf(room, row);
  const { due, next } = dueSlots(timing, row.next_date, now);
  if (due.length === 0) return { queued: 0, moved: row };
  const made = due.slice(-(rangeOf(row) === 'instants' ? CATCH_UP_MAX : 1));
  let queued = 0;
  // What is left out belongs to no other run.
  let since = made.length === due.length ? reportedUntil(row) : undefined;
  for (const slot of made) {
    const parameters = parametersOf(row, timing, slot, since);
    const isNew = await insertRun(connection, {
      id: newUuid(now),
      report: row.report as ReportName,
      format: row.format,
      parameters: JSON.stringify(parameters),
      requested_by: row.created_by,
      created_at: now,
      expires_at: now + row.keep_days * DAY_MS,
      scheduleId: row.id,
      slot: slot.date,
      dueAt: slot.dueAt,
    });
    if (isNew) queued++;
    since = parameters.to === undefined ? undefined : Math.max(parameters.to, since ?? parameters.to);
  }
  const moved = {
    ...row,
    next_date: next,
    left_out: row.left_out + due.length - made.length,
    ...goingOnFrom(since, next),
  };
  await moveSchedule(connection, moved);
  return { queued, moved };
}

/** Until when a schedule has reported; undefined where its next run is the first, or the one after a pause. */
export function reportedUntil({ next_date, next_from, next_from_date }: ScheduleRow): number | undefined {
  return next_from === null || next_from_date !== next_date ? undefined : next_from;
}

/** That the run of a day goes on from an instant. */
export function goingOnFrom(
  since: number | undefined,
  date: string,
): Pick<ScheduleRow, 'next_from' | 'next_from_date'> {
  return since === undefined
    ? { next_from: null, next_from_date: null }
    : { next_from: since, next_from_date: date };
}

const rangeOf = ({ report }: Pick<ScheduleRow, 'report'>) => REPORTS[report as ReportName].range;

/**
 * A report of a period is of the time since the run before, or where that does not count since the slot before by the calendars of now;
 * one of value dates begins on its day; the others are of now.
 */
function parametersOf(
  row: ScheduleRow,
  timing: Timing,
  slot: Slot,
  since: number | undefined,
): ReportParameters {
  const filters = { customerId: row.customer_id ?? undefined, currency: row.currency ?? undefined };
  switch (rangeOf(row)) {
    case 'instants': {
      const to = endOf(timing, slot);
      return {
        from: since === undefined ? periodOf(timing, slot).from : Math.min(since, to),
        to,
        ...filters,
      };
    }
    case 'value-dates':
      return { fromDate: slot.date, ...filters };
    case 'instant':
    case 'none':
      return filters;
  }
}
