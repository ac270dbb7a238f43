import type { ChangeLine } from './change.tsx';

/** Rows of a document that are set and taken away as a whole. */

/** By row, what it would be; null: it is taken away. */
export type RowEdits<Row> = Readonly<Record<string, Row | null>>;

export interface EditedRow<Row> {
  readonly key: string;
  /** Undefined: it comes with the change. */
  readonly before: Row | undefined;
  /** Undefined: it goes with the change. */
  readonly after: Row | undefined;
}

/** @param keyOf what stays the same of a row whatever else of it is set */
export function editedRows<Row>(
  rows: readonly Row[],
  edits: RowEdits<Row>,
  keyOf: (row: Row) => string,
): readonly EditedRow<Row>[] {
  const known = new Set<string>();
  const kept = rows.map((before): EditedRow<Row> => {
    const key = keyOf(before);
    // Of two rows with one key only the first is edited: the other one goes back as it came.
    const isTwin = known.has(key);
    known.add(key);
    const edited = isTwin ? undefined : edits[key];
    return { key: isTwin ? `${key}#${known.size}` : key, before, after: afterOf(before, edited) };
  });
  const added = Object.entries(edits).flatMap(([key, row]) =>
    row === null || known.has(key) ? [] : [{ key, before: undefined, after: row }],
  );
  return [...kept, ...added];
}

/** The rows of a document as it was and as it is; of several with one key each goes with the one at the same place. */
export function rowsBetween<Row>(
  former: readonly Row[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly EditedRow<Row>[] {
  const [was, is] = [Map.groupBy(former, keyOf), Map.groupBy(rows, keyOf)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [before = [], after = []] = [was.get(key), is.get(key)];
    return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
      return { key: `${key}#${at}`, before: before[at], after: after[at] };
    });
  });
}

function afterOf<Row>(before: Row, edited: Row | null | undefined): Row | undefined {
  return edited === null ? undefined : (edited ?? before);
}

export function rowsAfter<Row>(rows: readonly EditedRow<Row>[]): readonly Row[] {
  return rows.flatMap(({ after }) => (after === undefined ? [] : [after]));
}

/** @param said all of a row that may be set, in words */
export function linesOfRows<Row>(
  rows: readonly EditedRow<Row>[],
  nameOf: (row: Row) => string,
  said: (row: Row) => string,
): readonly ChangeLine[] {
  return rows.flatMap(({ before, after }) => {
    const row = before ?? after;
    const line = { before: before && said(before), after: after && said(after) };
    return row === undefined || line.before === line.after ? [] : [{ what: nameOf(row), ...line }];
  });
}
