import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { applied, lineOf, touchedLines } from './mutate/change.ts';
import { Coverage } from './mutate/coverage.ts';
import { changesOfSql, liveSql, statementsOf } from './mutate/live-sql.ts';
import type { Mutant } from './mutate/mutants.ts';
import { MutantRunner } from './mutate/runner.ts';
import { sampled } from './mutate/sample.ts';
import { type SqlPart, sqlChanges } from './mutate/sql-changes.ts';
import { isEquivalent, Tally } from './mutate/tally.ts';
import { TestRun } from './mutate/test-run.ts';
import { runsDifferently, typescriptChanges } from './mutate/typescript-changes.ts';

const typescript = (text: string) =>
  typescriptChanges(text)
    .filter((change) => runsDifferently(text, change))
    .map((change) => applied(text, change));
/** A template in which the parentheses are placeholders. */
const inTemplate = (text: string) => `const a = \`${text.replace('(', '${').replace(')', '}')}\`;`;
const sql = (text: string, part: SqlPart = 'query') =>
  sqlChanges(text, part).map((change) => applied(text, change).replaceAll(/\s+/g, ' ').trim());

describe('changes of TypeScript', () => {
  test('turn comparisons, conditions and arithmetic, and move numbers by one', () => {
    assert.deepEqual(typescript('const x = a <= b + 1n;'), [
      'const x = a < b + 1n;',
      'const x = a <= b - 1n;',
      'const x = a <= b + 2n;',
    ]);
    assert.deepEqual(typescript('if (a && !b) stop();'), [
      'if (!(a && !b)) stop();',
      'if (a || !b) stop();',
      'if (a && b) stop();',
      'if (a && !b) ;',
    ]);
    assert.deepEqual(typescript('const x = a ?? b;'), ['const x = a && b;']);
  });

  test('leave out statements, waiting, and calls on lists', () => {
    assert.deepEqual(typescript('async () => {\n  await save(x);\n  return list.filter((y) => y);\n};'), [
      'async () => {\n  save(x);\n  return list.filter((y) => y);\n};',
      'async () => {\n  ;\n  return list.filter((y) => y);\n};',
      'async () => {\n  await save(x);\n  ;\n};',
      'async () => {\n  await save(x);\n  return list;\n};',
    ]);
  });

  test('leave types, imports, comments, texts and regular expressions alone', () => {
    for (const text of [
      "import { a } from './a.ts';",
      'interface A { readonly b: Map<string, 1 | 2>; c: true }',
      "const a = 'b < c && 1'; // d < 1",
      'const a = /[/]+ 1 < 2/u;',
      inTemplate('b < c (d) - 1'),
    ]) {
      assert.deepEqual(typescript(text), [], text);
    }
    assert.deepEqual(typescript(inTemplate('b (c < d)')), [inTemplate('b (c <= d)')]);
  });

  test('reach the SQL of a statement', () => {
    assert.deepEqual(typescript(inTemplate('select a from b where c = (d) and e for update')), [
      inTemplate('select a from b where  e for update'),
      inTemplate('select a from b where c = (d)  for update'),
      inTemplate('select a from b where c = (d) and e '),
    ]);
  });
});

