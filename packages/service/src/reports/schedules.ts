import type { ReportScheduleInput } from '@firmquote/api/operations/report-schedules';
import { REPORTS, type ReportName } from '@firmquote/api/operations/reports';
import { CalendarMissingError, findCurrency, isTimeZone, localDateAt } from '@firmquote/fx';
import { existingCustomers } from '../customers/room.ts';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { UNKNOWN_CURRENCY } from '../http/market-codes.ts';
import { TIME_ZONE } from '../http/sentences.ts';
import { newUuid, parseTypeId } from '../platform/ids.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { SchedulesRoom } from './room.ts';
import { goingOnFrom, queueDue, reportedUntil, timingOf } from './schedule-runs.ts';
import { nextSlot } from './schedule-slots.ts';
import {
  deleteSchedule,
  findSchedule,
  insertSchedule,
  lockSchedule,
  type ScheduleRow,
  updateSchedule,
} from './schedule-store.ts';

/** Schedules of reports that there may be. */
const SCHEDULES_MAX = 50; // limit: Schedules of reports

/** What operators write of a schedule, as it is kept. */
type Definition = Omit<
  ScheduleRow,
  | 'id'
  | 'version'
  | 'next_date'
  | 'left_out'
  | 'created_by'
  | 'created_at'
  | 'updated_at'
  | 'next_from'
  | 'next_from_date'
>;

/**
 * Schedules a report from now on.
 * @param by UUID of who does; it is whom the runs are asked for by
 * @param inCommit runs in the same transaction
 * @throws Problem validation_failed, customer_not_found, too_many_report_schedules
 */
export function createSchedule(
  room: SchedulesRoom,
  input: ReportScheduleInput,
  by: string,
  inCommit: (connection: Queryable, row: ScheduleRow) => Promise<void>,
): Promise<void> {
  return inTransaction(room.pool, async (connection) => {
    const definition = await definitionOf(room, connection, input);
    const now = room.clock.now();
    const row: ScheduleRow = {
      ...definition,
      id: newUuid(now),
      version: 1,
      next_date: nextDate(room, definition),
      left_out: 0,
      ...goingOnFrom(undefined, ''),
      created_by: by,
      created_at: now,
      updated_at: now,
    };
    if (!(await insertSchedule(connection, row, SCHEDULES_MAX))) {
      throw new Problem('too_many_report_schedules', `There are already ${SCHEDULES_MAX} schedules.`, {
        members: { limit: SCHEDULES_MAX },
      });
    }
    await inCommit(connection, row);
  });
}

/** @throws Problem validation_failed, customer_not_found, report_schedule_not_found, version_mismatch */
export function replaceSchedule(
  room: SchedulesRoom,
  id: string,
  input: ReportScheduleInput,
  ifMatch: number | '*',
): Promise<ScheduleRow> {
  return inTransaction(room.pool, async (connection) => {
    const former = await lockSchedule(connection, id);
    if (former === undefined) throw scheduleNotFound();
    requireVersion(ifMatch, former.version);
    const definition = await definitionOf(room, connection, input);
    const now = room.clock.now();
    const isRetimed = TIMED.some((column) => definition[column] !== former[column]);
    // What fell due before the change is made as it was scheduled, though nobody has come to it yet.
    const { moved } = isRetimed ? await queueDue(room, connection, former, now) : { moved: former };
    const next = isRetimed ? nextDate(room, definition) : former.next_date;
    // A pause is in no report; another report has reported nothing yet.
    const goesOn = !(definition.paused || former.paused) && definition.report === former.report;
    const row: ScheduleRow = {
      ...moved,
      ...definition,
      version: former.version + 1,
      next_date: next,
      ...goingOnFrom(goesOn ? reportedUntil(moved) : undefined, next),
      updated_at: now,
    };
    await updateSchedule(connection, row);
    return row;
  });
}

/** What moves the next run to another day where it changes. At another time of day the run that is to come stays, and is made at once where that time is over. */
const TIMED = ['every', 'day_on', 'holidays', 'calendar', 'paused'] as const;

