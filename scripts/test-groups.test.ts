import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { groupTests, needsOwnProcess, readTimes, writePrograms } from './test-groups.ts';

const FILE_END = JSON.stringify(join(import.meta.dirname, '../packages/service/test/support/file-end.ts'));
const sharing = () => '';

test('who changes or measures the process, or has programs of its own, is alone in it', () => {
  for (const source of [
    'process.on("SIGINT", stop)',
    'process.exitCode = 1;',
    'process.chdir(folder)',
    'process.env.TMPDIR = folder;',
    'delete process.env.TMPDIR;',
    'const used = () => process.memoryUsage().rss;',
    "t.mock.timers.enable({ apis: ['setTimeout'] });",
    'globalThis.fetch = () => undefined;',
    'Object.assign(globalThis, { fetch: async () => Response.json({}) });',
    "Object.defineProperty(globalThis, 'fetch', { value: undefined });",
    'Date.prototype.getTime = () => 0;',
    "import { getHeapStatistics } from 'node:v8';",
    'const child = spawn(process.execPath, [MAIN]);',
    'const service = await startService(t, folder);',
    "import { startEmbeddedPostgres } from '@firmquote/embedded-postgres';",
  ])
    assert.equal(needsOwnProcess(source), true, source);
  for (const source of [
    'const { TMPDIR } = process.env;',
    'const url = process.env.DATABASE_URL;',
    "const skip = process.platform === 'linux';",
    "const { status } = spawnSync('xmllint', ['--noout', file]);",
    "import { startTestService } from './support/service.ts';",
    "import { until } from './support/process.ts';",
    'const [id] = /[0-9]+/.exec(path) ?? [];',
    'globalThis.setTimeout(stop, 1);',
  ])
    assert.equal(needsOwnProcess(source), false, source);
});

test('neighbours share a process, and the longest groups begin first', () => {
  const files = Array.from({ length: 41 }, (_, i) => `packages/a/${String(i).padStart(2, '0')}.test.ts`);
  const alone = files[4] as string;
  const last = files.at(-1) as string;
  const source = (file: string) => (file === alone ? 'process.exit(0)' : '');
  const groups = groupTests(files.toReversed(), source, { [last]: 400_000, [alone]: 100_000 });
  const shared = files.filter((file) => file !== alone);
  assert.deepEqual(groups, [shared.slice(30), [alone], shared.slice(0, 30)]);
  const unknown = groupTests(files, source);
  assert.deepEqual(unknown, [shared.slice(0, 30), shared.slice(30), [alone]], 'a group has more to do');
  const small = groupTests(files.slice(0, 4), source, {}, 3);
  assert.deepEqual(small, [files.slice(0, 3), files.slice(3, 4)], 'as many files as are wanted');
});

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs files of the contents in one process, as a whole run does it. */
function runTogether(t: TestContext, contents: readonly string[], env: NodeJS.ProcessEnv = {}): Outcome {
  const folder = mkdtempSync(join(tmpdir(), 'fq-groups-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = contents.map((content, i) => {
    const file = join(folder, `${i}.test.ts`);
    writeFileSync(file, `import { after, before, beforeEach, test } from 'node:test';\n${content}`);
    return file;
  });
  const programs = writePrograms(groupTests(files, sharing), join(folder, 'groups'));
  const reporters = ['spec', join(import.meta.dirname, 'slowest-tests.ts')].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  const { status, stdout } = spawnSync(process.execPath, ['--test', ...reporters, ...programs], {
    encoding: 'utf8',
    env: { ...process.env, ...env, NODE_TEST_CONTEXT: undefined },
  });
  return { code: status, output: stdout };
}

/** What the files said, in order. */
const said = ({ output }: Outcome): string[] => output.split('\n').filter((line) => line.startsWith('said '));

test('each file has hooks of its own, and is over with its clean-up before the next begins', (t) => {
  const content = (name: string) => `
    import { whenFileEnds } from ${FILE_END};
    const say = (what: string) => console.log('said ${name}', what);
    say('is loaded');
    whenFileEnds(() => say('is cleaned up'));
    before(() => say('begins'));
    beforeEach(() => say('is prepared'));
    after(() => say('ends'));
    await new Promise((resolve) => setTimeout(resolve, 10).unref());
    test('one', () => say('runs one'));
    test('two', () => say('runs two'));`;
  const outcome = runTogether(t, [content('a'), content('b')]);
  const story = (name: string) =>
    [
      'is loaded',
      'begins',
      'is prepared',
      'runs one',
      'is prepared',
      'runs two',
      'is cleaned up',
      'ends',
    ].map((what) => `said ${name} ${what}`);
  assert.deepEqual(said(outcome), [...story('a'), ...story('b')]);
  assert.equal(outcome.code, 0, outcome.output);
});

test('a failure is told with its file, whatever fails, and the other files run', (t) => {
  const outcome = runTogether(t, [
    `test('is wrong', () => { throw new Error('wrong itself'); });`,
    `throw new Error('wrong while it is loaded');`,
    `import { whenFileEnds } from ${FILE_END};
     whenFileEnds(() => { throw new Error('wrong clean-up'); });
     whenFileEnds(() => console.log('said the other clean-up'));
     test('is well', () => undefined);`,
    `test('fails by what nobody waits for', async () => {
       setTimeout(() => { throw new Error('wrong later'); }, 1);
       await new Promise((resolve) => setTimeout(resolve, 50));
     });`,
    `test('runs', () => console.log('said last'));`,
  ]);
  assert.equal(outcome.code, 1);
  assert.deepEqual(said(outcome), ['said the other clean-up', 'said last']);
  const [, failures = ''] = outcome.output.split('failing tests:');
  for (const [file, message] of [
    ['0.test.ts', 'wrong itself'],
    ['1.test.ts', 'wrong while it is loaded'],
    ['2.test.ts', 'wrong clean-up'],
    ['3.test.ts', 'wrong later'],
  ] as const)
    assert.match(failures, new RegExp(`✖ \\S*${file}|test at \\S*${file}[^✖]*✖[^✖]*${message}`), message);
  assert.match(failures, /✖ is wrong/);
  assert.doesNotMatch(failures, /4\.test\.ts/);
});

test('the slowest are named, and how long files take is kept for the next run', (t) => {
  const times = join(mkdtempSync(join(tmpdir(), 'fq-times-')), 'folder/times.json');
  t.after(() => rmSync(join(times, '../..'), { recursive: true }));
  const quick = `test('is quick', () => undefined);`;
  const slow = `test('is slow', () => new Promise((resolve) => setTimeout(resolve, 300)));`;
  const { output } = runTogether(t, [...Array(11).fill(quick), slow], { FIRMQUOTE_TEST_TIMES: times });
  assert.match(output, /Slowest test files\n +0\.\d s {2}\S+\/11\.test\.ts\n/);
  assert.match(output, /Slowest tests\n +0\.\d s {2}is slow \(\S+11\.test\.ts:2\)\n/);
  const kept = Object.entries(readTimes(times));
  assert.equal(kept.length, 12);
  const slowest = kept.toSorted(([, a], [, b]) => b - a)[0];
  assert.match(String(slowest?.[0]), /11\.test\.ts$/);
  writeFileSync(times, '{"a');
  assert.deepEqual(readTimes(times), {}, readFileSync(times, 'utf8'));
});
