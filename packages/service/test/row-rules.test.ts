import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from './support/architecture-rules.ts';
import { answersOf, columnsOf, rowsAreGenerated } from './support/row-rules.ts';
import { sourceFile } from './support/source-files.ts';

/** That `architecture.test.ts` finds rows which are written by hand, however the call comes to its statement and its type. */

const STORE = 'packages/service/src/quotes/store.ts';
const THINGS = rowsAreGenerated(
  columnsOf('export interface Tables {\n  things: { id: string; at: number; };\n}'),
);

/** A source that breaks the rule once, on the given line, and one like it that does not. */
const BROKEN: readonly (readonly [rule: Rule, wrong: string, line: number, right: string])[] = [
  [
    THINGS,
    'await pool.query<{\n  id: string;\n  at: number;\n}>({ text: `select id, at from things` });',
    1,
    'await pool.query<{ id: string; at: number }>(`select id, max(at) as at from things`);',
  ],
  [
    THINGS,
    'const ALL = `select * from things`;\ninterface Thing {\n  id: string;\n  at: number;\n}\nquery<Thing>(ALL);',
    6,
    "type Thing = Pick<Row<'things'>, 'id' | 'at'>;\n\nquery<Thing>('select id, at from things');",
  ],
  [
    rowsAreGenerated(columnsOf('export interface Tables {\n  things: { id: string; made_at: number; };\n}')),
    'interface Thing {\n  id: string;\n  madeAt: number;\n}\nquery<Thing>(`select id, made_at as "madeAt" from things`);',
    5,
    'type Thing = CamelRow<\'things\'>;\n\nquery<Thing>(`select id, made_at as "madeAt" from things`);',
  ],
  [
    THINGS,
    'const of = (x) => ({ text: `select id, at from things` });\nquery<{ id: string; at: number }>(of(1));',
    2,
    "const of = (x) => ({ text: `select id, at from things` });\nquery<Row<'things'>>(of(1));",
  ],
  [
    THINGS,
    "interface Thing {\n  id: string;\n  at: number;\n}\nquery<Omit<Thing, 'a'> & { b: string }>('select id, at, b from things');",
    5,
    "interface Thing {\n  id: string;\n  at: bigint;\n}\nquery<Omit<Thing, 'at'> & { b: string }>('select id, b from things');",
  ],
  [
    rowsAreGenerated(
      columnsOf('export interface Composites {\n  thing: { id: string | null; at: number | null; };\n}'),
      answersOf('create function things(ids uuid[]) returns SETOF thing language sql;'),
    ),
    "interface Base {\n  id: string;\n  at: number;\n}\ninterface Thing extends Base {\n  b: string;\n}\nquery<Thing>('select * from things($1)');",
    8,
    "type Thing = Present<Composite<'thing'>>;\n\nquery<Thing>('select * from things($1)');",
  ],
];

for (const [rule, wrong, line, right] of BROKEN) {
  test(wrong, () => {
    assert.deepEqual(
      rule([sourceFile(STORE, wrong)]).map((violation) => violation.line),
      [line],
    );
    assert.deepEqual(rule([sourceFile(STORE, right)]), []);
  });
}
