import type { ReportSchedule } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { operator } from '../api/session.ts';
import { Action, versionTag } from '../parts/action.tsx';
import { type Column, Listing, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { REPORT_COLUMNS } from './columns.tsx';
import { ASKS, asksOf, inputOf, WHEN, withPause } from './schedule-form.ts';

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
    { name: 'Actions', cell: (schedule) => <Commands of={schedule} onDeleted={setGone} /> },
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
            operator.createReportSchedule(inputOf(given, false), { idempotencyKey })
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
        <Verbatim text={name} />
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
    isText: true,
    cell: ({ nextRunAt, paused, calendar }) =>
      paused ? (
        <Status of="paused" mood="warn" />
      ) : nextRunAt === null ? (
        <>
          <Status of="cannot run" mood="bad" /> The calendar of {calendar} has ended.{' '}
          <Way to="/exceptions" search={{ type: 'report_failed' }}>
            Exceptions
          </Way>
        </>
      ) : (
        <At at={nextRunAt} />
      ),
  },
  {
    name: 'Last run',
    isText: true,
    cell: ({ lastRun }) =>
      lastRun === null ? (
        '–'
      ) : (
        <>
          <Status
            of={lastRun.status}
            mood={lastRun.status === 'completed' ? 'ok' : lastRun.status === 'failed' ? 'bad' : 'idle'}
          />
          {lastRun.failure !== null && (
            <>
              <Verbatim text={` ${lastRun.failure} `} />
              <Way to="/exceptions" search={{ type: 'report_failed' }}>
                Exceptions
              </Way>
            </>
          )}
        </>
      ),
  },
  { name: 'Skipped', isNumber: true, cell: ({ leftOut }) => leftOut },
];

function whenOf({ every, on, at, zone, holidays, calendar }: ReportSchedule): string {
  const value = on === null ? every : `${every} ${on}`;
  const when = WHEN.find(([known]) => known === value)?.[1] ?? value;
  const closed =
    holidays === 'run'
      ? ''
      : holidays === 'skip'
        ? `, not when ${calendar} is closed`
        : `, or the next day ${calendar} is open`;
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
        name={`change-${scheduleId}`}
        label="Change"
        title={`Change ${name}`}
        scope="operator:reports"
        version={versionTag(version)}
        asks={asksOf(of)}
        send={(given, { ifMatch = '*' }) =>
          operator.replaceReportSchedule(scheduleId, inputOf(given, paused), { ifMatch })
        }
        done="It is changed."
      />
      <Action
        name={`pause-${scheduleId}`}
        label={paused ? 'Resume' : 'Pause'}
        title={`${paused ? 'Resume' : 'Pause'} ${name}`}
        scope="operator:reports"
        version={versionTag(version)}
        send={(_, { ifMatch = '*' }) =>
          operator.replaceReportSchedule(scheduleId, withPause(of, !paused), { ifMatch })
        }
        done={paused ? 'It runs again.' : 'It is paused. Reports due in the meantime are not made later.'}
      />
      <Action
        name={`delete-${scheduleId}`}
        label="Delete"
        title={`Delete ${name}`}
        scope="operator:reports"
        send={() => operator.deleteReportSchedule(scheduleId)}
        onDone={() => onDeleted(scheduleId)}
        done="It is deleted. Its reports are kept."
      />
    </span>
  );
}

function Runs({ of }: { readonly of: ReportSchedule | undefined }) {
  if (of === undefined) return null;
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">
        Runs of <Verbatim text={of.name} />
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
