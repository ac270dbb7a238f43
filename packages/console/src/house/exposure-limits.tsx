import type { ExposureLimits as Document, ExposureLimitsVersion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { decimalsOf, formatAmount } from '../money/amount.ts';
import { Action } from '../parts/action.tsx';
import { CellField } from '../parts/cell-field.tsx';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { type Column, Table } from '../parts/listing.tsx';
import { CURRENCY_ASKED, text } from '../parts/page-command.ts';
import { SendChange } from '../parts/send-change.tsx';
import { View } from '../parts/states.tsx';
import { Versions } from '../parts/versions.tsx';
import { Way } from '../parts/way.tsx';
import {
  changeOf,
  type ExposureEdit,
  type ExposureEdits,
  type ExposureRow,
  linesOfVersion,
} from './exposure.ts';
import { SENT, written } from './limit-edits.ts';

interface Read {
  readonly limits: Document;
  readonly tag: string;
}

/** How long and short the house may be, and what it has dealt elsewhere. */
export function ExposureLimits() {
  const query = useQuery({
    queryKey: ['exposure-limits'],
    queryFn: async (): Promise<Read> => {
      const { data, etag } = await operator.getExposureLimits().withResponse();
      return { limits: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <p className="hint">
        A trade that would take a position beyond a limit is refused. A position that is beyond it already
        stays. An empty limit is none, and a hedge by which the house is short has a minus.{' '}
        <Way to="/positions">See what is used</Way>
      </p>
      <View query={query}>{(read) => <Rows read={read} />}</View>
      <Versions<ExposureLimitsVersion>
        name="exposure"
        label="Limits of the exposure"
        list={(query) => operator.listExposureLimitVersions(query)}
        linesOf={linesOfVersion}
      />
    </div>
  );
}

function Rows({ read: { limits, tag } }: { readonly read: Read }) {
  const mayChange = may(useSession(), 'operator:limits');
  const [edits, edit] = useEdits<ExposureEdits>('exposure-limits', {});
  const change = changeOf(limits, edits);
  const isShown = useIsShown(change.lines.length + change.wrong.length > 0, 'exposure');
  const set = (key: string, written: ExposureEdit) =>
    edit({ ...edits, [key]: { ...edits[key], ...written } });
  return (
    <>
      {mayChange && (
        <div className="actions">
          <Action
            name="currency"
            label="Add a currency"
            action="Add it to the table"
            scope="operator:limits"
            asks={[CURRENCY_ASKED]}
            send={async ({ currency }) => set(text(currency), {})}
            done="It is in the table. Nothing is sent yet."
          />
        </div>
      )}
      <Table
        label="Limits of the exposure"
        items={change.rows}
        idOf={({ key }) => key}
        columns={mayChange ? [...COLUMNS, ...editing(edits, set)] : COLUMNS}
      />
      {isShown && (
        <SendChange
          name="exposure"
          change={change}
          version={tag}
          send={(document, options) => operator.setExposureLimits(document, options)}
          {...SENT}
          onDrop={() => edit({})}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<ExposureRow>[] = [
  { name: 'Position in', isText: true, cell: ({ name }) => name },
  {
    name: 'At most, USD',
    isNumber: true,
    cell: ({ limit, currency }) =>
      limit !== null ? formatAmount(limit) : currency === undefined ? 'No limit' : 'No limit of its own',
  },
  {
    name: 'Hedged elsewhere',
    isNumber: true,
    cell: ({ hedge, currency }) => (hedge === null ? '–' : `${formatAmount(hedge)} ${currency}`),
  },
];

function editing(
  edits: ExposureEdits,
  set: (key: string, written: ExposureEdit) => void,
): readonly Column<ExposureRow>[] {
  return [
    {
      name: 'New limit, USD',
      cell: (row) => (
        <CellField
          label={`New limit in USD, ${row.name}`}
          value={written(edits[row.key]?.limit, row.limit)}
          isWrong={!row.newLimit.ok}
          onChange={(limit) => set(row.key, { limit })}
        />
      ),
    },
    {
      name: 'New hedge',
      cell: (row) =>
        row.currency === undefined ? (
          '–'
        ) : (
          <CellField
            label={`New hedge, ${row.name}`}
            placeholder="- when short"
            value={written(edits[row.key]?.hedge, row.hedge, decimalsOf(row.currency))}
            isWrong={!row.newHedge.ok}
            onChange={(hedge) => set(row.key, { hedge })}
          />
        ),
    },
  ];
}
