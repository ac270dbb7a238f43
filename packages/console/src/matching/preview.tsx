import type { MatchingRulesDocument, MatchingRulesPreview } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, counted, Money, words } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';

/** So many deposits are decided again. */
const TRIED = 50;

type Changed = MatchingRulesPreview['changes'][number];

/** What rules would have done with the newest deposits, where that differs from what those in force do. */
export function Preview({ rules }: { readonly rules: MatchingRulesDocument }) {
  const query = useQuery({
    queryKey: ['matching-preview', rules],
    queryFn: () => operator.previewMatchingRules({ rules, deposits: TRIED }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <View query={query}>
      {({ depositsTried, changes }) => (
        <div className="stack">
          <p role="status">
            {depositsTried === 0
              ? 'There are no deposits to try it on.'
              : `Of the newest ${counted(depositsTried, 'deposit')}, ${changes.length === 0 ? 'none' : changes.length} would be decided differently.`}
          </p>
          {changes.length > 0 && (
            <Table
              label="Deposits that would be decided differently"
              items={changes}
              idOf={({ depositId }) => depositId}
              columns={COLUMNS}
            />
          )}
        </div>
      )}
    </View>
  );
}

const COLUMNS: readonly Column<Changed>[] = [
  { name: 'Received', cell: ({ receivedAt }) => <At at={receivedAt} /> },
  {
    name: 'Amount',
    isNumber: true,
    cell: ({ depositId, amount, currency }) => (
      <Way to="/deposits" search={{ deposit: depositId }}>
        <Money amount={amount} currency={currency} />
      </Way>
    ),
  },
  {
    name: 'Now',
    isText: true,
    cell: ({ inForce, currency }) => <Outcome of={inForce} currency={currency} />,
  },
  {
    name: 'With the change',
    isText: true,
    cell: ({ draft, currency }) => <Outcome of={draft} currency={currency} />,
  },
];

function Outcome({
  of: { exception, allocations },
  currency,
}: {
  readonly of: Changed['draft'];
  readonly currency: string;
}) {
  return (
    <>
      {allocations.map(({ transactionId, matchRule, allocatedAmount }) => (
        <div key={transactionId ?? 'balance'}>
          {words(matchRule)}: <Money amount={allocatedAmount} currency={currency} />{' '}
          {transactionId === null ? 'to the balance' : <span className="mono">{transactionId}</span>}
        </div>
      ))}
      {exception !== null && (
        <div>
          {words(exception.type)}: {words(exception.reason)}
        </div>
      )}
    </>
  );
}
