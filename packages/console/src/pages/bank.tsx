import type { BankReconciliation, BankReconciliationItem } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { formatAmount } from '../money/amount.ts';
import { readCurrency } from '../money/codes.ts';
import { signOf } from '../money/sum.ts';
import { Fact } from '../parts/facts.tsx';
import { Icon } from '../parts/icons.tsx';
import { Choice, type Column, Entry, Listing, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Subject } from '../parts/subject.tsx';
import { At, Money, Status } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Age } from '../parts/waiting.tsx';
import { Way } from '../parts/way.tsx';
import { CURRENCY } from '../parts/written-forms.ts';

type Currency = BankReconciliation['currencies'][number];

const LABELS: Readonly<Record<BankReconciliationItem['kind'], string>> = {
  entry_not_booked: 'Entry not booked',
  entry_not_in_statement: 'Entry not in a statement',
  payment_not_told: 'Payment not reported by the bank',
  payment_return_not_told: 'Returned payment not reported by the bank',
  deposit_not_told: 'Deposit not reported by the bank',
  deposit_return_not_told: 'Returned deposit not reported by the bank',
  top_up_not_told: 'Top-up not reported by the bank',
  other_not_told: 'Other entry not reported by the bank',
};
const KINDS = Object.entries(LABELS);

const COLUMNS: readonly Column<BankReconciliationItem>[] = [
  { name: 'Waits for', cell: ({ since }) => <Age since={since} /> },
  { name: 'What', cell: ({ kind }) => LABELS[kind] },
  {
    name: 'Bank has more by',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    name: 'About',
    cell: (item) => <Subject of={item} otherwise={<span className="mono">{item.entryId ?? '–'}</span>} />,
  },
];

/** What banks have against what the ledger has, currency by currency and item by item. */
export function Bank() {
  useTitle('Bank reconciliation');
  const query = useQuery({
    queryKey: ['bank-reconciliation'],
    queryFn: () => operator.getBankReconciliation(),
    refetchInterval: 15_000,
  });
  return (
    <>
      <div className="page-head">
        <h1>Bank reconciliation</h1>
        {query.data !== undefined && (
          <span className="hint">
            As of <At at={query.data.at} />
          </span>
        )}
      </div>
      <div className="stack">
        <View query={query}>
          {(reconciliation) =>
            reconciliation.currencies.length === 0 ? (
              <Empty title="No account has statements yet">
                <p>Import a statement of a house account.</p>
                <Way className="button" to="/statements" instead={null}>
                  Go to the statements
                </Way>
              </Empty>
            ) : (
              <Currencies of={reconciliation} />
            )
          }
        </View>
        <ItemsOnOneSide />
      </div>
    </>
  );
}

/** Every currency, those with the most unexplained first. */
function Currencies({ of: { balanced, currencies } }: { readonly of: BankReconciliation }) {
  return (
    <>
      <p className={`chip ${balanced ? 'ok' : 'bad'}`} role="status">
        <Icon name={balanced ? 'ok' : 'bad'} />
        {balanced ? 'Nothing is unexplained.' : 'Something is unexplained: a statement may be missing.'}
      </p>
      <div className="grid">
        {currencies
          .toSorted((a, b) => Math.abs(signOf(b.unexplained)) - Math.abs(signOf(a.unexplained)))
          .map((each) => (
            <CurrencyCard key={each.currency} of={each} />
          ))}
      </div>
    </>
  );
}

function ItemsOnOneSide() {
  return (
    <section aria-labelledby="items">
      <div className="page-head">
        <h2 id="items">On one side only</h2>
      </div>
      <div className="filters">
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
        <Choice name="kind" label="What" options={KINDS} />
      </div>
      <Listing
        name="Items on one side only"
        filters={['currency', 'kind']}
        read={(filters, cursor) =>
          operator.listBankReconciliationItems({ ...filters, cursor, limit: 50 } as never)
        }
        columns={COLUMNS}
        idOf={({ kind, entryId, depositId, transactionId, withdrawalId, journalEntryId }) =>
          [kind, entryId, depositId, transactionId, withdrawalId, journalEntryId].join(' ')
        }
        empty={
          <Empty title="Both sides match">
            <p>Everything the bank reports is booked, and the bank reports everything that is booked.</p>
          </Empty>
        }
      />
    </section>
  );
}

function CurrencyCard({ of }: { readonly of: Currency }) {
  const isExplained = signOf(of.unexplained) === 0;
  return (
    <section className="card stack" aria-label={of.currency}>
      <div className="page-head">
        <h2>{of.currency}</h2>
        <Status of={isExplained ? 'explained' : 'unexplained'} mood={isExplained ? 'ok' : 'bad'} />
      </div>
      <dl className="facts">
        <Fact name="Unexplained">
          <b>{formatAmount(of.unexplained)}</b>
        </Fact>
        <Fact name="Bank">{formatAmount(of.bank)}</Fact>
        <Fact name="Ledger">{formatAmount(of.ledger)}</Fact>
        <Fact name="Difference">{formatAmount(of.difference)}</Fact>
        <Fact name="Opening balance, before the books">{formatAmount(of.opening)}</Fact>
        <Fact name="Reported before the first statement">{formatAmount(of.toldBefore)}</Fact>
        {of.items.map(({ kind, count, amount }) => (
          <Fact key={kind} name={`${LABELS[kind]} (${count})`}>
            {formatAmount(amount)}
          </Fact>
        ))}
      </dl>
      {of.accounts.length > 0 && (
        <Table
          label={`Accounts in ${of.currency}`}
          columns={[
            { name: 'Account', cell: ({ account }) => <span className="mono">{account}</span> },
            {
              name: 'Closing balance',
              isNumber: true,
              cell: ({ closing }) => (closing === null ? '–' : formatAmount(closing)),
            },
            { name: 'Closing date', cell: ({ closingDate }) => closingDate ?? '–' },
            { name: 'Reported since', isNumber: true, cell: ({ toldSince }) => formatAmount(toldSince) },
          ]}
          items={of.accounts}
          idOf={({ account }) => account}
        />
      )}
    </section>
  );
}
