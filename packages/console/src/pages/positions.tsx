import type { CurrencyPosition, HousePosition } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { business, operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { formatAmount } from '../money/amount.ts';
import { percentOf } from '../money/sum.ts';
import { Fact } from '../parts/facts.tsx';
import { type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { Empty, Forbidden, View } from '../parts/states.tsx';
import { At, ago, Status } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { INSTANT, readInstant } from '../parts/written-forms.ts';
import { PairResults } from '../positions/pairs.tsx';
import { signed } from '../positions/signed.ts';

const EVERY_MS = 5_000;
/** Of a limit, percent. */
const NEAR_PERCENT = 80;

/** What the house is long and short, with what it may be, and what came of it. */
export function Positions() {
  const session = useSession();
  useTitle('Positions');
  const seesExposure = mayRead(session, 'getExposure');
  const seesResult = mayRead(session, 'getPositions');
  return (
    <>
      <div className="page-head">
        <h1>Positions</h1>
      </div>
      <div className="stack">
        {!seesExposure && !seesResult && <Forbidden scope="operator:pricing:read" />}
        {seesExposure && <Exposure />}
        {seesResult ? (
          <>
            <Result />
            <PairResults />
          </>
        ) : (
          seesExposure && <p className="hint">You need the right operator:ledger to see results.</p>
        )}
      </div>
    </>
  );
}

/** A part of a limit as a bar, and in words. */
export function Meter({ part, limit }: { readonly part: string; readonly limit: string }) {
  const percent = percentOf(part, limit);
  const isFull = percent >= 100;
  const mood = isFull ? 'bad' : percent >= NEAR_PERCENT ? 'warn' : '';
  return (
    <>
      <span>
        {isFull && '! '}
        {percent} % of {formatAmount(limit)}
      </span>
      <span className={`meter ${mood}`} aria-hidden="true">
        <span ref={(bar) => bar?.style.setProperty('width', `${percent}%`)} />
      </span>
    </>
  );
}

const EXPOSURE: readonly Column<HousePosition>[] = [
  { name: 'Currency', cell: ({ currency }) => <b>{currency}</b> },
  { name: 'Position', isNumber: true, cell: ({ position }) => signed(position) },
  { name: 'Hedged', isNumber: true, cell: ({ hedged }) => signed(hedged) },
  { name: 'Net', isNumber: true, cell: ({ net }) => <b>{signed(net)}</b> },
  {
    name: 'Open quotes',
    isNumber: true,
    cell: ({ openLong, openShort }) => `${formatAmount(openLong)} / ${formatAmount(openShort)}`,
  },
  {
    name: 'Net in USD',
    isNumber: true,
    cell: ({ netUsd }) => (netUsd === null ? <Status of="No price" mood="warn" /> : signed(netUsd)),
  },
  {
    name: 'Limit used, USD',
    cell: ({ worstUsd, limitUsd }) =>
      limitUsd === null ? 'No limit' : worstUsd === null ? '–' : <Meter part={worstUsd} limit={limitUsd} />,
  },
];

function Exposure() {
  const query = useQuery({
    queryKey: ['exposure'],
    queryFn: () => operator.getExposure(),
    refetchInterval: EVERY_MS,
  });
  return (
    <section className="stack" aria-labelledby="exposure">
      <div className="page-head">
        <h2 id="exposure">Exposure</h2>
        <Way className="button" to="/house" instead={null}>
          Limits
        </Way>
      </div>
      <View query={query}>
        {({ asOf, openQuotes, positions, total }) =>
          positions.length === 0 ? (
            <Empty title="The house has no position">
              <p>No trades yet.</p>
            </Empty>
          ) : (
            <>
              <dl className="facts card">
                <Fact name="As of">
                  <At at={asOf} />
                </Fact>
                <Fact name="Open quotes">{openQuotes}</Fact>
                <Fact name="Long, USD">{formatAmount(total.longUsd)}</Fact>
                <Fact name="Short, USD">{formatAmount(total.shortUsd)}</Fact>
                <Fact name="Net open, USD">
                  {total.limitUsd === null ? (
                    formatAmount(total.netOpenUsd)
                  ) : (
                    <>
                      {formatAmount(total.netOpenUsd)} ·{' '}
                      <Meter part={total.netOpenUsd} limit={total.limitUsd} />
                    </>
                  )}
                </Fact>
                {!total.complete && (
                  <Fact name="Complete">
                    <Status of="Incomplete: a currency has no price" mood="warn" />
                  </Fact>
                )}
              </dl>
              <Table
                label="Exposure by currency"
                columns={EXPOSURE}
                items={positions}
                idOf={({ currency }) => currency}
              />
            </>
          )
        }
      </View>
    </section>
  );
}

/** @param now of which the ages of prices are told */
const resultAt = (now: number): readonly Column<CurrencyPosition>[] => [
  { name: 'Currency', cell: ({ currency }) => <b>{currency}</b> },
  { name: 'Position', isNumber: true, cell: ({ position }) => signed(position) },
  { name: 'Bought at', isNumber: true, cell: ({ averageBoughtUsd }) => averageBoughtUsd ?? '–' },
  { name: 'Sold at', isNumber: true, cell: ({ averageSoldUsd }) => averageSoldUsd ?? '–' },
  {
    name: 'Valued at',
    isNumber: true,
    // The currency that everything is valued in has no price, and needs none.
    cell: ({ mid, valueUsd }) =>
      mid !== null ? mid.value : valueUsd === null ? <Status of="No price" mood="warn" /> : '–',
  },
  {
    name: 'Age of the price',
    cell: ({ mid }) =>
      mid === null ? '–' : <Status of={ago(mid.asOf, now)} mood={mid.stale ? 'warn' : 'ok'} />,
  },
  { name: 'Realised, USD', isNumber: true, cell: ({ realisedUsd }) => signed(realisedUsd) },
  {
    name: 'Unrealised, USD',
    isNumber: true,
    cell: ({ unrealisedUsd }) => (unrealisedUsd === null ? '–' : signed(unrealisedUsd)),
  },
];

/** The result now, or as it was before an instant. */
function Result() {
  const given = useFilters().search.at;
  const before = given === undefined ? undefined : readInstant(given);
  const query = useQuery({
    queryKey: ['positions', before],
    queryFn: () => operator.getPositions(before === undefined ? {} : { at: before }),
    // What was is not read again.
    refetchInterval: before === undefined ? EVERY_MS : false,
  });
  return (
    <section className="stack" aria-labelledby="result">
      <h2 id="result">Result</h2>
      <div className="filters">
        <Entry name="at" label="Before, UTC" form={INSTANT} read={readInstant} />
      </div>
      <View query={query}>
        {({ at, positions, total }) => (
          <>
            <dl className="facts card">
              <Fact name="As of">
                <At at={at} />
              </Fact>
              <Fact name="Realised, USD">{signed(total.realisedUsd)}</Fact>
              <Fact name="Unrealised, USD">
                {total.unrealisedUsd === null ? 'Not known' : signed(total.unrealisedUsd)}
              </Fact>
              <Fact name="Result, USD">
                <b>{total.resultUsd === null ? 'Not known' : signed(total.resultUsd)}</b>
              </Fact>
              {!total.complete && (
                <Fact name="Complete">
                  <Status of="Incomplete: a currency has no price" mood="warn" />
                </Fact>
              )}
            </dl>
            <Table
              label="Result by currency"
              columns={resultAt(before === undefined ? business.now() : Date.parse(at))}
              items={positions}
              idOf={({ currency }) => currency}
            />
          </>
        )}
      </View>
    </section>
  );
}
