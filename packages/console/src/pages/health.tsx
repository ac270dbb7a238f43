import type { Halt, MarketHealth, PriceOfPair, PriceSourceHealth } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { pairText } from '../money/amount.ts';
import { readPair } from '../money/codes.ts';
import { PairTable } from '../pairs/pair-table.tsx';
import { ageText } from '../pairs/state.ts';
import { Action } from '../parts/action.tsx';
import { Actor } from '../parts/actor.tsx';
import { CustomerFinder } from '../parts/customer-finder.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { namesOf, readCustomer } from '../parts/customer-names.ts';
import { useCustomerChoice } from '../parts/customers.ts';
import { Fact } from '../parts/facts.tsx';
import { Choice, type Column, Listing, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { check } from '../parts/written-forms.ts';
import { moodOfSource } from '../prices/source-mood.ts';

const EVERY_MS = 2_000;

/** Whether prices can be trusted: what they come from, how old it is, and what holds them back. */
export function Health() {
  useTitle('Price health');
  const seesPrices = mayRead(useSession(), 'listPrices');
  const query = useQuery({
    queryKey: ['health', 'whole', seesPrices],
    queryFn: async () => {
      const [health, prices, halts] = await Promise.all([
        operator.getMarketHealth(),
        // Whoever may halt a market sees what holds it back, and not always its prices.
        seesPrices ? operator.listPrices().then(({ items }) => items) : undefined,
        operator.listHalts({ status: 'active', limit: 100 }),
      ]);
      return { health, prices, halts: halts.items, automatic: halts.automatic };
    },
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <div className="page-head">
        <h1>Price health</h1>
        <HaltMarket />
      </div>
      <View query={query}>
        {({ health, prices, halts, automatic }) => (
          <div className="stack">
            <Verdict
              of={health}
              halted={halts.length + automatic.length}
              missing={prices?.filter(({ enabled, status }) => enabled && status !== 'fresh').length}
            />
            <Table
              label="Sources"
              items={health.sources}
              idOf={({ source }) => source}
              columns={sources(prices)}
            />
            <Awaiting prices={prices} />
            {automatic.map(({ pair, since, sources: two }) => (
              <div className="callout warn" key={pair}>
                <h2>{pairText(pair)} is halted automatically</h2>
                <p>
                  {two.join(' and ')} have disagreed since <At at={since} />. The halt ends when they agree;
                  switch off the one that is wrong to end it sooner.
                </p>
              </div>
            ))}
            <Halts />
            <PairTable prices={prices} />
          </div>
        )}
      </View>
    </>
  );
}

/** Pairs whose market has moved further than is believed by itself. */
function Awaiting({ prices = [] }: { readonly prices: readonly PriceOfPair[] | undefined }) {
  return prices
    .filter(({ awaitingAcceptance }) => awaitingAcceptance)
    .map(({ pair }) => (
      <div className="callout bad" key={pair}>
        <h2>{pairText(pair)} has no price until somebody accepts one</h2>
        <p>
          What its sources say is too far from what was known.{' '}
          <Way to="/health/$pair" params={{ pair }}>
            See what they say
          </Way>
        </p>
      </div>
    ));
}

function Halts() {
  return (
    <div>
      <h2 className="apart">Halts</h2>
      <div className="filters">
        <Choice
          name="status"
          label="Status"
          options={[
            ['active', 'Active'],
            ['resumed', 'Lifted'],
          ]}
        />
      </div>
      <Listing
        name="Halts"
        filters={['status']}
        read={(query, cursor) => operator.listHalts({ ...query, cursor, limit: 50 } as never)}
        columns={HALTS}
        idOf={({ haltId }) => haltId}
        empty={
          <Empty title="No halts yet">
            <p>A halt stops quotes for a pair, a customer or everyone.</p>
          </Empty>
        }
      />
    </div>
  );
}

function Verdict({
  of: { market, pairs, sources: all, at },
  halted,
  missing,
}: {
  readonly of: MarketHealth;
  readonly halted: number;
  /** Pairs that are quoted, and have no fresh price; undefined where prices may not be seen. */
  readonly missing: number | undefined;
}) {
  const silent = all.filter((source) => moodOfSource(source) === 'bad').length;
  const areAllFresh = pairs.fresh > 0 && (missing ?? pairs.stale + pairs.missing) === 0;
  const isGood = market.state === 'open' && areAllFresh && pairs.halted === 0 && halted === 0 && silent === 0;
  return (
    <section className="card stack" aria-label="Whether prices can be trusted">
      <p className="verdict">
        <Status
          of={
            market.state === 'open'
              ? isGood
                ? 'Prices can be trusted'
                : 'Not every price can be trusted'
              : 'The market is closed'
          }
          mood={isGood ? 'ok' : 'warn'}
        />
        {market.reopensAt !== undefined && (
          <span className="dim">
            Opens <At at={market.reopensAt} />
          </span>
        )}
      </p>
      <dl className="facts">
        <Fact name="Fresh pairs">
          {pairs.fresh} of {pairs.total}
        </Fact>
        <Fact name="Stale pairs">{pairs.stale}</Fact>
        <Fact name="Pairs without a price">{pairs.missing}</Fact>
        {missing !== undefined && <Fact name="Quoted pairs without a fresh price">{missing}</Fact>}
        <Fact name="Halted pairs">{pairs.halted}</Fact>
        <Fact name="Sources that are silent or absent">{silent}</Fact>
        <Fact name="As of">
          <At at={at} full />
        </Fact>
      </dl>
    </section>
  );
}

function sources(prices: readonly PriceOfPair[] | undefined): readonly Column<PriceSourceHealth>[] {
  return [
    { name: 'Source', isText: true, cell: ({ source }) => <Verbatim text={source} /> },
    {
      name: 'State',
      isText: true,
      cell: ({ enabled, state, reason, error }) => (
        <>
          <Status of={enabled ? state : 'switched_off'} mood={moodOfSource({ enabled, state })} />
          {reason !== null && <div className="hint">{reason}</div>}
          {error !== undefined && <div className="hint">{error}</div>}
        </>
      ),
    },
    { name: 'Last price', isNumber: true, cell: ({ ageMs }) => (ageMs === null ? 'never' : ageText(ageMs)) },
    { name: 'Accepted', isNumber: true, cell: ({ accepted }) => accepted },
    {
      name: 'Refused',
      isText: true,
      cell: ({ rejected }) =>
        Object.entries(rejected)
          .filter(([, count]) => count > 0)
          .map(([why, count]) => `${words(why)} ${count}`)
          .join(', ') || '0',
    },
    ...(prices === undefined ? [] : [inUse(prices)]),
    { name: 'Actions', cell: ({ source, enabled }) => <Switch source={source} isOn={enabled} /> },
  ];
}

function inUse(prices: readonly PriceOfPair[]): Column<PriceSourceHealth> {
  return {
    name: 'In use for',
    isText: true,
    cell: ({ source }) => {
      const used = prices.filter(
        ({ bidFrom, askFrom, source: whole }) =>
          bidFrom?.source === source || askFrom?.source === source || whole === source,
      );
      return used.length === 0
        ? 'Nothing'
        : used.length > 4
          ? `${used.length} pairs`
          : used.map(({ pair }) => pair).join(', ');
    },
  };
}

function Switch({ source, isOn }: { readonly source: string; readonly isOn: boolean }) {
  return (
    <>
      <Action
        isOver={!isOn}
        name={`off-${source}`}
        label="Switch off"
        title={`Switch off ${source}`}
        scope="operator:market"
        asks={[{ name: 'reason', label: 'Reason', rows: 2 }]}
        send={({ reason = '' }, { idempotencyKey }) =>
          operator.disableSource(source, { reason: reason.trim() }, { idempotencyKey })
        }
        done="The source is switched off."
      >
        <p>Its prices are no longer used. Pairs without another source have no price.</p>
      </Action>
      <Action
        isOver={isOn}
        name={`on-${source}`}
        label="Switch on"
        title={`Switch on ${source}`}
        scope="operator:market"
        asks={[{ name: 'reason', label: 'Reason', rows: 2 }]}
        send={({ reason = '' }, { idempotencyKey }) =>
          operator.enableSource(source, { reason: reason.trim() }, { idempotencyKey, reason: reason.trim() })
        }
        done="The source is switched on."
      />
    </>
  );
}

const HALTS: readonly Column<Halt>[] = [
  { name: 'Since', cell: ({ haltedAt }) => <At at={haltedAt} /> },
  {
    name: 'What',
    cell: ({ scope, pair, customerId }) =>
      scope === 'all' ? 'The market' : customerId === null ? (pair ?? '') : <CustomerName id={customerId} />,
  },
  { name: 'Reason', isText: true, cell: ({ reason }) => <Verbatim text={reason} /> },
  { name: 'By', cell: ({ haltedBy }) => <Actor id={haltedBy} /> },
  {
    name: 'Lifted',
    isText: true,
    cell: (halt) => (
      <>
        {halt.resumedAt !== null && (
          <>
            <At at={halt.resumedAt} /> <Verbatim text={halt.resumeReason ?? ''} />
          </>
        )}
        <Lift of={halt} />
      </>
    ),
  },
];

function Lift({ of: { haltId, scope, pair, customerId, resumedAt } }: { readonly of: Halt }) {
  return (
    <Action
      name={`lift-${haltId}`}
      isOver={resumedAt !== null}
      label="Lift"
      title="Lift the halt"
      scope="operator:market"
      asks={[{ name: 'reason', label: 'Reason', rows: 2 }]}
      send={({ reason = '' }, { idempotencyKey }) =>
        operator.resumeMarket(
          {
            scope: scope as 'all' | 'pair' | 'customer',
            ...(pair === null ? {} : { pair }),
            ...(customerId === null ? {} : { customerId }),
            reason: reason.trim(),
          },
          { idempotencyKey, reason: reason.trim() },
        )
      }
      done="Quoting has resumed."
    />
  );
}

function HaltMarket() {
  const isAllowed = mayRead(useSession(), 'listCustomers');
  const { customers, seen, search } = useCustomerChoice(undefined, isAllowed);
  return (
    <Action
      name="halt"
      label="Halt"
      title="Halt quotes"
      scope="operator:market"
      asks={[
        {
          name: 'what',
          label: 'Pair, customer, or ALL',
          offers: namesOf(customers),
          read: (text) =>
            text.trim().toUpperCase() === 'ALL' ? 'ALL' : readPair(readCustomer(text, [...seen.values()])),
          check: check(
            /^([A-Z]{6}|ALL|cus_[0-9a-z]{20,40})$/,
            'A pair such as EUR/USD, a customer name or id, or ALL.',
          ),
        },
        {
          name: 'openQuotes',
          label: 'Open quotes',
          options: [
            ['withdraw', 'Withdraw'],
            ['keep', 'Keep until they expire'],
          ],
        },
        { name: 'reason', label: 'Reason', rows: 2 },
      ]}
      send={({ what = '', openQuotes, reason = '' }, { idempotencyKey }) =>
        operator.haltMarket(
          {
            ...(what === 'ALL'
              ? { scope: 'all' as const }
              : what.startsWith('cus_')
                ? { scope: 'customer' as const, customerId: what }
                : { scope: 'pair' as const, pair: what }),
            openQuotes: openQuotes as 'withdraw' | 'keep',
            reason: reason.trim(),
          },
          { idempotencyKey },
        )
      }
      done="The halt is in force."
    >
      <p>It takes effect at once and holds until someone lifts it.</p>
      <CustomerFinder search={search} />
    </Action>
  );
}
