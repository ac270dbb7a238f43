import type { OperatorTransactionSummary } from '@firmquote/client/operator';
import { business, operator } from '../api/session.ts';
import { readCurrency } from '../money/codes.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { Choice, type Column, Entry, Listing, useFilters } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { SEARCHED_DAYS, tradeDatesFor } from '../parts/trade-dates.ts';
import { Way } from '../parts/way.tsx';
import { CURRENCY, DAY } from '../parts/written-forms.ts';

const STATUSES = [
  'awaiting_funds',
  'partially_funded',
  'funded',
  'overdue',
  'settling',
  'settled',
  'settlement_failed',
  'cancelled',
].map((status) => [status, words(status)] as const);

export const TRANSACTION_COLUMNS: readonly Column<OperatorTransactionSummary>[] = [
  { name: 'Executed', cell: ({ createdAt }) => <At at={createdAt} /> },
  {
    name: 'Transaction',
    cell: ({ transactionId, reference }) => (
      <Way to="/transactions/$transactionId" params={{ transactionId }} className="mono">
        {reference}
      </Way>
    ),
  },
  { name: 'Customer', isText: true, cell: ({ customerId }) => <CustomerName id={customerId} /> },
  {
    name: 'Sells',
    isNumber: true,
    cell: ({ sellAmount, sellCurrency }) => <Money amount={sellAmount} currency={sellCurrency} />,
  },
  {
    name: 'Buys',
    isNumber: true,
    cell: ({ buyAmount, buyCurrency }) => <Money amount={buyAmount} currency={buyCurrency} />,
  },
  { name: 'Rate', isNumber: true, cell: ({ rate }) => rate.value },
  { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  { name: 'Value date', cell: ({ settlement }) => settlement.valueDate },
  {
    name: 'Client reference',
    isText: true,
    cell: ({ clientReference }) => (clientReference === null ? '' : <Verbatim text={clientReference} />),
  },
];

const FILTERS = ['status', 'currency', 'reference', 'customerId', 'tradeDateFrom', 'tradeDateTo'];

export function Transactions() {
  const { search } = useFilters();
  const dates = tradeDatesFor(search, business.now());
  useTitle('Transactions');
  return (
    <>
      <div className="page-head">
        <h1>Transactions</h1>
      </div>
      <div className="filters">
        <Choice name="status" label="Status" options={STATUSES} />
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
        <Entry name="reference" label="Payment reference" />
        <Entry name="tradeDateFrom" label="Traded from" form={DAY} />
        <Entry name="tradeDateTo" label="Traded to" form={DAY} />
        <CustomerChoice />
      </div>
      {dates !== undefined && (
        <p className="hint">
          Only trades from {dates.tradeDateFrom} to {dates.tradeDateTo}: without a customer or a reference, a
          currency is searched in {SEARCHED_DAYS} days. Enter dates to see others.
        </p>
      )}
      <Listing
        name="Transactions"
        filters={FILTERS}
        read={(query, cursor) =>
          operator.listAllTransactions({
            ...query,
            ...tradeDatesFor(query, business.now()),
            cursor,
            limit: 50,
          })
        }
        columns={TRANSACTION_COLUMNS}
        idOf={({ transactionId }) => transactionId}
        empty={
          <Empty title="No transactions yet">
            <p>An executed quote becomes a transaction.</p>
            <a href="/docs/">How a trade works</a>
          </Empty>
        }
      />
    </>
  );
}
