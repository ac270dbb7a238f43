// Everything that a change must pass: type check, lint and format, tests.
//   npm test                        all of it but the drills and the tests in a browser, which `.ci/run` adds
//   npm test -- quotes ledger       only the test files whose path contains one of the words
//   npm test -- --tests-only        without type check and lint
//   npm test -- --on-database       only the test files that reach the server
// With DATABASE_URL the tests run against that server, otherwise against a PostgreSQL of their own.
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { onDatabase } from './database-tests.ts';
import { asksDatabase, isDrill } from './drills.ts';
import { setUpFix } from './setup-fix.mjs';
import { setUpKit } from './setup-kits.mjs';
import { openRunFolder, openTestDatabase, type TestDatabase } from './test-database.ts';
import { groupTests, readTimes, TEST_LIMIT_MS, writePrograms } from './test-groups.ts';
import { Steps } from './verify-steps.ts';

const ROOT = resolve(import.meta.dirname, '..');
const TEST_FILES = [
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
  'simulator/**/*.test.ts',
  'soak/**/*.test.ts',
  'examples/**/*.test.ts',
  'ops/{test,drills}/*.test.ts',
];
/** Minutes, and programs that most machines do not have: they run when a word names their folder. */
const APART = 'ops/drills/';
/** A browser needs the cores for itself, and as long as all other tests: they are a step of their own, when a word names them. */
const BROWSER = 'packages/browser/';
/** Each file has a browser and a service of its own, and waits for them half of the time: so two groups run at once. */
const BROWSER_GROUP_SIZE = 3;
/** Not one of the workspaces: its dependencies are installed for its tests, and without them they are left out. */
const GATEWAY = 'packages/fix-gateway';
/** It runs in browsers, and knows what they have. */
const CONSOLE = 'packages/console';
/** Pure packages have no I/O, no clock and no environment, which the architecture test holds: their tests share a process. */
const PURE = ['packages/fx/', 'packages/bank-formats/', 'packages/sandbox-bank/', 'packages/api/src/'];
/** Each file of a group has its own limit; this one is for what hangs outside of them. */
const GROUP_LIMIT_MS = 2 * TEST_LIMIT_MS;
/** How long each file took when it ran last, for the order of the next run. */
const TIMES = join(ROOT, 'node_modules/.cache/test-times.json');
/** Room for young objects, MiB: a process that lives for seconds would spend a tenth of them on collecting. */
const YOUNG = ['--min-semi-space-size=16', '--max-semi-space-size=64'];

const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = new Set(process.argv.slice(2).filter((argument) => argument.startsWith('-')));
const KNOWN: readonly string[] = ['--tests-only', '--on-database'];
const unknown = [...options].find((option) => !KNOWN.includes(option));
const files = selectFiles();
const steps = new Steps(ROOT);

if (unknown !== undefined) {
  console.error(
    `Unknown option ${unknown}. Use ${KNOWN.join(', ')}, or words that the paths of test files contain.`,
  );
  process.exitCode = 2;
} else if (files.length === 0) {
  console.error(`No test file's path contains ${words.map((word) => `'${word}'`).join(' or ')}.`);
  process.exitCode = 2;
} else {
  process.exitCode = await verify();
}

async function verify(): Promise<number> {
  const folder = openRunFolder();
  try {
    const { pure = [], others: all = [] } = Object.groupBy(files, (file) =>
      isPure(file) ? 'pure' : 'others',
    );
    const isChecked = !options.has('--tests-only');
    const gateway = setUpGateway().then(async (isThere) => {
      if (isThere && isChecked) await typeCheck('type check FIX', ['-p', GATEWAY]);
      return isThere;
    });
    const [database, hasGateway] = await Promise.all([
      steps.work('database', () => openTestDatabase(folder.path)),
      gateway,
      ...(isChecked
        ? [typeCheck('type check'), typeCheck('type check console', ['-p', CONSOLE]), lint()]
        : []),
      pure.length > 0 && runTests('tests of pure packages', ['--test-isolation=none', ...pure], folder.path),
    ]);
    if (database === undefined) return steps.summarise();
    const there = hasGateway ? all : all.filter((file) => !file.startsWith(GATEWAY));
    const { browser = [], others = [] } = Object.groupBy(there, (file) =>
      file.startsWith(BROWSER) ? 'browser' : 'others',
    );
    // One more than there are cores: a test often waits for its database, which has one of them meanwhile.
    await runGroups('tests', others, folder.path, database, { atOnce: availableParallelism() + 1 });
    if (browser.length > 0 && (await setUpBrowser(folder.path)))
      await runGroups('tests in a browser', browser, folder.path, database, {
        atOnce: availableParallelism(),
        size: BROWSER_GROUP_SIZE,
      });
    await database.close();
  } finally {
    folder.remove();
  }
  return steps.summarise();
}

