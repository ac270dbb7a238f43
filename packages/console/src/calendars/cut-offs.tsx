import type { CutOff } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { versionTag } from '../parts/action.tsx';
import { Actor } from '../parts/actor.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { OfCurrency } from '../parts/of-currency.tsx';
import { View } from '../parts/states.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { SET_CUT_OFF } from './cut-off-command.ts';

/** Until when a currency settles on the same day. */
export function CutOffs() {
  const mayChange = may(useSession(), 'operator:calendars');
  const query = useQuery({
    queryKey: ['cut-offs'],
    queryFn: async () => (await operator.listCutOffs()).items,
    refetchInterval: 15_000,
  });
  return (
    <View query={query}>
      {(items) => {
        const zones = [...new Set(items.map(({ zone }) => zone))].sort();
        return (
          <OfCurrency items={items}>
            {(shown) => (
              <Table
                label="Cut-offs"
                items={shown}
                idOf={({ currency }) => currency}
                columns={mayChange ? [...COLUMNS, working(zones)] : COLUMNS}
              />
            )}
          </OfCurrency>
        );
      }}
    </View>
  );
}

const COLUMNS: readonly Column<CutOff>[] = [
  { name: 'Currency', cell: ({ currency }) => <b>{currency}</b> },
  { name: 'Cut-off', cell: ({ time, zone }) => `${time} ${zone}` },
  { name: 'Of this trade date', cell: ({ cutOffAt }) => <At at={cutOffAt} /> },
  {
    name: 'Source',
    isText: true,
    cell: ({ source }) => (source === null ? '–' : <Verbatim text={source} />),
  },
  {
    name: 'Set by',
    isText: true,
    cell: ({ lastChange }) =>
      lastChange === null ? (
        'Built in'
      ) : (
        <>
          <Actor id={lastChange.changedBy} />, <At at={lastChange.changedAt} />:{' '}
          <Verbatim text={lastChange.reason} />
        </>
      ),
  },
];

function working(zones: readonly string[]): Column<CutOff> {
  return {
    name: 'Actions',
    cell: (cutOff) => (
      <CommandAction
        name={`cut-off-${cutOff.currency}`}
        command={SET_CUT_OFF}
        subject={{ of: cutOff, zones }}
        ids={[cutOff.currency]}
        isPossible
        version={versionTag(cutOff.version)}
        title={`Change the cut-off of ${cutOff.currency}`}
      />
    ),
  };
}
