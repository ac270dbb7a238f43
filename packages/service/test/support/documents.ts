import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

/** The rows of the table of a document that has a column of this name, by the names of its columns. */
export function documentTable(path: string, column: string): Readonly<Record<string, string>>[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const head = lines.findIndex(
    (line, at) => cellsOf(line).includes(column) && lines[at + 1]?.startsWith('| ---'),
  );
  assert.notEqual(head, -1, `${path} has no table with a column ${column}`);
  const names = cellsOf(lines[head] ?? '');
  const end = lines.findIndex((line, at) => at > head && !line.startsWith('| '));
  return lines
    .slice(head + 2, end === -1 ? undefined : end)
    .map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [names[at] ?? '', cell])));
}

function cellsOf(line: string): string[] {
  return line.startsWith('| ') ? line.slice(2, -2).split(' | ') : [];
}
