import type { Bar } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { business, operator } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { Fact } from '../parts/facts.tsx';
import { Choice, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At } from '../parts/text.tsx';
import { type Drawn, drawn } from './chart.ts';

const EVERY_MS = 15_000;
const [WIDTH, HEIGHT] = [1_000, 160];
/** Bars on a page of the list, at most: a day takes two. */
const PAGE = 1_000;

/** By minutes; where none is chosen, four hours. */
const RANGES = [
  ['60', 'An hour'],
  ['1440', 'A day'],
] as const;

/** What the price of a pair has done, in minutes that had one. */
export function PairHistory({ pair }: { readonly pair: string }) {
  const { range = '240' } = useFilters().search;
  const query = useQuery({
    queryKey: ['bars', pair, range],
    queryFn: () => barsOf(pair, RANGES.some(([minutes]) => minutes === range) ? Number(range) : 240),
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="stack" aria-labelledby="history">
      <div className="page-head">
        <h2 id="history">What the price has done</h2>
        <div className="filters">
          <Choice name="range" label="Time" all="Four hours" options={RANGES} />
        </div>
      </div>
      <View query={query}>
        {(bars) => {
          const chart = drawn(bars, WIDTH, HEIGHT);
          return chart === undefined ? (
            <Empty title="It had no price of its own in this time; prices of crosses are not kept" />
          ) : (
            <Chart pair={pair} of={chart} />
          );
        }}
      </View>
    </section>
  );
}

async function barsOf(pair: string, minutes: number): Promise<readonly Bar[]> {
  const from = new Date(business.now() - minutes * 60_000).toISOString();
  const bars: Bar[] = [];
  for await (const bar of operator.listBars({ pair, from, limit: PAGE })) bars.push(bar);
  return bars;
}

function Chart({ pair, of }: { readonly pair: string; readonly of: Drawn }) {
  const { first, last, high, low, change } = of;
  return (
    <div className="card">
      {first !== last && (
        <Lines of={of} about={`Mid of ${pairText(pair)}, from ${first.open} to ${last.close}`} />
      )}
      <dl className="facts">
        <Fact name="First mid">
          <span className="number">{first.open}</span>, <At at={first.at} />
        </Fact>
        <Fact name="Last mid">
          <span className="number">{last.close}</span>, <At at={last.at} />
        </Fact>
        <Fact name="Highest and lowest">
          <span className="number">
            {high} / {low}
          </span>
        </Fact>
        <Fact name="Change">
          <span className="number">{change}</span>
        </Fact>
      </dl>
    </div>
  );
}

function Lines({ of: { lines, bands }, about }: { readonly of: Drawn; readonly about: string }) {
  return (
    <svg
      className="chart"
      viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={about}
    >
      {bands.map((path) => (
        <path key={path} className="band" d={path} />
      ))}
      {lines.map((path) => (
        <path key={path} className="line" d={path} vectorEffect="non-scaling-stroke" />
      ))}
    </svg>
  );
}
