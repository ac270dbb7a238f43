import type { PriceOfPair } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { Choice, type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Status, words } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { ageText, moodOfPrice, stateOfPrice } from './state.ts';

/** A pair with its price, where there is one and it may be seen. */
interface PairRow {
  readonly pair: string;
  readonly enabled: boolean;
  readonly price: PriceOfPair | undefined;
}

/** Each pair that has a price or was set, and the way to its page. */
export function PairTable({ prices }: { readonly prices: readonly PriceOfPair[] | undefined }) {
  const query = useQuery({
    queryKey: ['pair-settings'],
    queryFn: async () => (await operator.listPairSettings()).items,
    refetchInterval: 15_000,
  });
  return (
    <View query={query}>
      {(settings) => {
        const known = new Map([...settings, ...(prices ?? [])].map(({ pair, enabled }) => [pair, enabled]));
        const rows = [...known].map(([pair, enabled]) => ({
          pair,
          enabled,
          price: prices?.find((price) => price.pair === pair),
        }));
        return <Rows rows={rows} seesPrices={prices !== undefined} />;
      }}
    </View>
  );
}

function Rows({ rows, seesPrices }: { readonly rows: readonly PairRow[]; readonly seesPrices: boolean }) {
  const { search } = useFilters();
  const shown = rows.filter(
    ({ pair, price }) =>
      (search.pair === undefined || pair.includes(search.pair.toUpperCase().replace('/', ''))) &&
      (!seesPrices || search.price === undefined || price?.status === search.price),
  );
  return (
    <div>
      <div className="filters">
        <Entry name="pair" label="Pair" />
        {seesPrices && (
          <Choice
            name="price"
            label="Price"
            options={[
              ['fresh', 'Fresh'],
              ['stale', 'Stale'],
              ['missing', 'Missing'],
            ]}
          />
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title="No pair fits these filters" />
      ) : (
        <Table
          label="Pairs"
          items={shown}
          idOf={({ pair }) => pair}
          columns={seesPrices ? [NAME, ...PRICE] : [NAME, QUOTED]}
        />
      )}
    </div>
  );
}

const NAME: Column<PairRow> = {
  name: 'Pair',
  cell: ({ pair }) => (
    <Way to="/health/$pair" params={{ pair }}>
      {pairText(pair)}
    </Way>
  ),
};

const QUOTED: Column<PairRow> = {
  name: 'Quoted',
  cell: ({ enabled }) => <Status of={enabled ? 'quoted' : 'suspended'} mood={enabled ? 'ok' : 'warn'} />,
};

const PRICE: readonly Column<PairRow>[] = [
  {
    name: 'Price',
    cell: ({ price, enabled }) =>
      price === undefined ? (
        <Status of={enabled ? 'missing' : 'suspended'} mood="warn" />
      ) : (
        <Status of={stateOfPrice(price)} mood={moodOfPrice(price)} />
      ),
  },
  { name: 'Bid', isNumber: true, cell: ({ price }) => price?.bid ?? '–' },
  { name: 'Ask', isNumber: true, cell: ({ price }) => price?.ask ?? '–' },
  {
    name: 'Age',
    isNumber: true,
    cell: ({ price }) => (price?.ageMs === undefined ? '–' : ageText(price.ageMs)),
  },
  {
    name: 'From',
    isText: true,
    cell: ({ price }) =>
      price === undefined || price.sources.length === 0
        ? (price?.source ?? '–')
        : price.sources.map((each) => `${each.source} ${words(each.state).toLowerCase()}`).join(', '),
  },
];
