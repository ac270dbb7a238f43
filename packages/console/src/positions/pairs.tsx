import type { PairPosition } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { business, operator } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { Fact } from '../parts/facts.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { ago, Status } from '../parts/text.tsx';
import { signed } from './signed.ts';

const EVERY_MS = 5_000;

const known = (amount: string | null) => (amount === null ? 'Not known' : signed(amount));

const COLUMNS: readonly Column<PairPosition>[] = [
  { name: 'Pair', cell: ({ pair }) => <b>{pairText(pair)}</b> },
  { name: 'Trades', isNumber: true, cell: ({ trades }) => trades },
  {
    name: 'Position',
    isNumber: true,
    cell: ({ pair, position }) => `${signed(position)} ${pair.slice(0, 3)}`,
  },
  {
    name: 'Against',
    isNumber: true,
    cell: ({ pair, quotePosition }) => `${signed(quotePosition)} ${pair.slice(3)}`,
  },
  { name: 'Bought at', isNumber: true, cell: ({ averageBought }) => averageBought ?? '–' },
  { name: 'Sold at', isNumber: true, cell: ({ averageSold }) => averageSold ?? '–' },
  {
    name: 'Mid',
    isNumber: true,
    cell: ({ mid }) =>
      mid === null ? (
        '–'
      ) : (
        <>
          {mid.value} <Status of={ago(mid.asOf, business.now())} mood={mid.stale ? 'warn' : 'ok'} />
        </>
      ),
  },
  {
    name: 'Realised',
    isNumber: true,
    cell: ({ pair, realised }) => `${signed(realised)} ${pair.slice(3)}`,
  },
  { name: 'Unrealised, USD', isNumber: true, cell: ({ unrealisedUsd }) => known(unrealisedUsd) },
  { name: 'Result, USD', isNumber: true, cell: ({ resultUsd }) => <b>{known(resultUsd)}</b> },
];

/** Both legs of each trade together: what the house has of each pair, and what came of it. */
export function PairResults() {
  const query = useQuery({
    queryKey: ['pair-positions'],
    queryFn: () => operator.getPairPositions(),
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="stack" aria-labelledby="pairs">
      <h2 id="pairs">Result by pair</h2>
      <View query={query}>
        {({ pairs, total }) =>
          pairs.length === 0 ? (
            <Empty title="No trades yet" />
          ) : (
            <>
              <dl className="facts card">
                <Fact name="Realised, USD">{known(total.realisedUsd)}</Fact>
                <Fact name="Unrealised, USD">{known(total.unrealisedUsd)}</Fact>
                <Fact name="Result, USD">
                  <b>{known(total.resultUsd)}</b>
                </Fact>
              </dl>
              <Table label="Results of pairs" columns={COLUMNS} items={pairs} idOf={({ pair }) => pair} />
            </>
          )
        }
      </View>
    </section>
  );
}
