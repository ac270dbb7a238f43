import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
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
    if (isSql) this.#templates ??= new Set(await this.#databases());
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
    const { run, coverage, kills, most } = this.#options;
    const tried = new Set<string>();
    for await (const tests of this.#candidates(mutant, text)) {
      for (const wave of wavesOf(tests.slice(0, most - tried.size))) {
        for (const test of wave) tried.add(test);
        const usual = Math.max(...wave.map((test) => coverage.millisecondsOf(test)));
        const verdict = await run.run(wave, {}, usual);
        if (verdict.outcome === 'passed') for (const test of wave) coverage.trust(test);
        const isSpecific = wave.every(
          (test) => kills.of(mutant.file, test) > 0 || this.#distance(mutant, test) < OWN_ROOM,
        );
        if (verdict.outcome === 'passed' || !(await this.#isOfTheChange(wave, verdict, usual, isSpecific)))
          continue;
        for (const test of wave) kills.add(mutant.file, test);
        const by = `${wave.length === 1 ? basename(wave[0] ?? '') : `${wave.length} files`}: ${verdict.message}`;
        return { outcome: verdict.outcome === 'stuck' ? 'stuck' : 'killed', by };
      }
      if (tried.size >= most) break;
    }
    return { outcome: tried.size === 0 ? 'untested' : 'survived', by: `${tried.size} test files` };
  }

  /** Test files that run the place, in parts, so that no more of them are measured than are needed. */
  async *#candidates(mutant: Mutant, text: string): AsyncGenerator<readonly string[]> {
    const { coverage } = this.#options;
    const rest = this.#ranked(mutant, text);
    while (rest.length > 0) {
      const part = rest.splice(0, MEASURED_AT_ONCE);
      await coverage.measure(part);
      yield part.filter(
        (test) =>
          coverage.isGreen(test) &&
          (mutant.firstTests.includes(test) || mutant.places.some((place) => coverage.runs(test, place))),
      );
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

  /**
   * Whether the tests pass without the change: otherwise the failure says nothing about it. What the time may be the
   * reason of is looked at each time; the rest when not all of the tests have passed in this run.
   */
  async #isOfTheChange(
    tests: readonly string[],
    { outcome, message }: Verdict,
    usual: number,
    isSpecific: boolean,
  ): Promise<boolean> {
    const { control, coverage } = this.#options;
    const isOfTime = outcome === 'stuck' || IS_OF_TIME.test(message);
    const isTrusted = !isOfTime && tests.every((test) => coverage.isTrusted(test));
    if (isTrusted && isSpecific) return true;
    const passes = isTrusted || (await control.run(tests, {}, usual)).outcome === 'passed';
    for (const test of tests) passes ? coverage.trust(test) : coverage.distrust(test);
    if (!passes || outcome === 'stuck') return passes;
    // A test that is not made for the place, or waits for something, may fail by chance, but not twice.
    if (isSpecific && !isOfTime) return true;
    return (await this.#options.run.run(tests, {}, usual)).outcome !== 'passed';
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

/** Pure tests share a process, so that many cost little more than one. */
function wavesOf(tests: readonly string[]): string[][] {
  const pure = tests.filter(isPure);
  const rest = tests.filter((test) => !isPure(test)).map((test) => [test]);
  return pure.length === 0 ? rest : [pure, ...rest];
}
