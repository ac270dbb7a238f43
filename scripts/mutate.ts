// Changes the code on purpose, one place at a time, and tells which changes no test notices.
//   npm run mutate                                          a sample of the domain and of the rooms that move money
//   npm run mutate -- --room fx --sample 100 --seed 7       of one room; the same seed draws the same sample
//   npm run mutate -- --room ledger --in closing --tests 8  of files whose path contains a word; with fewer test files
// It works in a copy of the project and on a PostgreSQL of its own. Survivors that change nothing are in equivalents.json.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Coverage } from './mutate/coverage.ts';
import { Modules } from './mutate/modules.ts';
import { isRunnable, type Mutant, mutantsOf } from './mutate/mutants.ts';
import { MutantRunner } from './mutate/runner.ts';
import { sampled } from './mutate/sample.ts';
import { type Equivalent, isEquivalent, Tally } from './mutate/tally.ts';
import { TestRun } from './mutate/test-run.ts';
import { copyTree } from './mutate/tree.ts';
import { openRunFolder, openThrowaway } from './test-database.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ROOMS = ['fx', 'ledger', 'transactions', 'quotes', 'settlement', 'reconciliation'];
const SAMPLE = 30;
/** Test files that are tried for a mutant at most, the nearest first. */
const TESTS = 24;
/** Which test runs what, measured once. */
const COVERAGE = join(ROOT, 'node_modules/.cache/firmquote/mutate-coverage.json');
const INTERRUPTED = 130;

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: ROOMS },
    sample: { type: 'string', default: String(SAMPLE) },
    seed: { type: 'string', default: String(Math.floor(performance.timeOrigin) % 1_000_000) },
    in: { type: 'string', default: '' },
    tests: { type: 'string', default: String(TESTS) },
  },
});
const [seed, sample, tests] = [values.seed, values.sample, values.tests].map((text) =>
  Number.parseInt(text, 10),
);

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => abort.abort());
process.exitCode = await main();

async function main(): Promise<number> {
  if (
    seed === undefined ||
    sample === undefined ||
    tests === undefined ||
    !(seed >= 0 && sample > 0 && tests > 0)
  ) {
    console.error('--sample and --tests are numbers from 1 on, --seed one from 0 on.');
    return 2;
  }
  const modules = new Modules(ROOT);
  const chosen = choose(modules, sample, seed);
  if (chosen.length === 0) {
    console.error(`There is nothing to change in ${values.room.join(', ')}.`);
    return 2;
  }
  console.log(`Seed ${seed}: ${chosen.length} mutants of ${values.room.join(', ')}.`);
  const tally = new Tally();
  try {
    await tryAll(modules, chosen, tests, tally);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    console.log('Interrupted.');
  }
  console.log(tally.summary());
  return abort.signal.aborted ? INTERRUPTED : tally.isGoodEnough ? 0 : 1;
}

/** So many of each room, without those that are known to change nothing. */
function choose(modules: Modules, count: number, from: number): Mutant[] {
  const known = JSON.parse(
    readFileSync(join(import.meta.dirname, 'mutate/equivalents.json'), 'utf8'),
  ) as readonly Equivalent[];
  return values.room.flatMap((room) => {
    const all = mutantsOf(ROOT, modules, [room], values.in).filter((each) => !isEquivalent(each, known));
    const drawn = sampled(all, all.length, from);
    const runnable: Mutant[] = [];
    for (const mutant of drawn) {
      if (runnable.length === count) break;
      if (isRunnable(modules, mutant)) runnable.push(mutant);
    }
    return runnable;
  });
}

async function tryAll(
  modules: Modules,
  mutants: readonly Mutant[],
  most: number,
  tally: Tally,
): Promise<void> {
  const folder = openRunFolder();
  const database = await openThrowaway(folder.path);
  try {
    const tree = copyTree(ROOT, folder.path);
    const run = new TestRun({ tree, folder: folder.path, database: database.url, signal: abort.signal });
    const coverage = new Coverage({ modules, tree, run, cache: COVERAGE });
    const runner = new MutantRunner({ tree, database: database.url, modules, coverage, run, most });
    for (const mutant of mutants) {
      const outcome = await runner.run(mutant);
      tally.add(mutant, outcome);
      console.log(tally.lineOf(mutant, outcome));
    }
    if (coverage.red.length > 0) console.log(`Not used, as they fail unchanged: ${coverage.red.join(', ')}`);
  } finally {
    await database.close();
    folder.remove();
  }
}
