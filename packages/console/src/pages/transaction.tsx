import type { JournalEntry, OperatorTransaction } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { AccountTitle, side } from '../ledger/chart.tsx';
import { entryInWords } from '../ledger/kinds.ts';
import { formatAmount } from '../money/amount.ts';
import { Actor } from '../parts/actor.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { DownloadLink } from '../parts/download-link.tsx';
import { Fact } from '../parts/facts.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { Evidence } from './evidence.tsx';
import { TradeActions } from './trade-actions.tsx';

const ENTRIES_MAX = 50;
/** What books something changes the version, too. */
const LEDGER_EVERY_MS = 60_000;

export function TransactionPage() {
  const { transactionId } = useParams({ from: '/transactions/$transactionId' as never }) as {
    transactionId: string;
  };
  const session = useSession();
  const query = useQuery({
    queryKey: ['transaction', transactionId],
    queryFn: () => operator.getAnyTransaction(transactionId),
    refetchInterval: ({ state }) => (state.data?.nextPollAfterSeconds == null ? false : 5_000),
  });
  const explained = useQuery({
    queryKey: ['explained', transactionId],
    queryFn: () => operator.explainTransaction(transactionId),
    staleTime: 60_000,
  });
  useTitle(query.data === undefined ? 'Transaction' : `Transaction ${query.data.reference}`);
  return (
    <View query={query}>
      {(of) => (
        <>
          <div className="page-head">
            <h1>Transaction {of.reference}</h1>
            <Status of={of.status} />
            <span className="mono dim">{of.transactionId}</span>
            <DownloadLink
              reads="getAnyConfirmation"
              ask={() => operator.getAnyConfirmation(of.customerId, of.transactionId)}
              className="button"
              href={`/v1/operator/customers/${of.customerId}/transactions/${of.transactionId}/confirmation?format=pdf`}
              saveAs={`confirmation-${of.reference}.pdf`}
            >
              Confirmation as PDF
            </DownloadLink>
          </div>
          <p className="legs">
            <Money amount={of.sellAmount} currency={of.sellCurrency} /> <span>for</span>{' '}
            <Money amount={of.buyAmount} currency={of.buyCurrency} />
          </p>
          <div className="grid" style={{ marginTop: 16 }}>
            <History of={of} />
            <Terms of={of} />
            <Moneys of={of} />
            <TradeActions of={of} />
            <View query={explained}>{(explanation) => <Evidence of={explanation} />}</View>
          </div>
          {mayRead(session, 'listJournalEntries') && <Ledger of={of} />}
        </>
      )}
    </View>
  );
}

function History({ of }: { readonly of: OperatorTransaction }) {
  return (
    <section className="card">
      <h2>Timeline</h2>
      <Timeline
        isNow
        steps={of.timeline.map(
          ({ sequence, at, status, code, actor, by, approvedBy, reason, amount, currency }) => ({
            id: sequence,
            what: code,
            by: by ?? (code === 'executed' ? (of.executedBy ?? actor) : actor),
            approvedBy,
            at,
            reason: reason === undefined ? undefined : words(reason),
            more: ` · ${words(status)}${amount === undefined ? '' : ` · ${formatAmount(amount)} ${currency ?? ''}`}`,
          }),
        )}
      />
    </section>
  );
}

function Terms({ of }: { readonly of: OperatorTransaction }) {
  return (
    <section className="card">
      <h2>Terms</h2>
      <dl className="facts">
        <Fact name="Mid when quoted">{of.rate.mid}</Fact>
        <Fact name="Executed rate">
          <b>{of.rate.value}</b>
        </Fact>
        {of.pricing.spreadBps !== undefined && <Fact name="Spread">{of.pricing.spreadBps} bps</Fact>}
        {of.pricing.markup !== undefined && (
          <Fact name="Markup">
            <Money amount={of.pricing.markup.amount} currency={of.pricing.markup.currency} />
          </Fact>
        )}
        <Fact name="Value date">{of.settlement.valueDate}</Fact>
        <Fact name="Quote">
          <Way to="/quotes/$quoteId" params={{ quoteId: of.quoteId }} className="mono">
            {of.quoteId}
          </Way>
        </Fact>
        <Fact name="Customer">
          <CustomerName id={of.customerId} />
        </Fact>
        {of.executedBy !== null && (
          <Fact name="Executed by">
            <Actor id={of.executedBy} withId />
          </Fact>
        )}
        {of.clientReference !== null && (
          <Fact name="Client reference">
            <Verbatim text={of.clientReference} />
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Moneys({ of: { funding, payout, holds } }: { readonly of: OperatorTransaction }) {
  return (
    <section className="card">
      <h2>Money</h2>
      <dl className="facts">
        <Fact name="Expected">
          <Money amount={funding.expected.amount} currency={funding.expected.currency} />
        </Fact>
        <Fact name="Received">{formatAmount(funding.received)}</Fact>
        <Fact name="Outstanding">{formatAmount(funding.outstanding)}</Fact>
        {funding.deposits.map(({ depositId, amount }) => (
          <Fact key={depositId} name="Deposit">
            <Way to="/deposits" search={{ deposit: depositId }} className="mono">
              {depositId}
            </Way>{' '}
            {formatAmount(amount)}
          </Fact>
        ))}
        <Fact name="Payout">
          <Status of={payout.status} /> <Money amount={payout.amount} currency={payout.currency} />
        </Fact>
        <Fact name="To">
          <Verbatim text={payout.destinationMasked} />
        </Fact>
        {holds.map(({ holdId, kind }) => (
          <Fact key={holdId} name="Held for">
            {words(kind)}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

type Posting = JournalEntry['postings'][number] & Pick<JournalEntry, 'entryId' | 'at' | 'kind'>;

const POSTING_COLUMNS: readonly Column<Posting>[] = [
  { name: 'At', cell: ({ at }) => <At at={at} /> },
  {
    name: 'Entry',
    cell: ({ kind, entryId }) => (
      <Way to="/ledger" search={{ tab: 'journal', entry: entryId }} title={entryId}>
        {entryInWords(kind)}
      </Way>
    ),
  },
  { name: 'Account', cell: ({ account }) => <AccountTitle of={account} /> },
  { name: 'Debit', isNumber: true, cell: ({ debit, currency }) => side(debit, currency) },
  { name: 'Credit', isNumber: true, cell: ({ credit, currency }) => side(credit, currency) },
];

function Ledger({ of: { customerId, transactionId, version } }: { readonly of: OperatorTransaction }) {
  return (
    <div style={{ marginTop: 16 }}>
      <div className="page-head">
        <h2>Ledger entries</h2>
      </div>
      <Listing
        name="Ledger entries"
        about={`${transactionId} ${version}`}
        filters={[]}
        read={async (_, cursor) => {
          const query = { customerId, transactionId, cursor, limit: ENTRIES_MAX };
          const { items, nextCursor } = await operator.listJournalEntries(query);
          return { items: items.flatMap(postingsOf), nextCursor };
        }}
        columns={POSTING_COLUMNS}
        everyMs={LEDGER_EVERY_MS}
        idOf={({ entryId, account, currency, debit }) => `${entryId}${account}${currency}${debit ?? ''}`}
        empty={
          <Empty title="No entries">
            <p>Nothing of it is booked.</p>
          </Empty>
        }
      />
    </div>
  );
}

function postingsOf({ postings, entryId, at, kind }: JournalEntry): readonly Posting[] {
  return postings.map((posting) => ({ ...posting, entryId, at, kind }));
}
