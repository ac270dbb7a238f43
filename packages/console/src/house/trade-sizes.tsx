import type { AmountLimits, AmountLimitsVersion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { formatAmount } from '../money/amount.ts';
import { Action } from '../parts/action.tsx';
import { CellField } from '../parts/cell-field.tsx';
import { CustomerFinder } from '../parts/customer-finder.tsx';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { SendChange } from '../parts/send-change.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Versions } from '../parts/versions.tsx';
import { reachOf, useReachAsked } from '../spreads/reach-asked.ts';
import { REACH } from '../spreads/rule-table.tsx';
import { reachText, type Target } from '../spreads/rules.ts';
import { SENT, written } from './limit-edits.ts';
import { changeOf, keyOf, linesOfVersion, type Side, type SizeEdits, type SizeRow } from './trade-sizes.ts';

/** So many rows a page holds well; a house may have thousands. */
const SHOWN_MAX = 200;

interface Read {
  readonly limits: AmountLimits;
  readonly tag: string;
}

/** How small and how large one trade may be. */
export function TradeSizes() {
  const query = useQuery({
    queryKey: ['amount-limits'],
    queryFn: async (): Promise<Read> => {
      const { data, etag } = await operator.getAmountLimits().withResponse();
      return { limits: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <p className="hint">
        What one trade must and may be worth, in USD at the mid. The smallest and the largest each come from
        the most specific row that has one: customer before group before everybody. A row without either is
        taken away.
      </p>
      <View query={query}>{(read) => <Rows read={read} />}</View>
      <Versions<AmountLimitsVersion>
        name="sizes"
        label="Sizes of trades"
        list={(query) => operator.listAmountLimitVersions(query)}
        linesOf={linesOfVersion}
      />
    </div>
  );
}

function Rows({ read: { limits, tag } }: { readonly read: Read }) {
  const mayChange = may(useSession(), 'operator:limits');
  const { search } = useFilters();
  const [edits, edit] = useEdits<SizeEdits>('amount-limits', {});
  const change = changeOf(limits.limits, edits);
  const isShown = useIsShown(change.lines.length + change.wrong.length > 0, 'sizes');
  const set = ({ customerId, groupName, pair }: Target, more: Partial<Record<Side, string>>) => {
    const key = keyOf({ customerId, groupName, pair });
    edit({ ...edits, [key]: { customerId, groupName, pair, ...edits[key], ...more } });
  };
  const about = search.about?.toLowerCase() ?? '';
  const found = change.rows.filter((row) => reachText(row).toLowerCase().includes(about));
  return (
    <>
      <div className="filters">
        <Entry name="about" label="Customer id, group or pair" />
        {mayChange && <AddLimit onAdd={(target) => set(target, {})} />}
      </div>
      {found.length === 0 ? (
        <Empty title={about === '' ? 'No limits on the size of a trade' : 'Nothing fits these filters'} />
      ) : (
        <Table
          label="Sizes of trades"
          items={found.slice(0, SHOWN_MAX)}
          idOf={keyOf}
          columns={mayChange ? [...COLUMNS, ...editing(edits, set)] : COLUMNS}
        />
      )}
      {found.length > SHOWN_MAX && (
        <p className="hint">
          The first {SHOWN_MAX} of {found.length}. Name a customer, a group or a pair to see others.
        </p>
      )}
      {isShown && (
        <SendChange
          name="sizes"
          change={change}
          version={tag}
          send={(document, options) => operator.setAmountLimits(document, options)}
          {...SENT}
          onDrop={() => edit({})}
        />
      )}
    </>
  );
}

const said = (amount: string | null) => (amount === null ? '–' : formatAmount(amount));

const COLUMNS: readonly Column<SizeRow>[] = [
  ...REACH,
  { name: 'Smallest, USD', isNumber: true, cell: ({ minimum }) => said(minimum) },
  { name: 'Largest, USD', isNumber: true, cell: ({ maximum }) => said(maximum) },
];

function editing(
  edits: SizeEdits,
  set: (target: Target, written: Partial<Record<Side, string>>) => void,
): readonly Column<SizeRow>[] {
  return [
    {
      name: 'New smallest',
      cell: (row) => (
        <CellField
          label={`New smallest in USD, ${reachText(row)}`}
          value={written(edits[keyOf(row)]?.minimum, row.minimum)}
          isWrong={!row.newMinimum.ok}
          onChange={(minimum) => set(row, { minimum })}
        />
      ),
    },
    {
      name: 'New largest',
      cell: (row) => (
        <CellField
          label={`New largest in USD, ${reachText(row)}`}
          value={written(edits[keyOf(row)]?.maximum, row.maximum)}
          isWrong={!row.newMaximum.ok}
          onChange={(maximum) => set(row, { maximum })}
        />
      ),
    },
  ];
}

/** A row that comes with the change; nothing is sent before that is. */
function AddLimit({ onAdd }: { readonly onAdd: (target: Target) => void }) {
  const { asks, search } = useReachAsked();
  return (
    <Action
      name="size"
      label="Add a row"
      action="Add it to the table"
      scope="operator:limits"
      asks={asks}
      send={async (given) => onAdd(reachOf(given))}
      done="It is in the table. Nothing is sent yet."
    >
      <CustomerFinder search={search} />
    </Action>
  );
}
