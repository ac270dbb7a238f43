import type { CutOff, CutOffVersion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { versionTag } from '../parts/action.tsx';
import { Actor } from '../parts/actor.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Listing, Table, useFilters } from '../parts/listing.tsx';
import { OfCurrency } from '../parts/of-currency.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { SET_CUT_OFF } from './cut-off-command.ts';

/** Until when a currency settles on the same day. */
export function CutOffs() {
  const mayChange = may(useSession(), 'operator:calendars');
  const { search, set } = useFilters();
  const query = useQuery({
    queryKey: ['cut-offs'],
    queryFn: async () => (await operator.listCutOffs()).items,
    refetchInterval: 15_000,
  });
  return (
    <>
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
      {search.history !== undefined && (
        <History key={search.history} currency={search.history} onClose={() => set({ history: undefined })} />
      )}
    </>
  );
}

/** What the cut-off of a currency was, and who has set it. */
function History({ currency, onClose }: { readonly currency: string; readonly onClose: () => void }) {
  return (
    <section className="card stack apart" aria-label={`Cut-offs of ${currency} so far`}>
      <h2>Cut-offs of {currency} so far</h2>
      <Listing
        name={`Versions of ${currency}`}
        about={currency}
        filters={[]}
        read={(_, cursor) => operator.listCutOffVersions(currency, { cursor, limit: 20 })}
        columns={VERSIONS}
        idOf={({ version }) => `${version}`}
        empty={<Empty title="Nobody has set it: it is built in" />}
      />
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Close the history
        </button>
      </div>
    </section>
  );
}

const VERSIONS: readonly Column<CutOffVersion>[] = [
  { name: 'Version', isNumber: true, cell: ({ version }) => version },
  { name: 'Cut-off', cell: ({ time, zone }) => `${time} ${zone}` },
  { name: 'Source', isText: true, cell: ({ source }) => <Verbatim text={source} /> },
  { name: 'Set by', isText: true, cell: (change) => <SetBy of={change} /> },
];

function SetBy({
  of: { changedBy, changedAt, reason },
}: {
  readonly of: Pick<CutOffVersion, 'changedBy' | 'changedAt' | 'reason'>;
}) {
  return (
    <>
      <Actor id={changedBy} />, <At at={changedAt} />: <Verbatim text={reason} />
    </>
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
    cell: ({ currency, lastChange }) =>
      lastChange === null ? (
        'Built in'
      ) : (
        <>
          <SetBy of={lastChange} />{' '}
          <Link to="." search={((before: object) => ({ ...before, history: currency })) as never}>
            History<span className="hidden"> of {currency}</span>
          </Link>
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
