import { Action, type Asked, type Given } from './action.tsx';
import { type Column, Table } from './listing.tsx';
import type { EditedRow, RowEdits } from './row-edits.ts';
import { Empty } from './states.tsx';
import { Verbatim } from './text.tsx';

/** How the rows of a document are shown, and asked for. */
export interface RowsForm<Row> {
  /** Names its forms in the address. */
  readonly name: string;
  readonly label: string;
  readonly empty: string;
  /** On the button that adds one. */
  readonly add: string;
  readonly scope: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** What tells it from others, aloud and in a change. */
  readonly nameOf: (row: Row) => string;
  /** What may be set of it, in words. */
  readonly said: (row: Row) => string;
  /** @param row undefined: what a new one is asked for */
  readonly asks: (row: Row | undefined) => readonly Asked[];
  readonly read: (given: Given, row: Row | undefined) => Row;
}

/** Rows as they are and as they would be; nothing is sent before the change is. */
export function RowsTable<Row>({
  form,
  rows,
  edits,
  edit,
}: {
  readonly form: RowsForm<Row>;
  readonly rows: readonly EditedRow<Row>[];
  readonly edits: RowEdits<Row>;
  /** Undefined: they are only read. */
  readonly edit: ((edits: RowEdits<Row>) => void) | undefined;
}) {
  const columns = form.columns.map(
    (column): Column<EditedRow<Row>> => ({
      ...column,
      cell: ({ before, after }) => {
        const row = before ?? after;
        return row === undefined ? null : column.cell(row);
      },
    }),
  );
  return (
    <div className="stack">
      <h2 className="apart">{form.label}</h2>
      {edit !== undefined && (
        <div className="actions">
          <SetRow form={form} row={undefined} onSet={(key, row) => edit({ ...edits, [key]: row })} />
        </div>
      )}
      {rows.length === 0 ? (
        <Empty title={form.empty} />
      ) : (
        <Table
          label={form.label}
          items={rows}
          idOf={({ key }) => key}
          columns={edit === undefined ? columns : [...columns, ...editing(form, edits, edit)]}
        />
      )}
    </div>
  );
}

function editing<Row>(
  form: RowsForm<Row>,
  edits: RowEdits<Row>,
  edit: (edits: RowEdits<Row>) => void,
): readonly Column<EditedRow<Row>>[] {
  return [
    {
      name: 'New',
      isText: true,
      cell: ({ before, after }) => {
        if (before === after) return '–';
        return after === undefined ? <del>Removed</del> : <Verbatim text={form.said(after)} />;
      },
    },
    {
      name: 'Actions',
      cell: ({ key, before, after }) => (
        <span className="actions">
          {after !== undefined && (
            <SetRow form={form} row={after} onSet={(_, row) => edit({ ...edits, [key]: row })} />
          )}
          <RemoveRow
            name={form.nameOf((before ?? after) as Row)}
            isRemoved={after === undefined}
            onPress={() => {
              const { [key]: _, ...others } = edits;
              // What is new is gone at once, and what is kept is as it was.
              edit(before === undefined || after === undefined ? others : { ...edits, [key]: null });
            }}
          />
        </span>
      ),
    },
  ];
}

function RemoveRow({
  name,
  isRemoved,
  onPress,
}: {
  readonly name: string;
  readonly isRemoved: boolean;
  readonly onPress: () => void;
}) {
  const label = isRemoved ? 'Keep' : 'Remove';
  return (
    <button type="button" className="button" aria-label={`${label}, ${name}`} onClick={onPress}>
      {label}
    </button>
  );
}

function SetRow<Row>({
  form,
  row,
  onSet,
}: {
  readonly form: RowsForm<Row>;
  readonly row: Row | undefined;
  readonly onSet: (key: string, row: Row) => void;
}) {
  const isNew = row === undefined;
  return (
    <Action
      name={isNew ? form.name : `${form.name}-${form.keyOf(row)}`}
      label={isNew ? form.add : 'Change'}
      title={isNew ? form.add : `Change ${form.nameOf(row)}`}
      action="Add to the change"
      scope={form.scope}
      asks={form.asks(row)}
      send={async (given) => {
        const set = form.read(given, row);
        onSet(form.keyOf(set), set);
      }}
      done="It is in the change below. Nothing is sent yet."
    />
  );
}
