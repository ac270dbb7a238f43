import type { ReportSchedule, ReportScheduleInput } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { operator } from '../api/session.ts';
import { Action, type Asked, check, type Given, versionTag } from '../parts/action.tsx';
import { type Column, Listing, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Told, words } from '../parts/text.tsx';
import { REPORT_COLUMNS } from './columns.tsx';
import { REPORT_NAMES } from './kinds.ts';

const WEEKDAYS = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
/** Every and on, as one choice. */
const WHEN: readonly (readonly [value: string, text: string])[] = [
  ['day', 'Every day'],
  ...WEEKDAYS.map((name, i) => [`week ${i + 1}`, `On ${name}`] as const),
  ...Array.from({ length: 31 }, (_, i) => {
    const text = i === 30 ? 'On the last day of the month' : `On day ${i + 1} of the month`;
    return [`month ${i + 1}`, text] as const;
  }),
];
const HOLIDAYS = [
  ['run', 'Run nevertheless'],
  ['skip', 'Leave it out; the next one reports that day too'],
  ['following', 'Run on the next open day'],
] as const;

const ASKS: readonly Asked[] = [
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
  { name: 'holidays', label: 'On a day that is closed', options: HOLIDAYS },
  {
    name: 'calendar',
    label: 'Closed by the calendar of',
    isOptional: true,
    hint: 'A currency, such as EUR.',
    check: check(/^[A-Z]{3}$/, 'Three capital letters.'),
  },
  { name: 'currency', label: 'Only the currency', isOptional: true },
  { name: 'customerId', label: 'Only the customer', isOptional: true },
  {
    name: 'keepDays',
    label: 'Days for which files are kept',
    initial: '90',
    check: check(/^([1-9]\d?|[123]\d\d|400)$/, '1 to 400.'),
  },
];

function inputOf(given: Given): ReportScheduleInput {
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
    paused: false,
  };
}

/** The same schedule, paused or not. */
function withPause(of: ReportSchedule, paused: boolean): ReportScheduleInput {
  const { name, report, format, every, on, at, zone, holidays, calendar, customerId, currency, keepDays } =
    of;
  return {
    ...{ name, report, format, every, on, at, zone, holidays, calendar, customerId, currency, keepDays },
    paused,
  } as ReportScheduleInput;
}

/** Reports by the calendar, and what became of each run. */
export function Schedules() {
  const { search } = useFilters();
  const [gone, setGone] = useState<string>();
  const query = useQuery({
    queryKey: ['report-schedules'],
    queryFn: async () => (await operator.listReportSchedules()).items,
    refetchInterval: 5_000,
  });
  const columns: readonly Column<ReportSchedule>[] = [
    ...COLUMNS,
    { name: 'Do', cell: (schedule) => <Commands of={schedule} onDeleted={setGone} /> },
  ];
  return (
    <div className="stack">
      <div className="filters">
        <Action
          name="schedule"
          label="Schedule a report"
          scope="operator:reports"
          asks={ASKS}
          send={(given, { idempotencyKey }) =>
            operator.createReportSchedule(inputOf(given), { idempotencyKey })
          }
          done="It is scheduled."
        />
      </div>
      <View query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No report is scheduled">
              <p>
                A schedule makes a report every day, week or month, and keeps its files for as long as you
                say.
              </p>
            </Empty>
          ) : (
            <>
              <Table
                label="Schedules"
                items={items}
                idOf={({ scheduleId }) => scheduleId}
                columns={columns}
              />
              <Runs
                of={items.find(({ scheduleId }) => scheduleId === search.schedule && scheduleId !== gone)}
              />
            </>
          )
        }
      </View>
    </div>
  );
}

const COLUMNS: readonly Column<ReportSchedule>[] = [
  {
    name: 'Name',
    isText: true,
    cell: ({ scheduleId, name }) => (
      <Link to="." search={((before: object) => ({ ...before, schedule: scheduleId })) as never}>
        <Told text={name} />
      </Link>
    ),
  },
  {
    name: 'Report',
    cell: ({ report, format }) => `${words(report.replaceAll('-', ' '))}, ${format}`,
  },
  { name: 'When', isText: true, cell: whenOf },
  {
    name: 'Next',
    cell: ({ nextRunAt, paused }) =>
      paused ? (
        <Status of="paused" mood="warn" />
      ) : nextRunAt === null ? (
        <Status of="calendar has ended" mood="bad" />
      ) : (
        <At at={nextRunAt} />
      ),
  },
  {
    name: 'Last run',
    cell: ({ lastRun }) =>
      lastRun === null ? (
        '–'
      ) : (
        <Status
          of={lastRun.status}
          mood={lastRun.status === 'completed' ? 'ok' : lastRun.status === 'failed' ? 'bad' : 'idle'}
        />
      ),
  },
  { name: 'Left out', isNumber: true, cell: ({ leftOut }) => leftOut },
];

function whenOf({ every, on, at, zone, holidays, calendar }: ReportSchedule): string {
  const value = on === null ? every : `${every} ${on}`;
  const when = WHEN.find(([known]) => known === value)?.[1] ?? value;
  const closed =
    holidays === 'run'
      ? ''
      : holidays === 'skip'
        ? `, not where ${calendar} is closed`
        : `, or when ${calendar} opens`;
  return `${when}, ${at} ${zone}${closed}`;
}

function Commands({
  of,
  onDeleted,
}: {
  readonly of: ReportSchedule;
  readonly onDeleted: (scheduleId: string) => void;
}) {
  const { scheduleId, paused, version, name } = of;
  return (
    <span className="actions">
      <Action
        name={`pause-${scheduleId}`}
        label={paused ? 'Resume' : 'Pause'}
        title={`${paused ? 'Resume' : 'Pause'} ${name}`}
        scope="operator:reports"
        version={versionTag(version)}
        send={(_, { ifMatch = '*' }) =>
          operator.replaceReportSchedule(scheduleId, withPause(of, !paused), { ifMatch })
        }
        done={paused ? 'It runs again.' : 'It is paused. What falls due meanwhile is not made later.'}
      />
      <Action
        name={`delete-${scheduleId}`}
        label="Delete"
        title={`Delete ${name}`}
        scope="operator:reports"
        send={() => operator.deleteReportSchedule(scheduleId)}
        onDone={() => onDeleted(scheduleId)}
        done="It is deleted. What it has made is kept."
      />
    </span>
  );
}

function Runs({ of }: { readonly of: ReportSchedule | undefined }) {
  if (of === undefined) return null;
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">
        Runs of <Told text={of.name} />
      </h2>
      <Listing
        name="Runs"
        about={of.scheduleId}
        filters={[]}
        everyMs={3_000}
        read={(_, cursor) => operator.listReportScheduleRuns(of.scheduleId, { cursor, limit: 20 })}
        columns={RUN_COLUMNS}
        idOf={({ reportId }) => reportId}
        empty={<Empty title="It has not run yet" />}
      />
    </section>
  );
}

const RUN_COLUMNS = [
  {
    name: 'For',
    cell: ({ slot }: { readonly slot: string | null }) => slot ?? '–',
  },
  ...REPORT_COLUMNS.filter(({ name }) => name !== 'Report' && name !== 'By'),
];
