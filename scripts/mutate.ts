// Changes the code on purpose, one place at a time, and tells which changes no test notices.
//   npm run mutate                                          a sample of the domain and of the rooms that move money
//   npm run mutate -- --room fx --sample 100 --seed 7       of one room; the same seed draws the same sample
//   npm run mutate -- --room ledger --in closing --tests 8  of files whose path contains a word; with fewer test files
//   npm run mutate -- --again --tests 100                   those that survived the last run, with more test files
// It works in copies of the project and on PostgreSQL servers of its own; --lanes says how many mutants are tried at once.
//
// A mutant is killed when a test fails with it that passes without it, looked at in the same run. One with which a test
// uses far more CPU time than without it, or does not end, is noticed as well but told apart: "made a test run on and on".
// So neither a loaded machine nor a test that fails at times makes a kill. One that no test runs counts as a survivor. What
// the database refuses does not count, nor what no test notices but the type check or the linter does. The figure of a
// room is the part of its mutants that was noticed; 95 % are demanded. The domain is held by its own tests alone.
//
// Each mutant is tried with test files that run the changed place, up to the first that fails: those that
// noticed something in the file before, those named like it, those that import it, those of its room, then all others, of
// which those come first that share rare words with the lines around it. A survivor has passed --tests of them, or as many
// as run the place of the nearest of twice as many; --again with more tells whether another one notices it. The first file
// has a process of its own, those after it share one. What each runs is measured once and kept in node_modules/.cache.
//
// Survivors that change nothing are listed with the reason in mutate/equivalents.json and not drawn again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Coverage } from './mutate/coverage.ts';
import { Modules } from './mutate/modules.ts';
import { isRunnable, type Mutant, mutantsOf } from './mutate/mutants.ts';
import { ROOMS } from './mutate/rooms.ts';
import { Kills, MutantRunner } from './mutate/runner.ts';
import { sampled } from './mutate/sample.ts';
import { type Equivalent, isEquivalent, Tally } from './mutate/tally.ts';
import { TestRun } from './mutate/test-run.ts';
import { copyTree } from './mutate/tree.ts';
import { openRunFolder, openThrowaway, type TestDatabase } from './test-database.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SAMPLE = 30;
/** Test files that are tried for a mutant at most, the nearest first. */
const TESTS = 24;
/** Which test runs what and which notices what, and what survived. */
const CACHE = join(ROOT, 'node_modules/.cache/firmquote/mutants');
const KILLS = join(CACHE, 'kills.json');
const SURVIVORS = join(CACHE, 'survivors.json');
const INTERRUPTED = 130;

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: Object.keys(ROOMS) },
    sample: { type: 'string', default: String(SAMPLE) },
    seed: { type: 'string', default: String(Math.floor(performance.timeOrigin) % 1_000_000) },
    in: { type: 'string', default: '' },
    tests: { type: 'string', default: String(TESTS) },
    lanes: { type: 'string', default: String(availableParallelism()) },
    again: { type: 'boolean', default: false },
  },
});
const [seed = 0, sample = 0, tests = 0, lanes = 0] = [
  values.seed,
  values.sample,
  values.tests,
  values.lanes,
].map((text) => Number.parseInt(text, 10));

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => abort.abort());
process.exitCode = await main();

async function main(): Promise<number> {
  if (!(seed >= 0 && sample > 0 && tests > 0 && lanes > 0)) {
    console.error('--sample, --tests and --lanes must be 1 or more, --seed 0 or more.');
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
    await tryAll(modules, chosen, tally);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    console.log('Interrupted.');
  }
  console.log(tally.summary());
  return abort.signal.aborted ? INTERRUPTED : tally.isGoodEnough ? 0 : 1;
}

/** So many of each room, without those that are known to change nothing. */
function choose(modules: Modules, count: number, from: number): Mutant[] {
  const known = listOf(join(import.meta.dirname, 'mutate/equivalents.json'));
  if (values.again) {
    const survivors = listOf(SURVIVORS);
    const all = mutantsOf(ROOT, modules, values.room, values.in).filter((each) => !isEquivalent(each, known));
    return all.filter((each) => isEquivalent(each, survivors) && isRunnable(modules, each));
  }
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

function listOf(file: string): readonly Equivalent[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

async function tryAll(modules: Modules, mutants: readonly Mutant[], tally: Tally): Promise<void> {
  const folder = openRunFolder();
  const kills = new Kills(existsSync(KILLS) ? JSON.parse(readFileSync(KILLS, 'utf8')) : {});
  const copies: Copy[] = [];
  try {
    const control = await openCopy(join(folder.path, 'unchanged'), copies);
    const coverage = new Coverage({ modules, tree: control.tree, run: control.run, cache: CACHE });
    const rest = [...mutants];
    const working = Array.from({ length: Math.min(lanes, rest.length) }, async (_, at) => {
      const { tree, database, run } = await openCopy(join(folder.path, `lane-${at}`), copies);
      const runner = new MutantRunner({
        ...{ tree, database: database.url, run, control: control.run },
        ...{ modules, coverage, kills, most: tests },
      });
      for (let mutant = rest.shift(); mutant !== undefined; mutant = rest.shift()) {
        const judgement = await runner.run(mutant).catch((error: unknown) => {
          // The other lane finishes its mutant and then ends too.
          rest.length = 0;
          throw error;
        });
        tally.add(mutant, judgement.outcome);
        console.log(tally.lineOf(mutant, judgement));
      }
    });
    // Nothing may run any more when the servers go.
    const failed = (await Promise.allSettled(working)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (coverage.red.length > 0) console.log(`Not used, as they fail unchanged: ${coverage.red.join(', ')}`);
  } finally {
    keep(KILLS, kills);
    keep(
      SURVIVORS,
      tally.survivors.map(({ file, before, after }) => ({ file, before, after })),
    );
    for (const { database } of copies) await database.close();
    folder.remove();
  }
}

interface Copy {
  readonly tree: string;
  readonly database: TestDatabase;
  readonly run: TestRun;
}

async function openCopy(folder: string, opened: Copy[]): Promise<Copy> {
  // Started by root, PostgreSQL runs as another user, who must be able to pass.
  mkdirSync(folder, { mode: 0o711 });
  const database = await openThrowaway(folder);
  const tree = copyTree(ROOT, folder);
  const run = new TestRun({ tree, folder, database: database.url, signal: abort.signal });
  const copy = { tree, database, run };
  opened.push(copy);
  return copy;
}

function keep(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}
