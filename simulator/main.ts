import { mkdtempSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/flags.ts';
import { openRunFolder, openThrowaway } from '../scripts/test-database.ts';
import { Databases } from './database.ts';
import { installWires } from './driver.ts';
import { FAULTS } from './faults.ts';
import { realNow } from './real.ts';
import { setStage } from './stage.ts';
import {
  type Failure,
  isKind,
  type Outcome,
  play,
  type Step,
  type StoryOptions,
  shrink,
  stepsOf,
} from './story.ts';
import { installTime } from './time.ts';

/**
 * Plays stories in one process: instances of the service on simulated machines, customers, people, a bank and price sources, with
 * all chance from one seed. Where a rule is broken, the story is shrunk to the steps that it takes, written to a file that
 * `--story` plays again, and the program exits with 1.
 */
const flags = readFlags({
  usage:
    'npm run simulate [-- --steps 10000 --seed 7 --story story.json --log steps.log --deep 1000 --seeds 3 --seconds 90]',
  values: [
    ...['steps', 'seed', 'story', 'log', 'deep'],
    // So many stories, of this seed and those after it.
    'seeds',
    // A story ends after so long, if it has not before. What it had is the same story with fewer steps.
    'seconds',
    // What the digest is made of: where two runs of one story differ, their traces say at which step and in what.
    'trace',
    // Breaks the service on purpose, to see that it is noticed.
    'fault',
    // Seconds for shrinking; 0 leaves a story as it is.
    'shrink',
  ],
});
const steps = flags.number('steps', 10_000, 1, 100_000_000);
const seeds = flags.number('seeds', 1, 1, 100_000);
const deepEvery = flags.number('deep', 1_000, 1, 10_000_000);
const shrinkMs = 1_000 * flags.number('shrink', 240, 0, 86_400);
const playMs = 1_000 * flags.number('seconds', 86_400, 1, 86_400);
const firstSeed = flags.number('seed', 1 + (Date.now() % 1_000_000), 0, 2 ** 32 - 1);
const storyFile = flags.text('story');
const faultName = flags.text('fault');
const fault = faultName === undefined ? undefined : FAULTS.get(faultName);
if (faultName !== undefined && fault === undefined)
  flags.refuse(`--fault takes one of ${[...FAULTS.keys()].join(', ')}`);

const log = openLines(flags.text('log'));
const trace = openLines(flags.text('trace'));

function openLines(path: string | undefined): ((line: string) => void) | undefined {
  if (path === undefined) return undefined;
  const file = openSync(path, 'w');
  return (line) => void writeSync(file, `${line}\n`);
}

interface Story {
  readonly seed: number;
  readonly steps: readonly Step[];
}

function readStory(path: string): Story {
  const found = JSON.parse(readFileSync(path, 'utf8')) as Story;
  if (
    !Array.isArray(found.steps) ||
    !found.steps.every(({ kind, seed }) => isKind(kind) && Number.isInteger(seed))
  )
    throw new Error(`${path} is not a story`);
  return found;
}

installTime();
installWires();
const folder = openRunFolder();
process.exitCode = await main().finally(() => folder.remove());
process.exit();

async function main(): Promise<number> {
  // As tests: a server of one's own where none is given.
  const given = process.env.FIRMQUOTE_TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  const server = given
    ? { url: given, close: async () => {} }
    : await openThrowaway(mkdtempSync(join(folder.path, 'data-')));
  const databases = new Databases(server.url);
  try {
    const stage = await setStage(databases);
    const story = storyFile === undefined ? undefined : readStory(storyFile);
    for (let i = 0; i < seeds; i++) {
      const seed = story?.seed ?? firstSeed + i;
      const options = { stage, databases, seed, deepEvery, fault, log, trace };
      if (!(await playOne(story?.steps, options))) return 1;
    }
    return 0;
  } finally {
    await databases.dropAll();
    await server.close();
  }
}

/** Plays one story. @returns whether every rule held */
async function playOne(given: readonly Step[] | undefined, options: StoryOptions): Promise<boolean> {
  const { seed } = options;
  const count = given?.length ?? steps;
  console.log(`simulate: seed ${seed}, ${count} steps, ${availableParallelism()} cores`);
  const begun = realNow();
  const cpu = process.cpuUsage();
  const onStep = (done: number) => {
    if (done % 10_000 === 0) console.log(`${done} steps, ${rate(done, realNow() - begun)} a second`);
  };
  const outcome = await play(given ?? stepsOf(seed, count), {
    ...options,
    onStep,
    isOver: () => realNow() - begun >= playMs,
  });
  const { user, system } = process.cpuUsage(cpu);
  report(outcome, realNow() - begun, (user + system) / 1_000);
  const { failure } = outcome;
  if (failure === undefined) {
    console.log(`seed ${seed}: every rule holds`);
    return true;
  }
  console.log(`seed ${seed}: a rule is broken at step ${outcome.steps}: ${failure.rule}\n${failure.message}`);
  if (given === undefined)
    console.log(`again: npm run simulate -- --seed ${seed} --steps ${outcome.steps} --deep ${deepEvery}`);
  await keep(failure, options);
  return false;
}

function rate(count: number, ms: number): string {
  return ((1_000 * count) / ms).toFixed(1);
}

function report({ steps: taken, counts, digest }: Outcome, ms: number, cpuMs: number): void {
  for (const [what, count] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`  ${what}: ${count}`);
  console.log(
    `${taken} steps in ${(ms / 1_000).toFixed(1)} s, ${rate(taken, ms)} a second, ${(cpuMs / 1_000).toFixed(1)} s of processor`,
  );
  console.log(`digest ${digest}`);
}

async function keep(failure: Failure, options: StoryOptions): Promise<void> {
  const { seed } = options;
  const progress = (left: number, tried: number) =>
    console.log(`shrunk to ${left} steps, ${tried} stories tried`);
  const least =
    shrinkMs === 0
      ? failure
      : await shrink(failure, { ...options, log: undefined, trace: undefined }, progress, shrinkMs, realNow);
  const path = `story-${seed}.json`;
  writeFileSync(path, `${JSON.stringify({ seed, rule: least.rule, steps: least.steps }, null, 1)}\n`);
  console.log(`${least.steps.length} steps break the rule "${least.rule}":`);
  for (const step of least.steps.slice(0, 40)) console.log(`  ${step.kind} ${step.seed}`);
  console.log(least.message);
  console.log(`again: npm run simulate -- --seed ${seed} --story ${path}`);
}
