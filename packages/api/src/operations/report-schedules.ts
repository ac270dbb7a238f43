import { operation } from '../operation.ts';
import { id } from '../parameters.ts';
import {
  CalendarDate,
  CLOSED,
  described,
  Instant,
  line,
  literals,
  named,
  nullable,
  pageOf,
  Version,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { REPORT_FORMATS, ReportJob, ReportName } from './reports.ts';

/** Reports that are made again and again, by the calendar. */

export const SCHEDULE_EVERY = ['day', 'week', 'month'] as const;
export const SCHEDULE_HOLIDAYS = ['run', 'following', 'skip'] as const;
/** Days for which a scheduled report may be kept at most. */
const KEPT_DAYS_MAX = 400; // limit: Days for which a scheduled report is kept

const definition = {
  name: line(80, 'Shown to people.'),
  report: ReportName,
  format: literals(REPORT_FORMATS),
  every: literals(SCHEDULE_EVERY),
  on: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 31,
      description:
        'For `week` the ISO weekday, 1 is Monday; for `month` the day, or the last day of a shorter month; for `day` null.',
    }),
  ),
  at: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['06:30'] }),
  zone: Type.String({ maxLength: 64, examples: ['Europe/Berlin'], description: 'IANA zone of `at`.' }),
  holidays: literals(SCHEDULE_HOLIDAYS, {
    description: 'When `calendar` is closed: `run` anyway, run on the `following` open day, or `skip` it.',
  }),
  calendar: nullable(
    Type.String({ pattern: '^[A-Z]{3}$', description: 'Currency whose calendar counts; null with `run`.' }),
  ),
  customerId: nullable(Type.String({ maxLength: 64, description: 'If the report takes it.' })),
  currency: nullable(Type.String({ maxLength: 3, description: 'If the report takes it.' })),
  keepDays: Type.Integer({
    minimum: 1,
    maximum: KEPT_DAYS_MAX,
    description: 'Days to keep each file.',
  }),
  paused: Type.Boolean({ description: 'Runs that fall due meanwhile are not made up.' }),
};

const ReportScheduleInput = named('ReportScheduleInput', Type.Object(definition, CLOSED));
export type ReportScheduleInput = Static<typeof ReportScheduleInput>;

const ReportSchedule = named(
  'ReportSchedule',
  Type.Object({
    scheduleId: Type.String({ examples: ['rps_01jngxb2qk6e0m4w8y5t7r3h1f'] }),
    version: Version,
    ...definition,
    nextRunAt: nullable(Instant),
    nextRunFor: nullable(described(CalendarDate, 'The day of the schedule for the next run.')),
    leftOut: Type.Integer({
      description: 'Slots missed while the service was down and not made up.',
    }),
    lastRun: nullable(ReportJob),
    createdBy: Type.String(),
    createdAt: Instant,
    updatedAt: Instant,
  }),
);
export type ReportSchedule = Static<typeof ReportSchedule>;

const tag = 'Operator: reports';
const access = { audience: 'operator', scope: 'operator:reports' } as const;
const PATH = '/v1/operator/report-schedules';
const params = { scheduleId: id('rps') };
const problems = ['report_schedule_not_found'] as const;

export const createReportSchedule = operation({
  id: 'createReportSchedule',
  method: 'POST',
  path: PATH,
  tag,
  summary: 'Schedule a report',
  description:
    'Each run covers the days since the one before, in `zone`. Recent slots missed while the service was down are made up.',
  access,
  body: ReportScheduleInput,
  key: 'kept',
  versioned: true,
  answers: { 201: ReportSchedule },
  problems: ['too_many_report_schedules', 'customer_not_found'],
});

export const listReportSchedules = operation({
  id: 'listReportSchedules',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'List report schedules, oldest first',
  description: 'With the last and the next run of each.',
  access,
  answers: { 200: Type.Object({ items: Type.Array(ReportSchedule) }) },
});

export const getReportSchedule = operation({
  id: 'getReportSchedule',
  method: 'GET',
  path: `${PATH}/{scheduleId}`,
  tag,
  summary: 'Read a report schedule',
  description:
    'With the last and the next run. `leftOut` counts slots that were not made up after an outage.',
  access,
  params,
  versioned: true,
  answers: { 200: ReportSchedule },
  problems,
});

export const replaceReportSchedule = operation({
  id: 'replaceReportSchedule',
  method: 'PUT',
  path: `${PATH}/{scheduleId}`,
  tag,
  summary: 'Change, pause or resume a report schedule',
  description: 'If the time or the pause changes, the next run is the next one from now.',
  access,
  params,
  body: ReportScheduleInput,
  conditional: 'required',
  answers: { 200: ReportSchedule },
  problems: [...problems, 'customer_not_found'],
});

export const deleteReportSchedule = operation({
  id: 'deleteReportSchedule',
  method: 'DELETE',
  path: `${PATH}/{scheduleId}`,
  tag,
  summary: 'Delete a report schedule',
  description: 'Its reports are kept until they expire.',
  access,
  params,
  answers: { 204: { description: 'Deleted.' } },
  problems,
});

export const listReportScheduleRuns = operation({
  id: 'listReportScheduleRuns',
  method: 'GET',
  path: `${PATH}/{scheduleId}/runs`,
  tag,
  summary: 'List the runs of a report schedule, newest first',
  description: 'Each is kept for the `keepDays` of the schedule.',
  access,
  params,
  pages: true,
  answers: { 200: pageOf(ReportJob) },
  problems,
});
