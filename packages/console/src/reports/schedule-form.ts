import type { ReportSchedule, ReportScheduleInput } from '@firmquote/client/operator';
import { readCurrency } from '../money/codes.ts';
import type { Asked, Given } from '../parts/action.tsx';
import { check } from '../parts/written-forms.ts';
import { REPORT_NAMES } from './kinds.ts';

/** What is asked of a schedule of reports, and what it comes to. */

const WEEKDAYS = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
/** Every and on, as one choice. */
export const WHEN: readonly (readonly [value: string, text: string])[] = [
  ['day', 'Every day'],
  ...WEEKDAYS.map((name, i) => [`week ${i + 1}`, `On ${name}`] as const),
  ...Array.from({ length: 31 }, (_, i) => {
    const text = i === 30 ? 'On the last day of the month' : `On day ${i + 1} of the month`;
    return [`month ${i + 1}`, text] as const;
  }),
];
const HOLIDAYS = [
  ['run', 'Run anyway'],
  ['skip', 'Skip it; the next run covers that day too'],
  ['following', 'Run on the next open day'],
] as const;

export const ASKS: readonly Asked[] = [
  { name: 'name', label: 'Name', check: check(/^.{1,80}$/, 'At most 80 characters.') },
  { name: 'report', label: 'Report', options: REPORT_NAMES },
  {
    name: 'format',
    label: 'Format',
    options: [
      ['csv', 'CSV'],
      ['json', 'JSON'],
    ],
  },
  { name: 'when', label: 'When', options: WHEN },
  {
    name: 'at',
    label: 'At',
    initial: '06:30',
    check: check(/^([01]\d|2[0-3]):[0-5]\d$/, 'Hours and minutes, such as 06:30.'),
  },
  { name: 'zone', label: 'Time zone', initial: 'UTC', hint: 'Such as Europe/Berlin.' },
  { name: 'holidays', label: 'On a closed day', options: HOLIDAYS },
  {
    name: 'calendar',
    label: 'Calendar of closed days',
    isOptional: true,
    hint: 'A currency, such as EUR.',
    read: readCurrency,
    check: check(/^[A-Z]{3}$/, 'Three letters, such as EUR.'),
  },
  { name: 'currency', label: 'Only the currency', isOptional: true },
  { name: 'customerId', label: 'Only the customer', isOptional: true },
  {
    name: 'keepDays',
    label: 'Days to keep files',
    initial: '90',
    check: check(/^([1-9]\d?|[123]\d\d|400)$/, 'Enter 1 to 400.'),
  },
];

/** What was filled in, of a schedule that is paused or not. */
export function inputOf(given: Given, paused: boolean): ReportScheduleInput {
  const [every = 'day', on] = (given.when ?? 'day').split(' ');
  const text = (name: string) => given[name]?.trim() || null;
  const holidays = (given.holidays ?? 'run') as ReportScheduleInput['holidays'];
  return {
    name: text('name') ?? '',
    report: given.report as ReportScheduleInput['report'],
    format: given.format as ReportScheduleInput['format'],
    every: every as ReportScheduleInput['every'],
    on: on === undefined ? null : Number.parseInt(on, 10),
    at: text('at') ?? '',
    zone: text('zone') ?? '',
    holidays,
    calendar: holidays === 'run' ? null : text('calendar'),
    currency: text('currency'),
    customerId: text('customerId'),
    keepDays: Number.parseInt(given.keepDays ?? '90', 10),
    paused,
  };
}

/** The same schedule, paused or not. */
export function withPause(of: ReportSchedule, paused: boolean): ReportScheduleInput {
  const { name, report, format, every, on, at, zone, holidays, calendar, customerId, currency, keepDays } =
    of;
  return {
    ...{ name, report, format, every, on, at, zone, holidays, calendar, customerId, currency, keepDays },
    paused,
  } as ReportScheduleInput;
}

/** A schedule as the form has it. */
function givenOf({ on, every, keepDays, ...of }: ReportSchedule): Given {
  const { name, report, format, at, zone, holidays, calendar, currency, customerId } = of;
  return {
    ...{ name, report, format, at, zone, holidays },
    when: on === null ? every : `${every} ${on}`,
    calendar: calendar ?? '',
    currency: currency ?? '',
    customerId: customerId ?? '',
    keepDays: String(keepDays),
  };
}

/** The same fields, filled in with what a schedule is now. */
export function asksOf(of: ReportSchedule): readonly Asked[] {
  const given = givenOf(of);
  return ASKS.map((ask) => ({ ...ask, initial: given[ask.name] ?? '' }));
}
