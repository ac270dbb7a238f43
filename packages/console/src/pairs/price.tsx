import type { PriceOfPair } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { Fact } from '../parts/facts.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, counted, Status, Verbatim, words } from '../parts/text.tsx';
import { ageText, moodOfPrice, stateOfPrice } from './state.ts';

const EVERY_MS = 2_000;

type OfSource = PriceOfPair['sources'][number];

/** The price of a pair, and what each source says of it. */
export function PairPrice({ pair }: { readonly pair: string }) {
  const query = useQuery({
    queryKey: ['pair-price', pair],
    queryFn: async () => (await operator.listPrices({ pair: [pair] })).items[0],
    refetchInterval: EVERY_MS,
  });
  return <View query={query}>{(price) => (price === undefined ? <NoSource /> : <Price of={price} />)}</View>;
}

function NoSource() {
  return (
    <Empty title="No source has this pair">
      <p>It is priced from other pairs, if at all.</p>
    </Empty>
  );
}

function Price({ of }: { readonly of: PriceOfPair }) {
  const { bid, ask, ageMs, lastGood, reference, sources, awaitingAcceptance, disagreement } = of;
  return (
    <>
      <section className="card" aria-label="Price">
        <dl className="facts">
          <Fact name="Price">
            <Status of={stateOfPrice(of)} mood={moodOfPrice(of)} />
          </Fact>
          {bid !== undefined && ask !== undefined && (
            <Fact name="Bid and ask">
              <span className="number">
                {bid} / {ask}
              </span>
            </Fact>
          )}
          {ageMs !== undefined && <Fact name="Age">{ageText(ageMs)}</Fact>}
          <Fact name="Last good mid">
            {lastGood === null ? (
              'None'
            ) : (
              <>
                <span className="number">{lastGood.price}</span>, <At at={lastGood.asOf} />
              </>
            )}
          </Fact>
          <Fact name="Reference rate">{reference ?? 'None'}</Fact>
          <Fact name="Class">{words(of.class)}</Fact>
        </dl>
      </section>
      {awaitingAcceptance && (
        <div className="callout bad">
          <h2>There is no price until somebody accepts one</h2>
          <p>
            What the sources say is too far from what was known. Check the market elsewhere, and accept the
            price that is right.
          </p>
        </div>
      )}
      {disagreement !== undefined && (
        <div className="callout warn">
          <h2>The sources disagree</h2>
          <p>
            {disagreement.sources.join(' and ')} have disagreed since <At at={disagreement.since} />: the pair
            is halted until they agree.
          </p>
        </div>
      )}
      {sources.length > 0 && (
        <Table label="What the sources say" items={sources} idOf={({ source }) => source} columns={SOURCES} />
      )}
    </>
  );
}

const SOURCES: readonly Column<OfSource>[] = [
  { name: 'Source', isText: true, cell: ({ source }) => <Verbatim text={source} /> },
  { name: 'State', cell: ({ state }) => <Status of={state} mood={state === 'fresh' ? 'ok' : 'warn'} /> },
  { name: 'Bid', isNumber: true, cell: ({ bid, refused }) => refused?.bid ?? bid ?? '–' },
  { name: 'Ask', isNumber: true, cell: ({ ask, refused }) => refused?.ask ?? ask ?? '–' },
  { name: 'Age', isNumber: true, cell: ({ ageMs }) => (ageMs === undefined ? '–' : ageText(ageMs)) },
  { name: 'Why', isText: true, cell: whyOf },
];

function whyOf({ refused, setAside, heldBack }: OfSource) {
  if (refused !== null)
    return (
      <>
        {words(refused.reason)}, {counted(refused.ticks, 'time')} since <At at={refused.since} />
      </>
    );
  if (setAside !== null)
    return (
      <>
        Most other sources disagree, since <At at={setAside.since} />
      </>
    );
  if (heldBack !== null)
    return (
      <>
        A move too large for one price, held back since <At at={heldBack.since} />
      </>
    );
  return '–';
}
