import type { Deposit } from '@firmquote/client/operator';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { MatchingRules } from '../matching/matching-rules.tsx';
import { readCurrency } from '../money/codes.ts';
import { useChosen } from '../parts/chosen.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { Choice, type Column, Entry, Listing, useFilters } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Age, moodOfDeposit, WAITING } from '../parts/waiting.tsx';
import { CURRENCY } from '../parts/written-forms.ts';
import { DepositBulk } from './deposit-bulk.tsx';
import { RECORD_DEPOSIT } from './deposit-commands.ts';
import { DepositDesk } from './deposit-desk.tsx';

const STATUSES = (['unmatched', 'partially_matched', 'matched', 'returned', 'ignored'] as const).map(
  (status) => [status, words(status)] as const,
);
const FILTERS = ['status', 'currency', 'reference', 'bankReference', 'remitterAccount', 'customerId'];

const COLUMNS: readonly Column<Deposit>[] = [
  {
    name: 'Waits for',
    cell: ({ status, receivedAt }) =>
      WAITING.some((each) => each === status) ? <Age since={receivedAt} /> : <At at={receivedAt} />,
  },
  { name: 'Status', cell: ({ status }) => <Status of={status} mood={moodOfDeposit(status)} /> },
  { name: 'Why', cell: ({ exception }) => (exception === null ? '–' : words(exception.reason)) },
  {
    name: 'From',
    isText: true,
    cell: ({ remitterName }) => (remitterName === null ? 'Not named' : <Verbatim text={remitterName} />),
  },
  {
    name: 'Text',
    isText: true,
    cell: ({ remittanceText }) => (remittanceText === null ? '–' : <Verbatim text={remittanceText} />),
  },
];

/** A press on the amount opens the deposit beside the list. */
function amountColumn(opened: string | undefined, open: (depositId: string) => void): Column<Deposit> {
  return {
    name: 'Amount',
    isNumber: true,
    cell: ({ depositId, amount, currency }) => (
      <button
        type="button"
        className="plain"
        aria-pressed={opened === depositId}
        onClick={() => open(depositId)}
      >
        <Money amount={amount} currency={currency} />
      </button>
    ),
  };
}

/** What has arrived, and what else the bank says has. */
export function Deposits() {
  const { set } = useFilters();
  useTitle('Deposits');
  return (
    <>
      <div className="page-head">
        <h1>Deposits</h1>
        <CommandAction
          name="record"
          command={RECORD_DEPOSIT}
          subject={undefined}
          ids={[]}
          isPossible
          onDone={(answer) => set({ deposit: (answer as Deposit).depositId })}
        />
      </div>
      <Tabs
        tabs={[
          { name: 'list', text: 'Deposits', show: () => <WaitingDeposits /> },
          {
            name: 'rules',
            text: 'Matching rules',
            reads: ['getMatchingRules'],
            show: () => <MatchingRules />,
          },
        ]}
      />
    </>
  );
}

/** What has arrived and has no place yet, beside what it may be for. */
function WaitingDeposits() {
  const { search, set } = useFilters();
  const session = useSession();
  const { chosen, clear, hold, column, elsewhere } = useChosen<Deposit>(
    FILTERS,
    ({ depositId }) => depositId,
    ({ amount, currency, bankReference }) => `${amount} ${currency} of ${bankReference}`,
  );
  const mayWork = may(session, 'operator:deposits');
  return (
    <>
      <div className="filters">
        <Choice name="status" label="Status" options={STATUSES} all="Waiting" />
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
        <Entry name="reference" label="Trade reference" />
        <Entry name="bankReference" label="Bank reference" />
        <Entry name="remitterAccount" label="Account it came from" />
        <CustomerChoice />
      </div>
      {mayWork && elsewhere}
      {mayWork && chosen.length > 0 && <DepositBulk deposits={chosen} onBusy={hold} onClose={clear} />}
      <div className={search.deposit === undefined ? undefined : 'beside'}>
        <div>
          <Listing
            name="Deposits"
            filters={FILTERS}
            read={(query, cursor) =>
              operator.listDeposits({ status: WAITING, ...query, cursor, limit: 50 } as never)
            }
            columns={[
              ...(mayWork ? [column] : []),
              amountColumn(search.deposit, (deposit) => set({ deposit })),
              ...COLUMNS,
            ]}
            idOf={({ depositId }) => depositId}
            empty={
              <Empty title="No deposits are waiting">
                <p>Deposits that fit no trade appear here. Import a statement to see what the bank has.</p>
              </Empty>
            }
          />
        </div>
        {search.deposit !== undefined && (
          <DepositDesk
            key={search.deposit}
            depositId={search.deposit}
            onClose={() => set({ deposit: undefined })}
          />
        )}
      </div>
    </>
  );
}
