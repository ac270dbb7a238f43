import type { Customer } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { mayRead } from '../api/rights.ts';
import { business, operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { pairText } from '../money/amount.ts';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { words } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { conditionsOf, type EffectiveSpread, effectiveSpread, originOf } from './rules.ts';

/** Whom no rule of a customer's own is for. */
const NOBODY = { customerId: '', groupName: null };

/** The same for any customer, or for one without rules of its own. */
export function SpreadsOfCustomer() {
  const { search } = useFilters();
  // Which group a customer is in takes the customer.
  const mayChoose = mayRead(useSession(), 'getCustomer');
  const customerId = mayChoose ? (search.customer ?? '') : '';
  const query = useQuery({
    queryKey: ['customer', customerId],
    queryFn: async () => (customerId === '' ? NOBODY : operator.getCustomer(customerId)),
  });
  return (
    <div className="stack">
      {mayChoose && (
        <div className="filters">
          <CustomerChoice name="customer" all="Any customer" />
        </div>
      )}
      {customerId === '' && <p className="hint">For a customer with no rules of its own and no group.</p>}
      <View query={query}>{(customer) => <EffectiveSpreads of={customer} />}</View>
    </div>
  );
}

/** What a customer's spread is for each pair, and which rule makes it. */
export function EffectiveSpreads({ of }: { readonly of: Pick<Customer, 'customerId' | 'groupName'> }) {
  const query = useQuery({
    queryKey: ['effective', of.customerId],
    queryFn: async () => {
      const [rules, prices] = await Promise.all([operator.getSpreadRules(), operator.listPrices()]);
      return { rules: rules.rules, pairs: prices.items.map(({ pair }) => pair) };
    },
    refetchInterval: 30_000,
  });
  return (
    <View query={query}>
      {({ rules, pairs }) => {
        if (pairs.length === 0)
          return (
            <Empty title="No pair is priced">
              <p>Spreads appear once a source sends prices.</p>
            </Empty>
          );
        return (
          <div className="stack">
            <Table
              label="Effective spreads"
              items={pairs.map((pair) => effectiveSpread(rules, of, pair, business.now()))}
              idOf={({ pair }) => pair}
              columns={COLUMNS}
            />
            {of.customerId !== '' && (
              <p>
                <Way to="/spreads" search={{ customer: of.customerId }}>
                  See the rules, and preview a change to this customer’s price
                </Way>
              </p>
            )}
          </div>
        );
      }}
    </View>
  );
}

const COLUMNS = [
  { name: 'Pair', cell: ({ pair }: EffectiveSpread) => pairText(pair) },
  {
    name: 'Spread bps',
    isNumber: true,
    cell: ({ standing }: EffectiveSpread) => standing?.spreadBps ?? 'None: it is not priced',
  },
  {
    name: 'Comes from',
    cell: ({ standing }: EffectiveSpread) =>
      standing === undefined ? '–' : `The rule for ${describe(originOf(standing))}`,
  },
  {
    name: 'Instead of',
    isText: true,
    cell: ({ outdone }: EffectiveSpread) =>
      outdone.map((rule) => `${words(originOf(rule))} ${rule.spreadBps}`).join(', ') || '–',
  },
  {
    name: 'Other spreads',
    isText: true,
    cell: ({ special }: EffectiveSpread) =>
      special.map((rule) => `${rule.spreadBps} ${conditionsOf(rule)}`).join('; ') || '–',
  },
];

function describe(origin: string): string {
  return origin === 'everybody' ? origin : `this ${origin}`;
}
