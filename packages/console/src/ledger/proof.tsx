import type { BooksCheck } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { DownloadLink } from '../parts/download-link.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { AccountTitle, Owner } from './chart.tsx';

/** What shows that the books are right: a check of them here, and a file for a program that is not ours. */
export function Proof() {
  const query = useQuery({
    queryKey: ['books-check'],
    queryFn: () => operator.checkBooks(),
    // It reads the whole journal: only whoever asks for it gets it.
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, isFetching, error, refetch } = query;
  return (
    <div className="stack">
      <div className="actions">
        <button
          type="button"
          className="button first"
          aria-disabled={isFetching}
          onClick={() => !isFetching && void refetch()}
        >
          {isFetching ? 'Checking…' : 'Check the books'}
        </button>
        <DownloadLink
          reads="exportJournal"
          ask={() => operator.listLedgerAccounts()}
          className="button"
          href="/v1/operator/ledger/export?format=hledger"
        >
          Download the journal for hledger
        </DownloadLink>
      </div>
      <p className="hint">
        The check compares each balance with the journal, debits with credits, and stored sums with what they
        are of. The file has the whole journal; hledger, another accounting program, can check it.
      </p>
      {(data !== undefined || error !== null) && (
        <View query={query}>{(check) => <Outcome of={check} />}</View>
      )}
    </div>
  );
}

const DIFFERENCES: readonly Column<BooksCheck['differences'][number]>[] = [
  { name: 'Owner', isText: true, cell: ({ customerId }) => <Owner id={customerId} /> },
  { name: 'Account', isText: true, cell: ({ account }) => <AccountTitle of={account} /> },
  { name: 'Currency', cell: ({ currency }) => currency },
  { name: 'Balance', isNumber: true, cell: ({ balance }) => balance },
  { name: 'Journal', isNumber: true, cell: ({ journal }) => journal },
];

const KEPT: readonly Column<BooksCheck['keptDifferences'][number]>[] = [
  { name: 'Sum', isText: true, cell: ({ rows }) => words(rows) },
  { name: 'Of', isText: true, cell: ({ key }) => <Verbatim text={key} /> },
  { name: 'Stored', isNumber: true, cell: ({ kept }) => kept ?? '–' },
  { name: 'Recomputed', isNumber: true, cell: ({ recomputed }) => recomputed ?? '–' },
];

function Outcome({
  of: { ok, at, unbalancedCurrencies, differences, keptDifferences },
}: {
  readonly of: BooksCheck;
}) {
  return (
    <section className="card stack" aria-label="Outcome of the check">
      <p role="status">
        <Status of={ok ? 'The books add up' : 'The books do not add up'} mood={ok ? 'ok' : 'bad'} />{' '}
        <span className="hint">
          As of <At at={at} />
        </span>
      </p>
      {unbalancedCurrencies.length > 0 && (
        <Table
          label="Currencies in which debits and credits differ"
          columns={[
            { name: 'Currency', cell: ({ currency }) => currency },
            { name: 'Difference', isNumber: true, cell: ({ difference }) => difference },
          ]}
          items={unbalancedCurrencies}
          idOf={({ currency }) => currency}
        />
      )}
      {differences.length > 0 && (
        <Table
          label="Balances that differ from the journal"
          columns={DIFFERENCES}
          items={differences}
          idOf={({ customerId, account, currency }) => `${customerId} ${account} ${currency}`}
        />
      )}
      {keptDifferences.length > 0 && (
        <Table
          label="Stored sums that differ"
          columns={KEPT}
          items={keptDifferences}
          idOf={({ rows, key }) => `${rows} ${key}`}
        />
      )}
    </section>
  );
}
