import type { OperatorQuote } from '@firmquote/client/operator';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { pairText } from '../money/amount.ts';
import { readPair } from '../money/codes.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { Choice, type Column, Entry, Listing, useFilters } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { PAIR } from '../parts/written-forms.ts';

const STATUSES = ['open', 'executed', 'expired', 'cancelled', 'withdrawn'].map(
  (status) => [status, words(status)] as const,
);

const COLUMNS: readonly Column<OperatorQuote>[] = [
  { name: 'Created', cell: ({ createdAt }) => <At at={createdAt} /> },
  {
    name: 'Quote',
    cell: ({ quoteId }) => (
      <Way to="/quotes/$quoteId" params={{ quoteId }} className="mono" title={quoteId}>
        {quoteId.slice(0, 6)}…{quoteId.slice(-6)}
      </Way>
    ),
  },
  { name: 'Customer', isText: true, cell: ({ customerId }) => <CustomerName id={customerId} /> },
  { name: 'Pair', cell: ({ rate }) => pairText(rate.pair) },
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
  { name: 'Mid', isNumber: true, cell: ({ rate }) => rate.mid },
  { name: 'Spread bps', isNumber: true, cell: ({ pricing }) => pricing.spreadBps ?? '' },
  { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Client reference',
    isText: true,
    cell: ({ clientReference }) => (clientReference === null ? '' : <Verbatim text={clientReference} />),
  },
];

export function Quotes() {
  const session = useSession();
  const { go } = useFilters();
  useTitle('Quotes');
  return (
    <>
      <div className="page-head">
        <h1>Quotes</h1>
        {may(session, 'operator:trades') && (
          <button type="button" className="button first" onClick={() => go({ ticket: 'new' })}>
            New ticket
          </button>
        )}
      </div>
      <div className="filters">
        <Choice name="status" label="Status" options={STATUSES} />
        <Entry name="pair" label="Pair" form={PAIR} read={readPair} />
        <Entry name="clientReference" label="Client reference" />
        <CustomerChoice />
      </div>
      <Listing
        name="Quotes"
        filters={['status', 'pair', 'clientReference', 'customerId']}
        read={(query, cursor) => operator.listAllQuotes({ ...query, cursor, limit: 50 })}
        columns={COLUMNS}
        idOf={({ quoteId }) => quoteId}
        empty={
          <Empty title="No quotes yet">
            <p>
              Open a ticket, or let a customer call <span className="mono">POST /v1/customer/quotes</span>.
            </p>
          </Empty>
        }
      />
    </>
  );
}
