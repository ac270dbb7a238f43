import type { TrialBalance } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { formatAmount } from '../money/amount.ts';
import { readCurrency } from '../money/codes.ts';
import { signOf } from '../money/sum.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { CURRENCY, INSTANT, readInstant } from '../parts/written-forms.ts';
import { AccountTitle } from './chart.tsx';

type Currency = TrialBalance['currencies'][number];
interface Line {
  /** None: what they add up to. */
  readonly account: string | undefined;
  readonly debit: string;
  readonly credit: string;
}

/** What stands on each account, now or before an instant, and that debits equal credits. */
export function TrialBalances() {
  const { search } = useFilters();
  const { customerId, currency } = search;
  const at = search.at === undefined ? undefined : readInstant(search.at);
  const query = useQuery({
    queryKey: ['trial-balance', customerId, currency, at],
    queryFn: () => operator.getTrialBalance({ customerId, currency, at } as never),
    // What was is not read again.
    refetchInterval: at === undefined ? 15_000 : false,
  });
  return (
    <>
      <div className="filters">
        <CustomerChoice label="Owner" withHouse />
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
        <Entry name="at" label="Booked before, UTC" form={INSTANT} read={readInstant} />
      </div>
      <View query={query}>
        {(balance) => (
          <div className="stack">
            <p>
              <Status
                of={balance.balanced ? 'Debits equal credits' : 'Debits and credits differ'}
                mood={balance.balanced ? 'ok' : 'bad'}
              />{' '}
              <span className="hint">
                As of <At at={balance.at} />
              </span>
            </p>
            {balance.currencies.length === 0 && <Empty title="Nothing is booked" />}
            {balance.currencies.map((each) => (
              <InCurrency key={each.currency} of={each} at={at} customerId={customerId} />
            ))}
          </div>
        )}
      </View>
    </>
  );
}

interface InCurrencyProps {
  readonly of: Currency;
  readonly at: string | undefined;
  readonly customerId: string | undefined;
}

function InCurrency({ of, at, customerId }: InCurrencyProps) {
  const lines: readonly Line[] = [...of.accounts, { account: undefined, debit: of.debit, credit: of.credit }];
  // What was booked before an instant is made up of what was booked up to it.
  const search = {
    ...{ tab: 'account', currency: of.currency },
    ...(at === undefined ? {} : { to: at }),
    ...(customerId === undefined ? {} : { customerId }),
  };
  const columns: readonly Column<Line>[] = [
    {
      name: 'Account',
      isText: true,
      cell: ({ account }) =>
        account === undefined ? (
          <b>Total</b>
        ) : (
          <Way to="/ledger" search={{ ...search, account }}>
            <AccountTitle of={account} />
          </Way>
        ),
    },
    { name: 'Debit', isNumber: true, cell: (line) => amountOf(line, line.debit) },
    { name: 'Credit', isNumber: true, cell: (line) => amountOf(line, line.credit) },
  ];
  return (
    <section className="card stack" aria-label={of.currency}>
      <h2>{of.currency}</h2>
      {signOf(of.difference) !== 0 && <Status of={`Difference ${formatAmount(of.difference)}`} mood="bad" />}
      <Table
        label={`Accounts in ${of.currency}`}
        columns={columns}
        items={lines}
        idOf={({ account }) => account ?? 'total'}
      />
    </section>
  );
}

/** Nothing stands on the other side. */
function amountOf({ account }: Line, amount: string) {
  if (account === undefined) return <b>{formatAmount(amount)}</b>;
  return signOf(amount) === 0 ? '' : formatAmount(amount);
}
