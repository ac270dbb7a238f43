import { CellField } from './cell-field.tsx';
import { type Column, Table } from './listing.tsx';
import { type SettingEdits, type SettingRow, said } from './setting-rows.ts';

/** Settings in rows: what is in force and, for those who may change it, a field for what would be. */
export function SettingsTable({
  label,
  rows,
  edits,
  edit,
}: {
  readonly label: string;
  readonly rows: readonly SettingRow[];
  readonly edits: SettingEdits;
  /** Undefined: they are only read. */
  readonly edit: ((edits: SettingEdits) => void) | undefined;
}) {
  return (
    <Table
      label={label}
      items={rows}
      idOf={({ key }) => key}
      columns={edit === undefined ? COLUMNS : [...COLUMNS, editing(edits, edit)]}
    />
  );
}

const COLUMNS: readonly Column<SettingRow>[] = [
  { name: 'Setting', isText: true, cell: ({ name }) => name },
  { name: 'Now', isText: true, cell: (row) => said(row, row.before) },
];

function editing(edits: SettingEdits, edit: (edits: SettingEdits) => void): Column<SettingRow> {
  return {
    name: 'New',
    cell: (row) => (
      <NewValue row={row} text={edits[row.key]} set={(text) => edit({ ...edits, [row.key]: text })} />
    ),
  };
}

function NewValue({
  row: { name, unit = '', isText, options, entered, wrong },
  text = entered,
  set,
}: {
  readonly row: SettingRow;
  readonly text: string | undefined;
  readonly set: (text: string) => void;
}) {
  const label = `New: ${name}`;
  if (options !== undefined)
    return (
      <select className="needs" aria-label={label} value={text} onChange={({ target }) => set(target.value)}>
        {options.map(([code, words]) => (
          <option key={code} value={code}>
            {words}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <CellField
        label={unit === '' ? label : `${label}, ${unit}`}
        value={text}
        isWrong={wrong !== undefined}
        className={isText === true ? 'bps name' : 'bps usd'}
        onChange={set}
      />{' '}
      {unit}
    </>
  );
}