/** @throws Problem report_schedule_not_found */
export async function endSchedule({ pool }: SchedulesRoom, id: string): Promise<void> {
  const isThere = await inTransaction(pool, (connection) => deleteSchedule(connection, id));
  if (!isThere) throw scheduleNotFound();
}

/** @throws Problem report_schedule_not_found */
export async function existingSchedule(database: Queryable, id: string): Promise<ScheduleRow> {
  const row = await findSchedule(database, id);
  if (row === undefined) throw scheduleNotFound();
  return row;
}

function scheduleNotFound(): Problem {
  return new Problem('report_schedule_not_found', 'There is no report schedule with this id.');
}

/**
 * The day of the next slot; of one that is paused, which gets another when it goes on, today.
 * @throws Problem validation_failed where the calendar does not say which day that is
 */
function nextDate(room: SchedulesRoom, definition: Definition): string {
  const now = room.clock.now();
  if (definition.paused) return localDateAt(now, definition.zone);
  try {
    return nextSlot(timingOf(room, definition), now).date;
  } catch (error) {
    if (!(error instanceof CalendarMissingError)) throw error;
    const detail = `must reach the next run, and does not know ${error.date}`;
    throw validationProblem([{ pointer: '/calendar', code: 'out_of_range', detail }]);
  }
}

async function definitionOf(
  { calendars, clock }: SchedulesRoom,
  connection: Queryable,
  input: ReportScheduleInput,
): Promise<Definition> {
  const errors: FieldError[] = [];
  const wrong = (field: string, code: string, detail: string) =>
    errors.push({ pointer: `/${field}`, code, detail });
  const { every, on, zone, holidays, calendar, report, currency } = input;
  const filters: readonly string[] = REPORTS[report as ReportName].filters;
  const customerId = input.customerId === null ? null : parseTypeId('cus', input.customerId);
  if (every === 'day' && on !== null) wrong('on', 'not_permitted', 'must be null for every day');
  if (every !== 'day' && on === null) wrong('on', 'required', `is required for every ${every}`);
  if (every === 'week' && on !== null && on > 7) wrong('on', 'out_of_range', 'must be 1 to 7');
  if (!isTimeZone(zone)) wrong('zone', 'unknown', TIME_ZONE);
  if (holidays === 'following' && every === 'day')
    wrong('holidays', 'not_permitted', 'the following day has its own run: use `skip` or `run`');
  if ((holidays === 'run') !== (calendar === null))
    wrong(
      'calendar',
      calendar === null ? 'required' : 'not_permitted',
      'is required with `following` and `skip`, and not allowed otherwise',
    );
  else if (calendar !== null && !isKnown(calendars, calendar, clock.now()))
    wrong('calendar', 'unknown', 'is not a currency with a calendar');
  if (customerId === undefined) wrong('customerId', 'wrong_format', 'must be an id that begins with cus_');
  if (customerId !== null && !filters.includes('customerId'))
    wrong('customerId', 'not_permitted', 'is not a parameter of this report');
  if (currency !== null && !filters.includes('currency'))
    wrong('currency', 'not_permitted', 'is not a parameter of this report');
  else if (currency !== null && findCurrency(currency) === undefined)
    wrong('currency', 'currency_not_supported', UNKNOWN_CURRENCY);
  if (errors.length > 0) throw validationProblem(errors);
  if (typeof customerId === 'string' && !(await existingCustomers(connection, [customerId])).has(customerId))
    throw new Problem('customer_not_found', 'There is no customer with this id.');
  const { name, format, at, keepDays, paused } = input;
  return {
    ...{ name, report, format, every, day_on: on, at_time: at, zone, holidays, calendar, currency, paused },
    customer_id: customerId ?? null,
    keep_days: keepDays,
  };
}

function isKnown(calendars: SchedulesRoom['calendars'], currency: string, now: number): boolean {
  const range = calendars.current.calendars.range(currency);
  return range !== undefined && range.to > new Date(now).toISOString().slice(0, 10);
}