describe('changes of SQL', () => {
  test('leave out conditions, one at a time', () => {
    assert.deepEqual(sql('select a from b where (c or d) and e between f and g order by h'), [
      'select a from b where e between f and g order by h',
      'select a from b where (c ) and e between f and g order by h',
      'select a from b where (c or d) order by h',
    ]);
    assert.deepEqual(sql('select a from b join c on c.d = b.d where e'), [
      'select a from b join c on true where e',
      'select a from b join c on c.d = b.d where true',
    ]);
  });

  test('leave out locks, defaults and cases, and turn what asks for nothing', () => {
    assert.deepEqual(sql('select coalesce(a, 0) from b for update skip locked'), [
      'select (a) from b for update skip locked',
      'select coalesce(a, 0) from b',
      'select coalesce(a, 0) from b for update',
    ]);
    assert.deepEqual(sql('select case when a > 1 then b end, c is null'), [
      'select case when false then b end, c is null',
      'select case when a >= 1 then b end, c is null',
      'select case when a > 1 then b end, c is not null',
    ]);
  });

  test('leave out statements of PL/pgSQL, but not the errors that are caught', () => {
    assert.deepEqual(sql('$$ begin update a set b = c; exception when x or y then end $$', 'plpgsql'), [
      '$$ begin null; exception when x or y then end $$',
    ]);
  });

  test('leave out rules of tables, but not which words a column holds', () => {
    const table = `create table a (b int unique check (b > c), d text check (d in ('e')), unique (b, d))`;
    assert.deepEqual(sql(table, 'definition'), [
      `create table a (b int check (b > c), d text check (d in ('e')), unique (b, d))`,
      `create table a (b int unique check (true), d text check (d in ('e')), unique (b, d))`,
      `create table a (b int unique check (b > c), d text check (d in ('e')), check (true))`,
    ]);
    assert.deepEqual(sql('create unique index a on b (c)', 'definition'), ['create index a on b (c)']);
  });
});

describe('files of SQL', () => {
  const first =
    '-- A; B\ncreate or replace function f() returns int language sql as $$ select a < 2; $$;\ncreate table t (a int);\n';

  test('are read statement by statement, with what is quoted whole', () => {
    assert.deepEqual(
      statementsOf(first).map(({ text }) => text.slice(0, 15)),
      ['create or repla', 'create table t '],
    );
  });

  test('say what there is, and of tables all that is said', () => {
    const live = liveSql([
      { file: '1.sql', text: first },
      { file: '2.sql', text: 'create or replace view v as select 1; create index i on t (a); drop index j;' },
    ]);
    assert.deepEqual(
      live.map(({ kind, name, file }) => `${kind} ${name} ${file}`),
      ['function f 1.sql', 'table t 1.sql', 'view v 2.sql', 'table t 2.sql'],
    );
    const [f] = live;
    assert.ok(f);
    assert.deepEqual(
      changesOfSql(f).map((change) => applied(first, change).includes('a <= 2')),
      [true],
    );
  });
});

test('the same seed draws the same, another one something else', () => {
  const items = Array.from({ length: 100 }, (_, i) => i);
  assert.deepEqual(sampled(items, 10, 7), sampled(items, 10, 7));
  assert.notDeepEqual(sampled(items, 10, 7), sampled(items, 10, 8));
  assert.deepEqual(
    sampled(items, 200, 7).toSorted((a, b) => a - b),
    items,
  );
});

