import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useLink } from '../frame/badges.tsx';
import { useSession } from '../frame/session-context.ts';
import { pairText } from '../money/amount.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { useCustomerChoice } from '../parts/customers.ts';
import { Choice, useFilters } from '../parts/listing.tsx';
import { Empty, stateOf } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { STREAMED_MAX, usePairsQuery } from '../prices/pairs.ts';
import { prices } from '../prices/store.ts';
import { Tile } from './tile.tsx';

/** Live prices of the market, a tile each. */
export function Markets() {
  const quoted = usePairsQuery();
  const all = stateOf(quoted) === undefined ? quoted.data : undefined;
  const pairs = all?.slice(0, STREAMED_MAX);
  const { search, go } = useFilters();
  const { isPaused } = useLink();
  useTitle('Markets');
  const halts = useQuery({
    queryKey: ['halts'],
    queryFn: () => operator.listPrices().then(({ items }) => new Map(items.map((item) => [item.pair, item]))),
    refetchInterval: 10_000,
  });
  const mayDeal = may(useSession(), 'operator:trades');
  const { chosen } = useCustomerChoice(search.customer, mayDeal);
  const theirs = useCustomerPrices(chosen?.customerId, isPaused ? undefined : pairs);
  const shown = pairs?.filter(
    (pair) =>
      (search.pair === undefined || pair === search.pair) &&
      (search.currency === undefined || pair.includes(search.currency)),
  );
  return (
    <>
      <Head mayDeal={mayDeal} />
      <Filters pairs={pairs ?? []} mayDeal={mayDeal} />
      <Notices pairCount={all?.length ?? 0} />
      {shown === undefined ? (
        stateOf(quoted)
      ) : shown.length === 0 ? (
        <Empty title="No pair is quoted">
          <p>No price source covers your selection.</p>
        </Empty>
      ) : (
        <div className="tiles">
          {shown.map((pair) => (
            <Tile
              key={pair}
              pair={pair}
              theirs={chosen && { name: chosen.name, price: theirs.get(pair) }}
              source={halts.data?.get(pair)?.source}
              onDeal={
                mayDeal
                  ? // Whose price was pressed is whose trade it is.
                    (side) => go({ ticket: 'new', for: search.customer ?? search.for, deal: pair, side })
                  : undefined
              }
            />
          ))}
        </div>
      )}
    </>
  );
}

function Head({ mayDeal }: { readonly mayDeal: boolean }) {
  const { go } = useFilters();
  const { isPaused } = useLink();
  return (
    <div className="page-head">
      <h1>Markets</h1>
      <button
        type="button"
        className="button"
        aria-pressed={isPaused}
        onClick={() => prices.pause(!isPaused)}
      >
        {isPaused ? 'Resume prices' : 'Pause prices'} <kbd>P</kbd>
      </button>
      {mayDeal && (
        <button type="button" className="button first" onClick={() => go({ ticket: 'new' })}>
          New ticket
        </button>
      )}
    </div>
  );
}

/** Which pairs are shown, and with whose prices, for those who deal for customers. */
function Filters({ pairs, mayDeal }: { readonly pairs: readonly string[]; readonly mayDeal: boolean }) {
  const { search, set } = useFilters();
  const currencies = [...new Set(pairs.flatMap((pair) => [pair.slice(0, 3), pair.slice(3)]))].sort();
  return (
    <div className="filters">
      <Choice name="currency" label="Currency" options={currencies.map((code) => [code, code])} />
      {mayDeal && <CustomerChoice name="customer" label="Prices for" />}
      {search.pair !== undefined && (
        <button type="button" className="button" onClick={() => set({ pair: undefined })}>
          Only {pairText(search.pair)} ✕
        </button>
      )}
    </div>
  );
}

/** What keeps prices from being all of them, and as they are now. */
function Notices({ pairCount }: { readonly pairCount: number }) {
  const { isPaused, market, problem } = useLink();
  return (
    <>
      {isPaused && <p className="callout warn">Prices are paused. The market keeps moving.</p>}
      {problem !== undefined && <p className="callout bad">{problem}</p>}
      {market === 'closed' && <p className="callout warn">The market is closed.</p>}
      {pairCount > STREAMED_MAX && (
        <p className="hint" style={{ marginBottom: 12 }}>
          The first {STREAMED_MAX} of {pairCount} pairs, majors first. The ticket has the others.
        </p>
      )}
    </>
  );
}

const CUSTOMER_PRICES_EVERY_MS = 1_000;

/** What the chosen customer would see: nothing while that is not known, or cannot be read any more. */
function useCustomerPrices(customerId: string | undefined, pairs: readonly string[] | undefined) {
  const { data, isError } = useQuery({
    queryKey: ['customer-prices', customerId, pairs],
    queryFn: async () => (await operator.listCustomerPrices(customerId ?? '', { pairs: pairs ?? [] })).items,
    enabled: customerId !== undefined && pairs !== undefined && pairs.length > 0,
    refetchInterval: CUSTOMER_PRICES_EVERY_MS,
    // With other pairs they stand; another customer has others.
    placeholderData: (before, query) => (query?.queryKey[1] === customerId ? before : undefined),
  });
  const items = customerId === undefined || isError ? [] : (data ?? []);
  return new Map(items.map((item) => [item.pair as string, item]));
}
