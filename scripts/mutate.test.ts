import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { applied, lineOf, touchedLines } from './mutate/change.ts';
import { Coverage } from './mutate/coverage.ts';
import { eitherOf, holds, lengthOf, partsOf } from './mutate/covered-parts.ts';
import { EarlierText } from './mutate/earlier-text.ts';
import { changesOfSql, liveSql, statementsOf } from './mutate/live-sql.ts';
import type { Mutant } from './mutate/mutants.ts';
import { Relevance } from './mutate/relevance.ts';
import { Kills, MutantRunner } from './mutate/runner.ts';
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

  test('leave alone what behaves the same in any case', () => {
    for (const text of [
      'if (known.size >= KNOWN_MAX) known.clear();',
      'const options = { maxBatch: 128 };',
      'const size = a.units < 0n ? -a.units : a.units;',
    ]) {
      assert.deepEqual(typescript(text), [], text);
    }
    assert.deepEqual(typescript('const order = (a, b) => (a < b ? -1 : 1);'), [
      'const order = (a, b) => (a <= b ? -1 : 1);',
    ]);
    assert.deepEqual(typescript("logger.warn({ left: a - b(c) }, 'left');"), []);
    assert.equal(typescript('if (open.size >= OPEN_MAX) refuse();').length, 3, 'a limit is none of them');
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
    assert.deepEqual(sql('create or replace view a as select b'), []);
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

const SOURCE = `export const isMore = (a: number, b: number) => a > b;
export const idle = (a: number) => a + 0;
export const countTo = (end: number) => {
  let at = 0;
  while (at < end) at++;
  return at;
};
`;
const FILE = 'packages/service/src/ledger/a.ts';
const TEST = 'packages/service/src/ledger/a.test.ts';

function mutant(before: string, replacement: string): Mutant {
  const start = SOURCE.indexOf(before);
  const change = { start, end: start + before.length, replacement, what: 'test' };
  const line = lineOf(SOURCE, start);
  return {
    room: 'ledger',
    file: FILE,
    line,
    change,
    places: [{ file: FILE, offset: start }],
    firstTests: [],
    ...touchedLines(SOURCE, change),
  };
}

describe('a mutant', () => {
  const [tree, unchanged] = [join(folder, 'lane'), join(folder, 'unchanged')];
  const check = (text: string) =>
    `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { countTo, isMore } from './a.ts';\n${text}`;
  const write = (file: string, text: string) => {
    for (const copy of [tree, unchanged]) {
      mkdirSync(join(copy, dirname(file)), { recursive: true });
      writeFileSync(join(copy, file), text);
    }
  };
  // The linter and the type check, each of which refuses one change.
  mkdirSync(join(tree, 'node_modules/.bin'), { recursive: true });
  for (const [program, refused] of [
    ['biome', 'a = b'],
    ['tsc', 'a & b'],
  ] as const) {
    writeFileSync(join(tree, 'node_modules/.bin', program), `#!/bin/sh\n! grep -q '${refused}' ${FILE}\n`, {
      mode: 0o755,
    });
  }
  write(FILE, SOURCE);
  write(TEST, check(`test('more', () => assert.ok(isMore(2, 1)));`));
  const abort = new AbortController();
  const cache = join(folder, 'cache');

  function runnerFor(...near: string[]): { runner: MutantRunner; coverage: Coverage; kills: Kills } {
    const limits = { cpuMs: 800, cpuFactor: 0, waitMs: 60_000, waitFactor: 0 };
    const run = new TestRun({ tree, folder, database: 'none', signal: abort.signal, limits });
    const control = new TestRun({ tree: unchanged, folder, database: 'none', signal: abort.signal });
    const textOf = (file: string) => readFileSync(join(unchanged, file), 'utf8');
    const modules = {
      textOf,
      files: [FILE],
      tests: near,
      testsOf: () => ({ near, far: [] }),
      imports: () => true,
    };
    const coverage = new Coverage({ modules, tree: unchanged, run: control, cache });
    const kills = new Kills();
    const runner = new MutantRunner({
      ...{ tree, database: 'none', modules, coverage, run, control, kills, most: 3 },
    });
    return { runner, coverage, kills };
  }
  const outcomeOf = async (runner: MutantRunner, ...change: [string, string]) =>
    (await runner.run(mutant(...change))).outcome;

  test('is killed by a test that fails with it, and survives those that pass', async () => {
    const { runner } = runnerFor(TEST);
    const { outcome, by } = await runner.run(mutant('a > b', 'a < b'));
    assert.equal(outcome, 'killed');
    assert.match(by, /^a\.test\.ts: more \| error: .*falsy value.* expected: true \| actual: false$/);
    assert.equal(await outcomeOf(runner, 'a > b', 'a >= b'), 'survived');
    assert.equal(readFileSync(join(tree, FILE), 'utf8'), SOURCE, 'the copy is as it was');
  });

  test('is tried with the tests that run it alone', async () => {
    const { runner, coverage } = runnerFor(TEST);
    assert.equal(await outcomeOf(runner, 'a + 0', 'a - 0'), 'untested');
    assert.deepEqual(
      ['a > b', 'a + 0'].map((text) => coverage.runs(TEST, { file: FILE, offset: SOURCE.indexOf(text) })),
      [true, false],
    );
  });

  test('is tried with tests that were measured by an earlier run, unless they have changed', async () => {
    const kept = join(cache, 'tests', basename(TEST));
    const [measured = ''] = readdirSync(kept).map((name) => join(kept, name));
    writeFileSync(measured, JSON.stringify({ ...JSON.parse(readFileSync(measured, 'utf8')), files: {} }));
    assert.equal(await outcomeOf(runnerFor(TEST).runner, 'a > b', 'a < b'), 'untested');
    write(TEST, check(`const [more, less] = [3, 1];\ntest('is more', () => assert.ok(isMore(more, less)));`));
    assert.equal(await outcomeOf(runnerFor(TEST).runner, 'a > b', 'a < b'), 'killed');
  });

  test('is no mutant when the linter or the type check refuses what no test notices', async () => {
    const idle = 'packages/service/src/ledger/idle.test.ts';
    write(idle, check(`test('more', () => void isMore(2, 1));`));
    const { runner } = runnerFor(idle);
    assert.deepEqual(await runner.run(mutant('a > b', 'a = b')), { outcome: 'invalid', by: 'biome' });
    assert.deepEqual(await runner.run(mutant('a > b', 'a & b')), { outcome: 'invalid', by: 'tsc' });
    assert.equal(await outcomeOf(runner, 'a > b', 'a >= b'), 'survived');
  });

  test('is stuck when a test uses far more CPU time than without it', async () => {
    const loop = 'packages/service/src/ledger/loop.test.ts';
    write(loop, check(`test('count', () => assert.ok(countTo(3) === 3));`));
    assert.equal(await outcomeOf(runnerFor(loop).runner, 'at++', 'at--'), 'stuck');
  });

  test('is tried first with the tests that noticed something in its file', async () => {
    const other = 'packages/service/src/ledger/other.test.ts';
    write(other, check(`test('other', () => assert.ok(isMore(2, 1)));`));
    const { runner, kills } = runnerFor(TEST, other);
    assert.match((await runner.run(mutant('a > b', 'a < b'))).by, /^a\.test/, 'named like the file');
    for (const _ of ['once', 'twice']) kills.add(FILE, other);
    assert.match((await runner.run(mutant('a > b', 'a < b'))).by, /^other\.test/);
  });

  test('is not judged by a test that fails without it', async () => {
    const red = 'packages/service/src/ledger/red.test.ts';
    write(red, check(`test('red', () => assert.ok(isMore(1, 2)));`));
    const { runner, coverage } = runnerFor(red);
    assert.equal(await outcomeOf(runner, 'a > b', 'a < b'), 'untested');
    assert.deepEqual(coverage.red, [red]);
  });

  test('is not judged by a test that fails without it by now', async () => {
    const once = 'packages/service/src/ledger/once.test.ts';
    const mark = JSON.stringify(join(folder, 'was-here'));
    write(
      once,
      check(`import { mkdirSync } from 'node:fs';\ntest('once', () => mkdirSync(${mark}) ?? isMore(2, 1));`),
    );
    await runnerFor(once).coverage.measure([once]);
    const { runner, coverage } = runnerFor(once);
    assert.equal(await outcomeOf(runner, 'a > b', 'a < b'), 'untested');
    assert.deepEqual(coverage.red, [once]);
  });

  test('is tried with several files in one process after the first, of which the one that notices it is named', async () => {
    const root = join(import.meta.dirname, '..');
    for (const file of [
      'scripts/test-group.ts',
      'scripts/test-groups.ts',
      'packages/service/test/support/file-end.ts',
    ])
      write(file, readFileSync(join(root, file), 'utf8'));
    const names = ['one', 'two', 'three'].map((name) => `packages/service/src/ledger/${name}.test.ts`);
    for (const name of names) write(name, check(`test('more', () => assert.ok(isMore(2, 1)));`));
    const [, , last = ''] = names;
    write(last, check(`test('as much', () => assert.ok(!isMore(2, 2)));`));
    const { runner, kills } = runnerFor(...names);
    const { outcome, by } = await runner.run(mutant('a > b', 'a >= b'));
    assert.equal(outcome, 'killed');
    assert.match(by, /^three\.test\.ts: as much \| /);
    assert.deepEqual(
      names.map((name) => kills.of(FILE, name)),
      [0, 0, 1],
    );
  });

  test('is given up when the run is interrupted, with what was started', async () => {
    const slow = 'packages/service/src/ledger/slow.test.ts';
    write(slow, check(`test('slow', () => new Promise(() => setInterval(() => {}, 1)));`));
    const running = runnerFor(slow).runner.run(mutant('a > b', 'a < b'));
    setTimeout(() => abort.abort(), 200);
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(readFileSync(join(tree, FILE), 'utf8'), SOURCE);
  });
});

test('what was run is known by the innermost range around it, and of several processes by any', () => {
  const range = (startOffset: number, endOffset: number, count: number) => ({
    startOffset,
    endOffset,
    count,
  });
  const report = (inner: number) => ({
    url: '',
    functions: [{ ranges: [range(0, 100, 1)] }, { ranges: [range(20, 60, 0), range(30, 40, inner)] }],
  });
  assert.deepEqual(partsOf(report(0)), [0, 20, 60, 100]);
  const parts = partsOf(report(2));
  assert.deepEqual(parts, [0, 20, 30, 40, 60, 100]);
  assert.equal(lengthOf(parts), 70);
  assert.deepEqual(
    [19, 20, 35, 40, 60].map((offset) => holds(parts, offset)),
    [true, false, true, false, true],
  );
  assert.deepEqual(eitherOf([0, 10, 50, 60], [5, 20, 60, 70]), [0, 20, 50, 70]);
});

test('a test has the more to do with a line the more rare words it shares with it', () => {
  const texts = [
    `await quote('quote_expired')`,
    `await quote(desk)`,
    `await pay(desk)`,
    `await pay()`,
    ``,
    ``,
    ``,
  ];
  const relevance = new Relevance(new Map(texts.map((text, at) => [`${at}`, text])));
  const code = `if (isExpired) throw new Problem('quote_expired', desk);`;
  const ranks = texts.map((_, at) => relevance.of(`${at}`, code));
  assert.ok((ranks[0] ?? 0) > (ranks[1] ?? 0) && (ranks[1] ?? 0) >= (ranks[2] ?? 0));
  assert.equal(ranks[3], 0);
});

test('lines of an earlier text are found again, new ones are not', () => {
  const [before, after] = ['a\nb\n}\nc\n}\n', 'x\na\n}\nc\ny\n}\n'];
  const earlier = new EarlierText(before, after);
  const lineBefore = (text: string) => {
    const offset = earlier.offsetOf(after.indexOf(text));
    return offset === undefined ? undefined : before[offset];
  };
  assert.deepEqual(['x', 'a', 'c', 'y'].map(lineBefore), [undefined, 'a', 'c', undefined]);
  assert.equal(
    earlier.offsetOf(after.indexOf('c') - 2),
    before.indexOf('c') - 2,
    'beside a line that is the same',
  );
  assert.equal(earlier.offsetOf(after.lastIndexOf('}')), before.lastIndexOf('}'));
  assert.equal(earlier.share, 5 / 7);
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
  tally.add(one, 'stuck');
  assert.ok(tally.isGoodEnough, 'noticed, but told apart');
  assert.match(tally.summary(), /95\.2 % {2}19 killed, 1 survived, 1 that made a test run on and on/);
  for (let i = 0; i < 2; i++) tally.add(one, 'untested');
  assert.ok(!tally.isGoodEnough);
});

test('each listed equivalent has a reason', () => {
  const listed = JSON.parse(readFileSync(join(import.meta.dirname, 'mutate/equivalents.json'), 'utf8'));
  for (const { file, before, after: changed, reason } of listed) {
    assert.ok(file && before && changed && before !== changed && reason.length > 20, JSON.stringify(before));
  }
});
