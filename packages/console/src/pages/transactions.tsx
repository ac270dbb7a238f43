import type { OperatorTransactionSummary } from '@firmquote/client/operator';
import { Link } from '@tanstack/react-router';
import { operator } from '../api/session.ts';
import { readCurrency } from '../money/codes.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { Choice, type Column, Entry, Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { CURRENCY } from '../parts/written-forms.ts';

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
      <Link to="/transactions/$transactionId" params={{ transactionId }} className="mono">
        {reference}
      </Link>
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

export function Transactions() {
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
        <CustomerChoice />
      </div>
      <Listing
        name="Transactions"
        filters={['status', 'currency', 'reference', 'customerId']}
        read={(query, cursor) => operator.listAllTransactions({ ...query, cursor, limit: 50 })}
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
