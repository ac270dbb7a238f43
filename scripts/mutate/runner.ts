import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { needsOwnProcess } from '../test-groups.ts';
import { applied, surroundings } from './change.ts';
import type { Coverage } from './coverage.ts';
import type { Modules } from './modules.ts';
import type { Mutant } from './mutants.ts';
import { Relevance } from './relevance.ts';
import { isPure, roomOf } from './rooms.ts';
import type { TestRun, Verdict } from './test-run.ts';

/**
 * `killed`: a test fails. `stuck`: a test does not end. `invalid`: the database refuses the SQL, or no test fails but the
 * type check or the linter does. `untested`: no test runs the place.
 */
export type Outcome = 'killed' | 'stuck' | 'survived' | 'invalid' | 'untested';

export interface Judgement {
  readonly outcome: Outcome;
  /** What noticed it, or how many tests did not. */
  readonly by: string;
}

/** Test files that are looked at before the next ones. */
const MEASURED_AT_ONCE = 8;
/** Files made for the place mostly notice what others do; so many of them are tried before it is measured what they run. */
const UNMEASURED = 3;
/** Of the nearest of so many times as many files those are tried that run the place: what is farther hardly ever notices. */
const NEAREST = 2;
/** How many files share a process: loading the service takes longer than a usual file, but most mutants end with the first. */
const TOGETHER = [1, 2, 6] as const;
/** How far a test is that is of the room, but neither named like the file nor imports it. */
const OWN_ROOM = 2;
/** Lines on either side of a change that tell what it is about. */
const LINES_AROUND = 8;
/** Failures that a slow machine may be the reason of. */
const IS_OF_TIME =
  /time(?:d|s)?[ -]?out|too (?:long|late|slow)|waited|within \d|cancel|abort|ECONN|deadline|ended with/i;
/** What all test databases begin with. */
const DATABASES = 'firmquote\\_%';
/** Makes a database: its migrations are applied, and those of the test files that come after it copy what they make. */
const PROBE = 'packages/service/test/mutated-schema.test.ts';
const PROBE_TEXT = `import { createTestDatabase } from './support/database.ts';\nawait createTestDatabase();\n`;

export interface RunnerOptions {
  readonly tree: string;
  /** A server that nobody else uses. */
  readonly database: string;
  readonly modules: Pick<Modules, 'tests' | 'testsOf' | 'textOf' | 'imports'>;
  readonly coverage: Coverage;
  readonly run: TestRun;
  /** In a copy that is never changed. */
  readonly control: TestRun;
  /** How many mutants of a file each test has noticed. */
  readonly kills: Kills;
  /** Test files that are tried for a mutant at most. */
  readonly most: number;
}

/** Keeps which tests notice what in which file: they are tried first the next time. */
export class Kills {
  readonly #counts: Map<string, number>;

  constructor(counts: Readonly<Record<string, number>> = {}) {
    this.#counts = new Map(Object.entries(counts));
  }

  add(file: string, test: string): void {
    this.#counts.set(`${file} ${test}`, this.of(file, test) + 1);
  }

  of(file: string, test: string): number {
    return this.#counts.get(`${file} ${test}`) ?? 0;
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}

/** Tries mutants in a copy of the project, one after the other, with the tests that run what they change. */
export class MutantRunner {
  readonly #options: RunnerOptions;
  readonly #relevance: Relevance;
  #templates: ReadonlySet<string> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    const { modules } = options;
    this.#relevance = new Relevance(new Map(modules.tests.map((test) => [test, modules.textOf(test)])));
  }

