import type { LedgerAccount, LedgerStatementLine, OwnerBalance } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { formatAmount } from '../money/amount.ts';
import { readCurrency } from '../money/codes.ts';
import { signOf } from '../money/sum.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { Fact } from '../parts/facts.tsx';
import { Choice, type Column, Entry, Listing, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Subject } from '../parts/subject.tsx';
import { At } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { CURRENCY, INSTANT, rangeOf, readInstant } from '../parts/written-forms.ts';
import { AccountTitle, Owner, side, useChart } from './chart.tsx';
import { entryInWords } from './kinds.ts';

/** An account in a currency: who has what on it, or what was booked on that of one of them. */
export function Account() {
  return <View query={useChart()}>{({ items }) => <Chosen chart={items} />}</View>;
}

function Chosen({ chart }: { readonly chart: readonly LedgerAccount[] }) {
  const { account, currency, customerId } = useFilters().search;
  return (
    <>
      <div className="filters">
        <Choice
          name="account"
          label="Account"
          all="Choose one"
          options={chart.map((each) => [each.account, each.title] as const)}
        />
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
        <CustomerChoice label="Owner" withHouse />
        <Entry name="from" label="Booked from, UTC" form={INSTANT} read={readInstant} />
        <Entry name="to" label="Booked before, UTC" form={INSTANT} read={readInstant} />
      </div>
      {account === undefined || currency === undefined ? (
        <Empty title="Choose an account and a currency">
          <p>Then you see who has what on it. Choose one of them to see what was booked.</p>
        </Empty>
      ) : customerId === undefined ? (
        <Owners of={account} currency={currency} />
      ) : (
        <Statement of={{ account, currency, customerId }} />
      )}
    </>
  );
}

/** A debit or a credit, in words: which of them is more depends on the account. */
function balanceInWords(balance: string): string {
  const sign = signOf(balance);
  if (sign === 0) return formatAmount(balance);
  return sign > 0 ? `${formatAmount(balance)} debit` : `${formatAmount(balance.replace(/^[-−]/, ''))} credit`;
}

function Owners({ of, currency }: { readonly of: string; readonly currency: string }) {
  const range = rangeOf(useFilters().search);
  const { to } = range;
  const columns: readonly Column<OwnerBalance>[] = [
    { name: 'Owner', isText: true, cell: ({ customerId }) => <Owner id={customerId} /> },
    { name: 'Debit', isNumber: true, cell: ({ debit }) => side(debit, currency) },
    { name: 'Credit', isNumber: true, cell: ({ credit }) => side(credit, currency) },
    {
      name: 'Booked',
      cell: ({ customerId }) => (
        <Way to="/ledger" search={{ ...range, tab: 'account', account: of, currency, customerId }}>
          Entries
        </Way>
      ),
    },
  ];
  return (
    <div className="stack">
      <h2>
        <AccountTitle of={of} />, {currency}
      </h2>
      <Listing
        name="Who has what on this account"
        about={`${of} ${currency}`}
        filters={['to']}
        read={(_, cursor) =>
          operator.listAccountBalances(of, {
            currency,
            ...(to === undefined ? {} : { at: to }),
            cursor,
            limit: 50,
          })
        }
        columns={columns}
        idOf={({ customerId }) => customerId}
        empty={<Empty title="Nobody has anything on this account" />}
      />
    </div>
  );
}

interface Key {
  readonly account: string;
  readonly currency: string;
  readonly customerId: string;
}

function Statement({ of }: { readonly of: Key }) {
  const { account, currency, customerId } = of;
  const { search } = useFilters();
  const range = rangeOf(search);
  const ends = useQuery({
    queryKey: ['account-ends', account, currency, customerId, range],
    queryFn: async () => {
      const [first, balance] = await Promise.all([
        operator.listAccountPostings(account, { customerId, currency, ...range, limit: 1 }),
        operator.getTrialBalance({
          customerId,
          currency,
          ...(range.to === undefined ? {} : { at: range.to }),
        }),
      ]);
      const line = balance.currencies[0]?.accounts.find((each) => each.account === account);
      return { opening: first.openingBalance, line, at: balance.at };
    },
    refetchInterval: range.to === undefined ? 15_000 : false,
  });
  return (
    <div className="stack">
      <h2>
        <AccountTitle of={account} />, {currency}: <Owner id={customerId} />
      </h2>
      <View query={ends}>
        {({ opening, line, at }) => (
          <dl className="facts card">
            <Fact name="Opening balance">{balanceInWords(opening)}</Fact>
            <Fact name="Closing balance">
              <b>
                {line === undefined
                  ? formatAmount('0')
                  : signOf(line.debit) === 0
                    ? balanceInWords(`-${line.credit}`)
                    : balanceInWords(line.debit)}
              </b>
            </Fact>
            <Fact name="As of">
              <At at={at} />
            </Fact>
          </dl>
        )}
      </View>
      <Listing
        name="What was booked"
        about={`${account} ${currency} ${customerId}`}
        filters={['from', 'to']}
        read={(_, cursor) =>
          operator.listAccountPostings(account, { customerId, currency, ...range, cursor, limit: 50 })
        }
        columns={LINES}
        idOf={({ entryId, debit, balance }) => `${entryId}${debit ?? ''}${balance}`}
        empty={<Empty title="Nothing was booked on it" />}
      />
    </div>
  );
}

const LINES: readonly Column<LedgerStatementLine>[] = [
  { name: 'At', cell: ({ at }) => <At at={at} /> },
  {
    name: 'Entry',
    isText: true,
    cell: ({ entryId, kind }) => (
      <Way to="/ledger" search={{ tab: 'journal', entry: entryId }} title={entryId}>
        {entryInWords(kind)}
      </Way>
    ),
  },
  { name: 'About', cell: (line) => <Subject of={line} /> },
  { name: 'Debit', isNumber: true, cell: ({ debit }) => (debit === null ? '' : formatAmount(debit)) },
  { name: 'Credit', isNumber: true, cell: ({ credit }) => (credit === null ? '' : formatAmount(credit)) },
  { name: 'Balance', isNumber: true, cell: ({ balance }) => balanceInWords(balance) },
];