async function runGroups(
  name: string,
  files: readonly string[],
  folder: string,
  database: TestDatabase,
  { atOnce, size }: { readonly atOnce: number; readonly size?: number },
): Promise<void> {
  if (steps.interrupted || files.length === 0) return;
  const groups = groupTests(files, (file) => readFileSync(join(ROOT, file), 'utf8'), readTimes(TIMES), size);
  const programs = writePrograms(groups, join(folder, name.replaceAll(' ', '-')));
  await runTests(name, [`--test-concurrency=${atOnce}`, ...programs], folder, database);
}

function isPure(file: string): boolean {
  return PURE.some((folder) => file.startsWith(folder));
}

function selectFiles(): string[] {
  const found = globSync(TEST_FILES, { cwd: ROOT }).sort();
  const all = options.has('--on-database') ? onDatabase(ROOT, found).filter(asksDatabase) : found;
  return all.filter((file) => {
    if (file.startsWith(APART)) return words.some((word) => word.startsWith('ops') && file.includes(word));
    if (words.length === 0) return !isDrill(file) && !file.startsWith(BROWSER);
    return words.some((word) => file.includes(word));
  });
}

/** Whether the FIX gateway's tests can run; when they cannot, that is said. */
async function setUpGateway(): Promise<boolean> {
  if (!files.some((file) => file.startsWith(GATEWAY))) return false;
  if ((await setUpFix()) === 0) return true;
  console.log('SKIPPED: the tests of the FIX gateway: its dependencies could not be installed.');
  return false;
}

async function setUpBrowser(folder: string): Promise<boolean> {
  if (steps.interrupted) return false;
  if ((await setUpKit(BROWSER)) === 0) {
    const unpack = `import(${JSON.stringify(join(ROOT, BROWSER, 'src/chromium.ts'))}).then((it) => it.unpackBrowser()).catch(() => undefined)`;
    // Where that fails, the tests say why they are left out.
    await steps.program('browser', process.execPath, ['-e', unpack], { env: { TMPDIR: folder } });
    return true;
  }
  console.log('SKIPPED: the tests in a browser: Chromium could not be installed.');
  return false;
}

/** In one thread: several look at the same types, each for itself, in twice the time of the processor. */
function typeCheck(name: string, project: readonly string[] = []): Promise<void> {
  return steps.program(name, 'node_modules/.bin/tsc', ['--noEmit', '--singleThreaded', ...project]);
}

function lint(): Promise<void> {
  // Its output goes through a pipe here, where it would colour every character on its own.
  const colors = `--colors=${process.stdout.isTTY ? 'force' : 'off'}`;
  return steps.program('lint and format', 'node_modules/.bin/biome', [
    'ci',
    '--error-on-warnings',
    colors,
    '.',
  ]);
}

function runTests(
  name: string,
  args: readonly string[],
  folder: string,
  database?: TestDatabase,
): Promise<void> {
  const reporters = ['spec', join(import.meta.dirname, 'slowest-tests.ts')].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  const runner = [...YOUNG, '--test', ...reporters, `--test-timeout=${GROUP_LIMIT_MS}`];
  return steps.program(name, process.execPath, [...runner, ...args], {
    // Tests that are interrupted cannot remove their files; in this folder they go with it.
    // Most files are a process, and load the whole service: what one has compiled the others take over.
    env: {
      ...(database && { FIRMQUOTE_TEST_DATABASE_URL: database.url }),
      TMPDIR: folder,
      FIRMQUOTE_TEST_TIMES: TIMES,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compile-cache'),
    },
    show: true,
  });
}
