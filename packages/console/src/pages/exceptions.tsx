import type { ReconciliationException } from '@firmquote/client/operator';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useChosen } from '../parts/chosen.tsx';
import { Choice, type Column, Entry, Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, counted, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { moodOfHours } from '../parts/waiting.tsx';
import { Way } from '../parts/way.tsx';
import { HOURS } from '../parts/written-forms.ts';
import { ExceptionBulk } from './exception-bulk.tsx';

const TYPES =
  'unmatched ambiguous short excess wrong_currency third_party late duplicate returned payout_mismatch implausible_date not_applied log_fault report_failed'
    .split(' ')
    .map((type) => [type, words(type)] as const);
const FILTERS = ['type', 'age', 'assignee'];
const DAY_HOURS = 24;

const COLUMNS: readonly Column<ReconciliationException>[] = [
  { name: 'Opened', cell: ({ openedAt }) => <At at={openedAt} /> },
  {
    name: 'Waits for',
    cell: ({ ageHours }) => (
      <Status
        of={
          ageHours >= DAY_HOURS ? counted(Math.floor(ageHours / DAY_HOURS), 'day') : counted(ageHours, 'hour')
        }
        mood={moodOfHours(ageHours)}
      />
    ),
  },
  {
    name: 'What',
    cell: ({ type, exceptionId }) => (
      <Way to="/exceptions/$exceptionId" params={{ exceptionId }}>
        {words(type)}
      </Way>
    ),
  },
  {
    name: 'Amount',
    isNumber: true,
    cell: ({ sum }) => (sum === null ? '–' : <Money amount={sum.amount} currency={sum.currency} />),
  },
  { name: 'Why', isText: true, cell: ({ reason }) => <Verbatim text={words(reason)} /> },
  {
    name: 'About',
    cell: ({ transactionId, depositId, withdrawalId, entryId, logFault, report }) =>
      transactionId === null && depositId !== null ? (
        <Way to="/deposits" search={{ deposit: depositId }} className="mono">
          {depositId}
        </Way>
      ) : transactionId === null ? (
        <span className="mono">{withdrawalId ?? entryId ?? logFault ?? report?.scheduleId}</span>
      ) : (
        <Way to="/transactions/$transactionId" params={{ transactionId }} className="mono">
          {transactionId}
        </Way>
      ),
  },
  {
    name: 'Assigned to',
    cell: ({ assignee }) => (assignee === null ? 'Nobody' : <Verbatim text={assignee} />),
  },
];

/** What needs a person: the oldest first, with who is at work on it. */
export function Exceptions() {
  useTitle('Exceptions');
  const session = useSession();
  const { chosen, clear, hold, column, elsewhere } = useChosen<ReconciliationException>(
    FILTERS,
    ({ exceptionId }) => exceptionId,
    ({ type, exceptionId }) => `${words(type)} ${exceptionId}`,
  );
  return (
    <>
      <div className="page-head">
        <h1>Exceptions</h1>
      </div>
      <div className="filters">
        <Choice name="type" label="What" options={TYPES} />
        <Entry name="age" label="Minimum age, hours" form={HOURS} />
        <Entry name="assignee" label="Assigned to" />
      </div>
      {elsewhere}
      {chosen.length > 0 && <ExceptionBulk exceptions={chosen} onBusy={hold} onClose={clear} />}
      <Listing
        name="Exceptions"
        filters={FILTERS}
        read={({ age, ...query }, cursor) =>
          operator.listExceptions({
            ...query,
            ...(age === undefined ? {} : { age: Number.parseInt(age, 10) }),
            cursor,
            limit: 50,
          })
        }
        columns={may(session, 'operator:deposits') ? [column, ...COLUMNS] : COLUMNS}
        idOf={({ exceptionId }) => exceptionId}
        empty={
          <Empty title="Nothing needs attention">
            <p>Deposits that fit no trade and payouts that fail appear here.</p>
          </Empty>
        }
      />
    </>
  );
}
