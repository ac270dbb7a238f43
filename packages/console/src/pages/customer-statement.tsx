import type { CustomerStatement } from '@firmquote/client';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { formatAmount } from '../money/amount.ts';
import { signOf } from '../money/sum.ts';
import { DownloadLink } from '../parts/download-link.tsx';
import { Fact } from '../parts/facts.tsx';
import { type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Subject } from '../parts/subject.tsx';
import { At, Money, Verbatim, words } from '../parts/text.tsx';
import { INSTANT, rangeOf, readInstant } from '../parts/written-forms.ts';

type CurrencyStatement = CustomerStatement['currencies'][number];
type Line = CurrencyStatement['lines'][number];

/** What the customer sees of a period: what was traded, paid in and paid out, and what it owes. */
export function CustomerStatementOf({ customerId }: { readonly customerId: string }) {
  const { from, to } = rangeOf(useFilters().search);
  return (
    <>
      <div className="filters">
        <Entry name="from" label="From, UTC" form={INSTANT} read={readInstant} />
        <Entry name="to" label="Until before, UTC" form={INSTANT} read={readInstant} />
      </div>
      {from === undefined ? (
        <Empty title="Choose a period">
          <p>Without an end it goes up to now. To keep one, choose an end that has passed.</p>
        </Empty>
      ) : (
        <Period customerId={customerId} range={{ from, ...(to === undefined ? {} : { to }) }} />
      )}
    </>
  );
}

interface PeriodProps {
  readonly customerId: string;
  readonly range: { readonly from: string; readonly to?: string };
}

function Period({ customerId, range }: PeriodProps) {
  const ask = () => operator.getCustomerStatement(customerId, range);
  const query = useQuery({ queryKey: ['customer-statement', customerId, range], queryFn: ask });
  const asked = new URLSearchParams({ format: 'csv', ...range });
  return (
    <div className="stack">
      <div className="actions">
        <DownloadLink
          reads="getCustomerStatement"
          ask={ask}
          className="button"
          href={`/v1/operator/customers/${customerId}/statements?${asked}`}
          saveAs={`statement-${customerId}-${range.from.slice(0, 10)}.csv`}
        >
          Download as CSV
        </DownloadLink>
      </div>
      <View query={query}>
        {({ currencies }) =>
          currencies.length === 0 ? (
            <Empty title="Nothing was booked, and nothing is owed" />
          ) : (
            currencies.map((each) => <OneCurrency key={each.currency} of={each} />)
          )
        }
      </View>
    </div>
  );
}

function OneCurrency({ of }: { readonly of: CurrencyStatement }) {
  const { currency, debt } = of;
  const hasDebt = debt.lines.length > 0 || signOf(debt.opening) !== 0;
  return (
    <section className="stack" aria-label={currency}>
      <h2>{currency}</h2>
      <Ends
        currency={currency}
        first={['Opening balance', of.openingBalance]}
        last={['Closing balance', of.closingBalance]}
      />
      <Lines label={`What was booked in ${currency}`} items={of.lines} />
      {hasDebt && (
        <>
          <Ends
            currency={currency}
            first={['Owed at the beginning', debt.opening]}
            last={['Owed at the end', debt.closing]}
          />
          <Lines label={`What the customer owed in ${currency}`} items={debt.lines} />
        </>
      )}
    </section>
  );
}

interface EndsProps {
  readonly currency: string;
  readonly first: readonly [name: string, amount: string];
  readonly last: readonly [name: string, amount: string];
}

function Ends({ currency, first, last }: EndsProps) {
  return (
    <dl className="facts card">
      <Fact name={first[0]}>
        <Money amount={first[1]} currency={currency} />
      </Fact>
      <Fact name={last[0]}>
        <b>
          <Money amount={last[1]} currency={currency} />
        </b>
      </Fact>
    </dl>
  );
}

function Lines({ label, items }: { readonly label: string; readonly items: readonly Line[] }) {
  if (items.length === 0) return <p className="hint">Nothing was booked in this period.</p>;
  const numbered = items.map((line, index) => ({ ...line, key: `${index}` }));
  return <Table label={label} items={numbered} idOf={({ key }) => key} columns={LINES} />;
}

const LINES: readonly Column<Line & { readonly key: string }>[] = [
  { name: 'Booked', cell: ({ at }) => <At at={at} /> },
  { name: 'What', isText: true, cell: ({ type }) => words(type) },
  { name: 'For', cell: (line) => <Subject of={line} /> },
  {
    name: 'Reference',
    isText: true,
    cell: ({ reference, clientReference }) => (
      <Verbatim text={[reference, clientReference].filter((each) => each !== null).join(', ') || '–'} />
    ),
  },
  { name: 'Debit', isNumber: true, cell: ({ debit }) => (debit === null ? '' : formatAmount(debit)) },
  { name: 'Credit', isNumber: true, cell: ({ credit }) => (credit === null ? '' : formatAmount(credit)) },
  { name: 'Balance', isNumber: true, cell: ({ balance }) => formatAmount(balance) },
];
