import type { JournalEntry } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { operator } from '../api/session.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { Fact } from '../parts/facts.tsx';
import { Choice, type Column, Entry, Listing, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Subject } from '../parts/subject.tsx';
import { At, Money } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { INSTANT, rangeOf, readInstant } from '../parts/written-forms.ts';
import { AccountTitle, Owner, side } from './chart.tsx';
import { ENTRY_KINDS, entryInWords } from './kinds.ts';

type Posting = JournalEntry['postings'][number];

/** What was booked, newest first; and one entry with all of its postings. */
export function Journal() {
  const { search, set } = useFilters();
  return (
    <div className="stack">
      {search.entry !== undefined && <OneEntry id={search.entry} onClose={() => set({ entry: undefined })} />}
      <div className="filters">
        <Choice name="kind" label="Entry" options={ENTRY_KINDS} />
        <CustomerChoice label="Owner" withHouse />
        <Entry name="from" label="Booked from, UTC" form={INSTANT} read={readInstant} />
        <Entry name="to" label="Booked before, UTC" form={INSTANT} read={readInstant} />
      </div>
      <Listing
        name="Journal"
        filters={['kind', 'customerId', 'from', 'to']}
        read={(query, cursor) =>
          operator.listJournalEntries({
            ...query,
            ...rangeOf(query),
            cursor,
            limit: 50,
          } as never)
        }
        columns={COLUMNS}
        idOf={({ entryId }) => entryId}
        empty={
          <Empty title="Nothing is booked yet">
            <p>Each trade, deposit and payment becomes an entry.</p>
          </Empty>
        }
      />
    </div>
  );
}

const COLUMNS: readonly Column<JournalEntry>[] = [
  { name: 'At', cell: ({ at }) => <At at={at} /> },
  {
    name: 'Entry',
    isText: true,
    cell: (entry) => (
      <>
        <Link
          to="."
          search={((before: object) => ({ ...before, entry: entry.entryId })) as never}
          title={entry.entryId}
        >
          {entryInWords(entry.kind)}
        </Link>
        <div>
          <Subject of={entry} otherwise="" />
        </div>
      </>
    ),
  },
  { name: 'Owner', isText: true, cell: ({ customerId }) => <Owner id={customerId} /> },
  {
    name: 'Debit',
    isText: true,
    cell: ({ postings }) => <Side of={postings} which="debit" />,
  },
  {
    name: 'Credit',
    isText: true,
    cell: ({ postings }) => <Side of={postings} which="credit" />,
  },
];

function Side({ of, which }: { readonly of: readonly Posting[]; readonly which: 'debit' | 'credit' }) {
  return of.flatMap(({ account, currency, [which]: amount }) =>
    amount === null
      ? []
      : [
          <div key={`${account} ${currency} ${amount}`}>
            <AccountTitle of={account} /> <Money amount={amount} currency={currency} />
          </div>,
        ],
  );
}

function OneEntry({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useQuery({
    queryKey: ['journal-entry', id],
    queryFn: () => operator.getJournalEntry(id),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section className="card stack" aria-labelledby="entry">
      <div className="page-head">
        <h2 id="entry">
          Entry <span className="mono">{id}</span>
        </h2>
        <button type="button" className="button" onClick={onClose}>
          Close the entry
        </button>
      </div>
      <View query={query}>
        {(entry) => (
          <>
            <dl className="facts">
              <Fact name="Entry">{entryInWords(entry.kind)}</Fact>
              <Fact name="Booked">
                <At at={entry.at} full />
              </Fact>
              <Fact name="Owner">
                <Owner id={entry.customerId} />
              </Fact>
              <Fact name="About">
                <Subject of={entry} />
              </Fact>
            </dl>
            <Table
              label="Postings"
              columns={postingsOf(entry)}
              items={entry.postings.map((posting, line) => ({ ...posting, line }))}
              idOf={({ line }) => `${line}`}
            />
          </>
        )}
      </View>
    </section>
  );
}

function postingsOf({ customerId }: JournalEntry): readonly Column<Posting & { readonly line: number }>[] {
  return [
    {
      name: 'Account',
      isText: true,
      cell: ({ account, currency }) => (
        <Way to="/ledger" search={{ tab: 'account', account, currency, customerId }}>
          <AccountTitle of={account} />
        </Way>
      ),
    },
    { name: 'Debit', isNumber: true, cell: ({ debit, currency }) => side(debit, currency) },
    { name: 'Credit', isNumber: true, cell: ({ credit, currency }) => side(credit, currency) },
  ];
}
