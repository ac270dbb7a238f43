import type { StatementMapping } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { type Given, versionTag } from '../parts/action.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { TryMapping } from './file-preview.tsx';
import { DELETE_MAPPING, mappingOf, setMapping } from './mapping-commands.ts';

/** How banks write their CSV files. */
export function useMappings() {
  return useQuery({
    queryKey: ['statement-mappings'],
    queryFn: async () => (await operator.listStatementMappings()).items,
    refetchInterval: 15_000,
  });
}

export function Mappings() {
  const mayChange = may(useSession(), 'operator:statements');
  const query = useMappings();
  return (
    <div className="stack">
      <p className="hint">
        A CSV file is read by the mapping that its import names, or by the only one whose file names it fits.
      </p>
      <View query={query}>
        {(items) => (
          <>
            {mayChange && (
              <div className="actions">
                <CommandAction
                  name="mapping"
                  command={setMapping(
                    undefined,
                    items.map(({ name }) => name),
                  )}
                  subject={undefined}
                  ids={[]}
                  isPossible
                  below={tryIt}
                />
              </div>
            )}
            {items.length === 0 ? (
              <Empty title="No mappings yet">
                <p>Without one, CSV files are refused.</p>
              </Empty>
            ) : (
              <Table
                label="CSV mappings"
                items={items}
                idOf={({ name }) => name}
                columns={mayChange ? [...COLUMNS, WORK] : COLUMNS}
              />
            )}
          </>
        )}
      </View>
    </div>
  );
}

const tryIt = (given: Given) => <TryMapping mapping={mappingOf(given)} />;

const COLUMNS: readonly Column<StatementMapping>[] = [
  { name: 'Name', isText: true, cell: ({ name }) => <b>{name}</b> },
  {
    name: 'Files',
    isText: true,
    cell: ({ mapping }) =>
      mapping.fileNames === undefined ? (
        'Named at the import'
      ) : (
        <Verbatim text={mapping.fileNames.join(', ')} />
      ),
  },
  {
    name: 'Account',
    isText: true,
    cell: ({ mapping: { account, currency } }) =>
      `${account ?? 'In a column'}, ${currency ?? 'currency in a column'}`,
  },
  { name: 'Dates', cell: ({ mapping }) => mapping.dateFormat },
  { name: 'Changed', cell: ({ updatedAt }) => <At at={updatedAt} /> },
];

const WORK: Column<StatementMapping> = {
  name: 'Actions',
  cell: (mapping) => (
    <span className="actions">
      <CommandAction
        name={`mapping-${mapping.name}`}
        command={setMapping(mapping, [])}
        subject={undefined}
        ids={[mapping.name]}
        isPossible
        version={versionTag(mapping.version)}
        below={tryIt}
        title={`Change the mapping ${mapping.name}`}
      />
      <CommandAction
        name={`delete-${mapping.name}`}
        command={DELETE_MAPPING}
        subject={undefined}
        ids={[mapping.name]}
        isPossible
        title={`Delete the mapping ${mapping.name}`}
      />
    </span>
  ),
};
