import type { SwapPoints, SwapPointsVersion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { Actor } from '../parts/actor.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { Versions } from '../parts/versions.tsx';
import { SET_SWAP_POINTS } from './commands.ts';
import { LEG_WORDS, linesOfPoints } from './points.ts';

/** A value date before spot, and how it is priced. */
interface Dated {
  readonly name: string;
  readonly of: SwapPoints['today'];
}
type Leg = Dated['of']['legs'][number];

/** What value dates before spot cost, and whose points that comes from. */
export function PairSwapPoints({ pair }: { readonly pair: string }) {
  const query = useQuery({
    queryKey: ['swap-points', pair],
    queryFn: async () => {
      const { data, etag } = await operator.getSwapPoints(pair).withResponse();
      return { points: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <section className="stack" aria-labelledby="points">
      <h2 id="points" className="apart">
        Swap points
      </h2>
      <View query={query}>
        {({ points, tag }) => (
          <>
            {points.set !== null && <SetBy of={points.set} />}
            <div className="actions">
              <CommandAction
                name="points"
                command={SET_SWAP_POINTS}
                subject={points}
                ids={[pair]}
                isPossible
                version={tag}
              />
            </div>
            <Table
              label="Prices before spot"
              items={[
                { name: 'Today', of: points.today },
                { name: 'Tomorrow', of: points.tom },
              ]}
              idOf={({ name }) => name}
              columns={COLUMNS}
            />
          </>
        )}
      </View>
      <Versions<SwapPointsVersion>
        name="points"
        label={`Swap points of ${pairText(pair)}`}
        list={(query) => operator.listSwapPointVersions(pair, query)}
        linesOf={linesOfPoints}
      />
    </section>
  );
}

function SetBy({ of }: { readonly of: NonNullable<SwapPoints['set']> }) {
  return (
    <p className="hint">
      Set by <Actor id={of.changedBy} />, <At at={of.changedAt} />, for the trade date {of.tradeDate}:{' '}
      <Verbatim text={of.reason} />
    </p>
  );
}

const COLUMNS: readonly Column<Dated>[] = [
  {
    name: 'Value',
    cell: ({ name, of }) => (of.valueDate === null ? name : `${name}, ${of.valueDate}`),
  },
  {
    name: 'Points',
    isText: true,
    cell: ({ of }) =>
      of.reason === null ? (
        of.legs.length === 0 ? (
          'It is spot'
        ) : (
          of.legs.map((leg) => <LegPoints key={leg.leg} of={leg} />)
        )
      ) : (
        <Status of={of.reason} mood="warn" />
      ),
  },
  { name: 'Bid', isNumber: true, cell: ({ of }) => of.bid ?? '–' },
  { name: 'Ask', isNumber: true, cell: ({ of }) => of.ask ?? '–' },
];

function LegPoints({ of: { leg, bid, ask, origin, source } }: { readonly of: Leg }) {
  return (
    <div>
      {LEG_WORDS[leg] ?? words(leg)} {bid} / {ask} pips
      {origin !== null && `, ${words(origin).toLowerCase()}`}
      {source !== null && (
        <>
          : <Verbatim text={source} />
        </>
      )}
    </div>
  );
}
