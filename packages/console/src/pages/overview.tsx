import type { PriceSourceHealth, SettlementRun } from '@firmquote/client/operator';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { isRightMissing, operator, type Session } from '../api/session.ts';
import { useWork } from '../frame/navigation.tsx';
import { mayGo } from '../frame/places.ts';
import { useSession } from '../frame/session-context.ts';
import { Fact } from '../parts/facts.tsx';
import { Icon, type Mood } from '../parts/icons.tsx';
import { Table } from '../parts/listing.tsx';
import { Empty, Failure, View } from '../parts/states.tsx';
import { Status, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { moodOfSource } from '../prices/source-mood.ts';
import { FirstDay } from './first-day.tsx';
import { TRANSACTION_COLUMNS } from './transactions.tsx';

const EVERY_MS = 15_000;

/** What needs a person now, and what was done last. */
export function Overview() {
  const session = useSession();
  useTitle('Overview');
  return (
    <>
      <div className="page-head">
        <h1>Overview</h1>
      </div>
      <FirstDay />
      <div className="grid">
        <Attention session={session} />
        <Sources session={session} />
      </div>
      {mayRead(session, 'listAllTransactions') && <Recent />}
    </>
  );
}

interface Need {
  readonly count: number;
  readonly isMore?: boolean;
  readonly what: string;
  readonly mood: Mood;
  readonly to: '/exceptions' | '/approvals' | '/transactions' | '/payments' | '/markets';
  readonly search: Readonly<Record<string, string>>;
}

function Attention({ session }: { readonly session: Session }) {
  const { needs, parts } = useNeeds(session);
  const failed = parts.find(({ error }) => error !== null && !isRightMissing(error));
  const isKnown = failed === undefined && !parts.some(({ isLoading }) => isLoading);
  return (
    <section className="card" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {failed !== undefined && <Failure error={failed.error} again={() => void failed.refetch()} />}
      {needs.length === 0 && failed !== undefined ? null : needs.length === 0 ? (
        <p className={isKnown ? 'chip ok' : 'hint'}>
          {isKnown ? (
            <>
              <Icon name="ok" /> Nothing needs attention.
            </>
          ) : (
            'Loading …'
          )}
        </p>
      ) : (
        <div className="attention">
          {needs.map(({ count, isMore, what, mood, to, search }) => (
            <Way key={what} to={to} search={search}>
              <span className={`chip ${mood}`}>
                <Icon name={mood} />
              </span>
              <b>
                {count}
                {isMore === true && '+'}
              </b>
              {what}
              <span className="go">Open</span>
            </Way>
          ))}
        </div>
      )}
    </section>
  );
}

/** What needs somebody, and the queries that it is put together from. */
function useNeeds(session: Session) {
  const { exceptions, approvals } = useWork(session);
  const work = useQuery({
    queryKey: ['count', 'work'],
    queryFn: () => operator.countTransactionWork().then(({ items }) => items),
    enabled: mayRead(session, 'countTransactionWork'),
    refetchInterval: EVERY_MS,
  });
  const runs = useUnsentRuns(session);
  const prices = usePrices(session);
  const mine = approvals.data ?? { count: 0, isMore: false };
  const halted = prices.data?.filter(({ halts }) => halts.length > 0).length ?? 0;
  const needs: readonly Need[] = [
    ...byType(exceptions.data ?? []).map(
      ([type, count, isMore]): Need => ({
        count,
        isMore,
        what: `${words(type)}, waiting in exceptions`,
        mood: 'warn',
        to: '/exceptions',
        search: { type },
      }),
    ),
    {
      ...mine,
      what: `${one(mine) ? 'Proposal' : 'Proposals'} waiting for you`,
      mood: 'warn',
      to: '/approvals',
      search: { status: 'pending' },
    },
    ...['overdue', 'settlement_failed', 'refund_pending'].map((kind): Need => {
      const { count, isMore } = work.data?.find((each) => each.work === kind) ?? { count: 0, isMore: false };
      return {
        ...{ count, isMore },
        what: `${words(kind)} ${one({ count, isMore }) ? 'transaction' : 'transactions'}`,
        mood: kind === 'settlement_failed' ? 'bad' : 'warn',
        to: '/transactions',
        search: kind === 'refund_pending' ? {} : { status: kind },
      };
    }),
    ...unsentRuns(runs.data),
    {
      count: halted,
      what: `${halted === 1 ? 'Pair' : 'Pairs'} with trading halted`,
      mood: 'bad',
      to: '/markets',
      search: {},
    },
  ];
  const parts: readonly UseQueryResult<unknown>[] = [exceptions, approvals, work, runs, prices];
  const open = needs.filter(({ count, isMore, to }) => (count > 0 || isMore === true) && mayGo(session, to));
  return { needs: open, parts };
}

interface UnsentRuns {
  readonly items: readonly SettlementRun[];
  readonly hasMore: boolean;
}

function useUnsentRuns(session: Session) {
  return useQuery({
    queryKey: ['count', 'runs'],
    queryFn: async (): Promise<UnsentRuns> =>
      operator.listSettlementRuns({ status: ['created'], limit: 200 }),
    enabled: mayRead(session, 'listSettlementRuns'),
    refetchInterval: EVERY_MS,
  });
}

function unsentRuns(runs: UnsentRuns | undefined): Need[] {
  return [true, false].map((isTooLate) => {
    const of = runs?.items.filter(({ sendBefore }) => (sendBefore === null) === isTooLate) ?? [];
    return {
      count: of.length,
      isMore: of.length > 0 && runs?.hasMore === true,
      what: `Settlement ${of.length === 1 ? 'run' : 'runs'} ${isTooLate ? 'too late to send' : 'to send'}`,
      mood: isTooLate ? 'bad' : 'warn',
      to: '/payments',
      search: { status: 'created' },
    };
  });
}

function one({ count, isMore }: { readonly count: number; readonly isMore: boolean }): boolean {
  return count === 1 && !isMore;
}

function byType(
  items: readonly { type: string; count: number; isMore: boolean }[],
): [string, number, boolean][] {
  const found = Object.entries(Object.groupBy(items, ({ type }) => type));
  return found.map(([type, of = []]) => [
    type,
    of.reduce((sum, { count }) => sum + count, 0),
    of.some(({ isMore }) => isMore),
  ]);
}

function usePrices(session: Session) {
  return useQuery({
    queryKey: ['prices', 'all'],
    queryFn: () => operator.listPrices().then(({ items }) => items),
    enabled: mayRead(session, 'listPrices'),
    refetchInterval: EVERY_MS,
  });
}

function Sources({ session }: { readonly session: Session }) {
  const isAllowed = mayRead(session, 'getMarketHealth');
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => operator.getMarketHealth(),
    enabled: isAllowed,
    refetchInterval: EVERY_MS,
  });
  if (!isAllowed) return null;
  return (
    <section className="card" aria-labelledby="sources">
      <h2 id="sources">Prices</h2>
      <View query={health}>
        {({ pairs, sources, market }) => (
          <dl className="facts">
            <Fact name="Market">{words(market.state)}</Fact>
            <Fact name="Pairs with a fresh price">
              {pairs.fresh} of {pairs.total}
            </Fact>
            {sources.map((source) => (
              <Fact key={source.source} name={`Source ${source.source}`}>
                <SourceState of={source} />
              </Fact>
            ))}
          </dl>
        )}
      </View>
    </section>
  );
}

function SourceState({ of }: { readonly of: PriceSourceHealth }) {
  const mood = moodOfSource(of);
  if (!of.enabled) return <Status of="Switched off" mood={mood} />;
  // Others push to it when they like: it runs, and has nothing yet.
  if (mood === 'ok' && of.lastTickAt === null) return <Status of="No price yet" mood="idle" />;
  return <Status of={of.state} mood={mood} />;
}

function Recent() {
  const query = useQuery({
    queryKey: ['recent'],
    queryFn: async () => (await operator.listAllTransactions({ limit: 10 })).items,
    refetchInterval: EVERY_MS,
  });
  return (
    <div style={{ marginTop: 24 }}>
      <div className="page-head">
        <h2>Recent executions</h2>
      </div>
      <View query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No trades yet">
              <p>Open a ticket from a price, or let a customer execute a quote.</p>
              <Way className="button" to="/markets" instead={null}>
                Go to the markets
              </Way>
            </Empty>
          ) : (
            <Table
              label="Recent executions"
              columns={TRANSACTION_COLUMNS}
              items={items}
              idOf={({ transactionId }) => transactionId}
            />
          )
        }
      </View>
    </div>
  );
}
