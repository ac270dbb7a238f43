/** One column of a row that changed: what stood there, and what stands there now. */
export interface Difference {
  readonly column: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What differs between a row before and after, column by column, in a fixed order. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const [was, is] = [columnsOf(before), columnsOf(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted();
  return names.flatMap((column) => {
    const [from, to] = [textOf(was[column]), textOf(is[column])];
    return from === to ? [] : [{ column, before: from, after: to }];
  });
}

function columnsOf(row: unknown): Readonly<Record<string, unknown>> {
  if (row === null || row === undefined) return {};
  return typeof row === 'object' && !Array.isArray(row) ? (row as Record<string, unknown>) : { '': row };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