  async run(mutant: Mutant): Promise<Judgement> {
    const { tree, run } = this.#options;
    const path = join(tree, mutant.file);
    const original = readFileSync(path, 'utf8');
    const isSql = mutant.file.endsWith('.sql');
    if (isSql) this.#templates ??= await this.#makeTemplate();
    try {
      writeFileSync(path, applied(original, mutant.change));
      if (isSql && !(await this.#isTaken())) return { outcome: 'invalid', by: 'the database' };
      const judgement = await this.#try(mutant, original);
      const isLeft = judgement.outcome === 'survived' || judgement.outcome === 'untested';
      return isLeft && !isSql ? await this.#check(mutant, judgement) : judgement;
    } finally {
      writeFileSync(path, original);
      if (isSql && !run.isAborted) await this.#dropDatabases();
    }
  }

  /** Nobody can land what the type check or the linter refuses. */
  async #check({ file }: Mutant, judgement: Judgement): Promise<Judgement> {
    for (const [program, ...parts] of [
      ['biome', 'lint', '--error-on-warnings', '--vcs-enabled=false', file],
      ['tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', '../tsc.info'],
    ] as const) {
      if (!(await this.#options.run.succeeds(join('node_modules/.bin', program), parts)))
        return { outcome: 'invalid', by: program };
    }
    return judgement;
  }

  async #try(mutant: Mutant, text: string): Promise<Judgement> {
    const { run, coverage, most } = this.#options;
    const tried = new Set<string>();
    const isLeft = (test: string) => !tried.has(test) && !coverage.isDistrusted(test);
    for await (const candidates of this.#candidates(mutant, text)) {
      const tests = candidates.filter(isLeft).slice(0, most - tried.size);
      for (const wave of wavesOf(tests, (test) => this.#options.modules.textOf(test), tried.size)) {
        // Those behind one that fails without the change have not been run.
        for (let rest = wave; rest.length > 0; rest = rest.filter(isLeft)) {
          const usual = rest.reduce((sum, test) => sum + coverage.millisecondsOf(test), 0);
          const verdict = await run.run(rest, {}, usual);
          const failed = verdict.file === undefined ? rest : [verdict.file];
          if (verdict.outcome !== 'passed' && (await this.#isOfTheChange(mutant, failed, verdict))) {
            return this.#noticed(mutant, failed, verdict);
          }
          if (verdict.outcome === 'passed') for (const test of rest) coverage.trust(test);
          for (const test of verdict.outcome === 'passed' ? rest : failed) tried.add(test);
        }
      }
      if (tried.size >= most) break;
    }
    // One that fails without the change says nothing by passing with it.
    const used = [...tried].filter((test) => coverage.mayJudge(test) && this.#mayRun(mutant, test));
    return { outcome: used.length === 0 ? 'untested' : 'survived', by: `${used.length} test files` };
  }

  #noticed({ file }: Mutant, tests: readonly string[], { outcome, message }: Verdict): Judgement {
    for (const test of tests) this.#options.kills.add(file, test);
    const by = `${tests.length === 1 ? basename(tests[0] ?? '') : `${tests.length} files`}: ${message}`;
    return { outcome: outcome === 'stuck' ? 'stuck' : 'killed', by };
  }

  /** Test files that run the place, in parts, so that no more of them are measured than are needed. */
  async *#candidates(mutant: Mutant, text: string): AsyncGenerator<readonly string[]> {
    const { coverage } = this.#options;
    const rest = this.#ranked(mutant, text).slice(0, NEAREST * this.#options.most);
    yield rest
      .slice(0, UNMEASURED)
      .filter(
        (test) => this.#isSpecific(mutant, test) && (!coverage.isKnown(test) || this.#mayRun(mutant, test)),
      );
    while (rest.length > 0) {
      const part = rest.splice(0, MEASURED_AT_ONCE);
      await coverage.measure(part);
      yield part.filter((test) => coverage.isGreen(test) && this.#mayRun(mutant, test));
    }
  }

  /**
   * Tests that may notice it, the most specific first: those made for its like, those that noticed something in its
   * file, those named like it, those that import it or name its function, those of its room, and the rest; of equal
   * ones those that share rare words with its lines, and take little time.
   */
  #ranked(mutant: Mutant, text: string): string[] {
    const { modules, kills, coverage } = this.#options;
    const { near, far } = modules.testsOf([...new Set(mutant.places.map(({ file }) => file))]);
    const code = `${mutant.name ?? ''} ${bareName(mutant.file)} ${surroundings(
      text,
      mutant.change,
      LINES_AROUND,
    )}`;
    const ranks = [...new Set([...mutant.firstTests, ...near, ...far])].map((test) => ({
      test,
      kills: mutant.firstTests.includes(test) ? Number.POSITIVE_INFINITY : kills.of(mutant.file, test),
      distance: this.#distance(mutant, test),
      relevance: this.#relevance.of(test, code) / Math.sqrt(coverage.millisecondsOf(test)),
    }));
    ranks.sort(
      (a, b) =>
        (a.kills === b.kills ? 0 : b.kills - a.kills) || a.distance - b.distance || b.relevance - a.relevance,
    );
    return ranks.map(({ test }) => test);
  }

  #distance({ file, room, name, places }: Mutant, test: string): number {
    const { modules } = this.#options;
    const files = new Set([file, ...places.map((place) => place.file)]);
    if (bareName(file) === bareName(test)) return 0;
    if (name !== undefined && modules.textOf(test).includes(name)) return 1;
    if ([...files].some((each) => modules.imports(test, each))) return 1;
    // What a trigger does is seen in other rooms than that of the table.
    return roomOf(test) === room || name !== undefined ? OWN_ROOM : OWN_ROOM + 1;
  }

  #mayRun({ firstTests, places }: Mutant, test: string): boolean {
    return firstTests.includes(test) || places.some((place) => this.#options.coverage.runs(test, place));
  }

  /** Whether the test was made for the place, so that its failure is no chance. */
  #isSpecific(mutant: Mutant, test: string): boolean {
    return this.#options.kills.of(mutant.file, test) > 0 || this.#distance(mutant, test) < OWN_ROOM;
  }

  /**
   * Whether the tests pass without the change: otherwise the failure says nothing about it. What the time may be the
   * reason of is looked at each time; the rest when not all of the tests have passed in this run.
   */
  async #isOfTheChange(
    mutant: Mutant,
    tests: readonly string[],
    { outcome, message }: Verdict,
  ): Promise<boolean> {
    const { control, coverage } = this.#options;
    const usual = tests.reduce((sum, test) => sum + coverage.millisecondsOf(test), 0);
    const isOfTime = outcome === 'stuck' || IS_OF_TIME.test(message);
    const isTrusted = !isOfTime && tests.every((test) => coverage.isTrusted(test));
    const isSpecific = tests.every((test) => this.#isSpecific(mutant, test));
    if (isTrusted && isSpecific) return true;
    const passes = isTrusted || (await control.run(tests, {}, usual)).outcome === 'passed';
    for (const test of tests) passes ? coverage.trust(test) : coverage.distrust(test);
    if (!passes || outcome === 'stuck') return passes;
    // A test that is not made for the place, or waits for something, may fail by chance, but not twice.
    if (isSpecific && !isOfTime) return true;
    return (await this.#options.run.run(tests, {}, usual)).outcome !== 'passed';
  }

  /** The database of the unchanged schema, from which those of changed functions are made quickly. */
  async #makeTemplate(): Promise<ReadonlySet<string>> {
    await this.#isTaken();
    return new Set(await this.#databases());
  }

  /** Whether the database takes the SQL. */
  async #isTaken(): Promise<boolean> {
    const { tree, run } = this.#options;
    writeFileSync(join(tree, PROBE), PROBE_TEXT);
    return (await run.run([PROBE])).outcome === 'passed';
  }

  /** Databases that were made from a changed schema, or that tests left which were ended. */
  async #dropDatabases(): Promise<void> {
    for (const name of await this.#databases()) {
      if (!this.#templates?.has(name)) await this.#admin(`drop database if exists ${name} with (force)`);
    }
  }

  async #databases(): Promise<string[]> {
    const rows = await this.#admin(
      `select datname as name from pg_database where datname like '${DATABASES}'`,
    );
    return rows.map(({ name }) => name);
  }

  async #admin(text: string): Promise<{ name: string }[]> {
    const client = new pg.Client({ connectionString: this.#options.database });
    await client.connect();
    try {
      return (await client.query<{ name: string }>(text)).rows;
    } finally {
      await client.end();
    }
  }
}

const bareName = (file: string) => basename(file).replace(/(?:\.test)?\.\w+$/, '');

/** What each process runs: one file at first and then more, pure ones all together, and some files alone. */
function wavesOf(tests: readonly string[], textOf: (test: string) => string, tried: number): string[][] {
  const pure = tests.filter(isPure);
  const waves = pure.length === 0 ? [] : [pure];
  let open: string[] = [];
  for (const test of tests.filter((each) => !isPure(each))) {
    if (needsOwnProcess(textOf(test))) {
      waves.push([test]);
      continue;
    }
    if (open.length === 0) waves.push(open);
    open.push(test);
    const size =
      TOGETHER[Math.min(waves.length - 1 + (tried > 0 ? TOGETHER.length : 0), TOGETHER.length - 1)];
    if (open.length === size) open = [];
  }
  return waves;
}
