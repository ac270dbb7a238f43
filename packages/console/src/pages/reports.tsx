import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useOpened } from '../parts/draft.ts';
import { Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useTitle } from '../parts/title.ts';
import { AskForReport } from '../reports/ask.tsx';
import { REPORT_COLUMNS } from '../reports/columns.tsx';
import { Schedules } from '../reports/schedules.tsx';

/** Reports that are made in the background: asked for, or by the calendar. */
export function Reports() {
  const session = useSession();
  const [opened, open] = useOpened();
  useTitle('Reports');
  return (
    <>
      <div className="page-head">
        <h1>Reports</h1>
        {may(session, 'operator:reports') && (
          <button type="button" className="button first" onClick={() => open('report')}>
            Request a report
          </button>
        )}
      </div>
      <Tabs
        tabs={[
          { name: 'reports', text: 'Reports', show: () => <Made /> },
          { name: 'schedules', text: 'Schedules', show: () => <Schedules /> },
        ]}
      />
      {opened === 'report' && <AskForReport onClose={() => open(undefined)} />}
    </>
  );
}

function Made() {
  return (
    <Listing
      name="Reports"
      filters={[]}
      everyMs={3_000}
      read={(_, cursor) => operator.listReports({ cursor, limit: 50 })}
      columns={REPORT_COLUMNS}
      idOf={({ reportId }) => reportId}
      empty={
        <Empty title="No reports yet">
          <p>A report is made in the background and kept for 7 days, with its checksum.</p>
        </Empty>
      }
    />
  );
}