const folder = mkdtempSync(join(tmpdir(), 'fq-mutate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SOURCE =
  'export const isMore = (a: number, b: number) => a > b;\nexport const idle = (a: number) => a + 0;\n';
const FILE = 'packages/fx/src/a.ts';
const TEST = 'packages/fx/src/a.test.ts';

function mutant(before: string, replacement: string): Mutant {
  const start = SOURCE.indexOf(before);
  const change = { start, end: start + before.length, replacement, what: 'test' };
  const line = lineOf(SOURCE, start);
  return {
    room: 'fx',
    file: FILE,
    line,
    change,
    places: [{ file: FILE, offset: start }],
    firstTests: [],
    ...touchedLines(SOURCE, change),
  };
}

describe('a mutant', () => {
  mkdirSync(join(folder, 'packages/fx/src'), { recursive: true });
  writeFileSync(join(folder, FILE), SOURCE);
  const check = (text: string) =>
    `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { isMore } from './a.ts';\n${text}`;
  writeFileSync(join(folder, TEST), check(`test('more', () => assert.ok(isMore(2, 1)));`));
  writeFileSync(
    join(folder, 'packages/fx/src/red.test.ts'),
    check(`test('red', () => assert.ok(isMore(1, 2)));`),
  );
  const abort = new AbortController();
  const tree = folder;
  const cache = join(folder, 'cache/coverage.json');

  function runnerFor(...near: string[]): { runner: MutantRunner; coverage: Coverage } {
    const run = new TestRun({ tree, folder, database: 'none', signal: abort.signal });
    const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
    const coverage = new Coverage({ modules: { textOf }, tree, run, cache });
    const modules = { testsOf: () => ({ near, far: [] }) };
    return {
      runner: new MutantRunner({ tree, database: 'none', modules, coverage, run, most: 3 }),
      coverage,
    };
  }

  test('is killed by a test that fails with it, and survives those that pass', async () => {
    const { runner } = runnerFor(TEST);
    assert.equal(await runner.run(mutant('a > b', 'a < b')), 'killed');
    assert.equal(await runner.run(mutant('a > b', 'a >= b')), 'survived');
    assert.equal(readFileSync(join(folder, FILE), 'utf8'), SOURCE, 'the copy is as it was');
  });

  test('is tried with the tests that run it alone', async () => {
    const { runner, coverage } = runnerFor(TEST);
    assert.equal(await runner.run(mutant('a + 0', 'a - 0')), 'untested');
    assert.deepEqual(
      ['a > b', 'a + 0'].map((text) => coverage.runs(TEST, { file: FILE, offset: SOURCE.indexOf(text) })),
      [true, false],
    );
  });

  test('is tried with tests that were measured by an earlier run, unless they have changed', async () => {
    const kept = JSON.parse(readFileSync(cache, 'utf8'));
    writeFileSync(cache, JSON.stringify({ [TEST]: { ...kept[TEST], files: {} } }));
    assert.equal(await runnerFor(TEST).runner.run(mutant('a > b', 'a < b')), 'untested');
    writeFileSync(join(folder, TEST), check(`test('more', () => assert.ok(isMore(3, 1)));`));
    assert.equal(await runnerFor(TEST).runner.run(mutant('a > b', 'a < b')), 'killed');
  });

  test('is not judged by a test that fails without it', async () => {
    const { runner, coverage } = runnerFor('packages/fx/src/red.test.ts');
    assert.equal(await runner.run(mutant('a > b', 'a < b')), 'untested');
    assert.deepEqual(coverage.red, ['packages/fx/src/red.test.ts']);
  });

  test('is given up when the run is interrupted, with what was started', async () => {
    const slow = 'packages/fx/src/slow.test.ts';
    writeFileSync(
      join(folder, slow),
      check(`test('slow', () => new Promise(() => setInterval(() => {}, 1)));`),
    );
    const running = runnerFor(slow).runner.run(mutant('a > b', 'a < b'));
    setTimeout(() => abort.abort(), 200);
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(readFileSync(join(folder, FILE), 'utf8'), SOURCE);
  });
});

test('a survivor is known again by its text, wherever it stands, and counts no more', () => {
  const one = mutant('a + 0', 'a - 0');
  const listed = { file: FILE, before: one.before, after: one.after, reason: 'nothing is nothing' };
  assert.ok(isEquivalent({ ...one, line: 77 }, [listed]));
  assert.ok(!isEquivalent(mutant('a > b', 'a < b'), [listed]));
  const tally = new Tally();
  for (let i = 0; i < 19; i++) tally.add(one, 'killed');
  tally.add(one, 'survived');
  assert.ok(tally.isGoodEnough, '95 of a hundred');
  assert.match(tally.summary(), /a\.ts:2\n {2}- .*a \+ 0;\n {2}\+ .*a - 0;[\s\S]*95\.0 %/);
  tally.add(one, 'invalid');
  assert.ok(tally.isGoodEnough);
  tally.add(one, 'untested');
  assert.ok(!tally.isGoodEnough);
});

test('each listed equivalent has a reason', () => {
  const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'mutate/equivalents.json'), 'utf8'));
  for (const { file, before, after: changed, reason } of listed) {
    assert.ok(file && before && changed && before !== changed && reason.length > 20, JSON.stringify(before));
  }
});
