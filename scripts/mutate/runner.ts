import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readDefinitions } from '../../packages/service/src/database/definitions.ts';
import { migrate, readMigrations, schemaOf } from '../../packages/service/src/database/migrate.ts';
import { createPool } from '../../packages/service/src/database/pool.ts';
import { applied } from './change.ts';
import type { Coverage } from './coverage.ts';
import type { Modules } from './modules.ts';
import { FUNCTIONS, MIGRATIONS, type Mutant } from './mutants.ts';
import type { TestRun } from './test-run.ts';

/** `invalid`: the database refuses the schema. `untested`: no test runs the place. */
export type Outcome = 'killed' | 'survived' | 'invalid' | 'untested';

/** Test files that are started at once; the next ones only when these noticed nothing. */
const WAVE = 4;
/** Of the domain, whose tests are quick. */
const DOMAIN_WAVE = 100;

export interface RunnerOptions {
  readonly tree: string;
  /** A server that nobody else uses. */
  readonly database: string;
  readonly modules: Pick<Modules, 'testsOf'>;
  readonly coverage: Coverage;
  readonly run: TestRun;
  /** Test files that are tried for a mutant at most. */
  readonly most: number;
}

/** Tries mutants in a copy of the project, one after the other, with the tests that run what they change. */
export class MutantRunner {
  readonly #options: RunnerOptions;
  /** How many mutants of a file a test has noticed. */
  readonly #kills = new Map<string, number>();
  #templates: ReadonlySet<string> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async run(mutant: Mutant): Promise<Outcome> {
    const { tree, run, most } = this.#options;
    const path = join(tree, mutant.file);
    const original = readFileSync(path, 'utf8');
    const isSql = mutant.file.endsWith('.sql');
    if (isSql) this.#templates ??= new Set(await this.#databases());
    const tried = new Set<string>();
    try {
      if (isSql && !(await this.#migrates(path, applied(original, mutant.change)))) return 'invalid';
      for (const tests of this.#phasesOf(mutant)) {
        // Which tests run it is measured without the change.
        writeFileSync(path, original);
        const chosen = (await this.#choose(mutant, tests)).filter((test) => !tried.has(test));
        writeFileSync(path, applied(original, mutant.change));
        for (const wave of wavesOf(chosen.slice(0, most - tried.size))) {
          for (const test of wave) tried.add(test);
          if (await run.passes(wave)) continue;
          this.#remember(mutant, wave);
          return 'killed';
        }
      }
      return tried.size === 0 ? 'untested' : 'survived';
    } finally {
      writeFileSync(path, original);
      if (isSql && !run.isAborted) await this.#dropTemplates();
    }
  }

  /** Tests that may notice it: those made for its like, those of its room, then all that reach it. */
  #phasesOf({ places, firstTests }: Mutant): (readonly string[])[] {
    const files = [...new Set(places.map(({ file }) => file))];
    const { near, far } = this.#options.modules.testsOf(files);
    return [firstTests, near, far];
  }

  /** Those that run the place, first those that noticed something in its file, then the quickest. */
  async #choose({ file, places, firstTests }: Mutant, tests: readonly string[]): Promise<string[]> {
    const { coverage } = this.#options;
    await coverage.measure(tests, file);
    const kills = (test: string) => this.#kills.get(`${file} ${test}`) ?? 0;
    return tests
      .filter((test) => coverage.isGreen(test))
      .filter((test) => firstTests.includes(test) || places.some((place) => coverage.runs(test, place)))
      .sort((a, b) => kills(b) - kills(a) || coverage.millisecondsOf(a) - coverage.millisecondsOf(b));
  }

  #remember({ file }: Mutant, tests: readonly string[]): void {
    for (const test of tests) {
      const key = `${file} ${test}`;
      this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
    }
  }

  /** Whether the database takes the schema with the change. */
  async #migrates(path: string, changed: string): Promise<boolean> {
    writeFileSync(path, changed);
    const name = 'firmquote_mutant';
    const folder = (path: string) => pathToFileURL(`${join(this.#options.tree, path)}/`);
    const url = new URL(this.#options.database);
    url.pathname = `/${name}`;
    await this.#admin(`create database ${name}`);
    const pool = createPool({ connection: url.href, max: 1, onError: () => undefined });
    try {
      const definitions = await readDefinitions(folder(FUNCTIONS));
      await migrate(pool, schemaOf(await readMigrations(folder(MIGRATIONS)), definitions));
      return true;
    } catch {
      return false;
    } finally {
      await pool.end();
      await this.#admin(`drop database ${name} with (force)`);
    }
  }

  /** Databases that were made from a changed schema, or that tests left which were ended. */
  async #dropTemplates(): Promise<void> {
    for (const name of await this.#databases()) {
      if (!this.#templates?.has(name)) await this.#admin(`drop database if exists ${name} with (force)`);
    }
  }

  async #databases(): Promise<string[]> {
    const rows = await this.#admin(
      `select datname as name from pg_database where datname like 'firmquote\\_%'`,
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

/** The domain's tests share a process, so that many cost little more than one. */
function wavesOf(tests: readonly string[]): string[][] {
  const waves: string[][] = [];
  for (const test of tests) {
    const last = waves.at(-1);
    const size = test.startsWith('packages/fx/') ? DOMAIN_WAVE : WAVE;
    const isSameKind = last?.[0]?.startsWith('packages/fx/') === test.startsWith('packages/fx/');
    if (last !== undefined && isSameKind && last.length < size) last.push(test);
    else waves.push([test]);
  }
  return waves;
}
