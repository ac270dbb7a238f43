import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { migrate, readMigrations } from '../../packages/service/src/database/migrate.ts';
import { createPool } from '../../packages/service/src/database/pool.ts';
import { applied } from './change.ts';
import { MIGRATIONS, type Mutant } from './mutants.ts';

/** `invalid`: the database refuses the migration. `untested`: no test file reaches it. */
export type Outcome = 'killed' | 'survived' | 'invalid' | 'untested';

/** Test files that are started at once; the next ones only when these noticed nothing. */
const WAVE = 4;
const CONCURRENCY = 2;
/** A wave that takes longer hangs, which is noticed too. */
const WAVE_LIMIT_MS = 120_000;

export interface RunnerOptions {
  readonly tree: string;
  readonly folder: string;
  /** A server that nobody else uses. */
  readonly database: string;
  readonly signal: AbortSignal;
}

/** Tries mutants in a copy of the project, one after the other. */
export class MutantRunner {
  readonly #options: RunnerOptions;
  /** What each test file does in the unchanged copy. */
  readonly #isGreen = new Map<string, boolean>();
  #templates: ReadonlySet<string> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Test files that fail without any change, and say nothing about mutants. */
  get unreliable(): string[] {
    return [...this.#isGreen].filter(([, isGreen]) => !isGreen).map(([file]) => file);
  }

  async run(mutant: Mutant, tests: readonly string[]): Promise<Outcome> {
    if (tests.length === 0) return 'untested';
    const path = join(this.#options.tree, mutant.file);
    const original = readFileSync(path, 'utf8');
    const isSql = mutant.file.startsWith(MIGRATIONS);
    try {
      for (let from = 0; from < tests.length; from += WAVE) {
        writeFileSync(path, original);
        const wave = await this.#green(tests.slice(from, from + WAVE));
        if (wave.length === 0) continue;
        if (isSql) this.#templates ??= new Set(await this.#databases());
        writeFileSync(path, applied(original, mutant.change));
        if (isSql && from === 0 && !(await this.#migrates())) return 'invalid';
        if (!(await this.#passes(wave))) return 'killed';
      }
      return 'survived';
    } finally {
      writeFileSync(path, original);
      if (isSql && !this.#options.signal.aborted) await this.#dropTemplates();
    }
  }

  async #green(files: readonly string[]): Promise<string[]> {
    const unknown = files.filter((file) => !this.#isGreen.has(file));
    if (unknown.length > 0 && (await this.#passes(unknown))) {
      for (const file of unknown) this.#isGreen.set(file, true);
    } else {
      for (const file of unknown) this.#isGreen.set(file, await this.#passes([file]));
    }
    return files.filter((file) => this.#isGreen.get(file));
  }

  /** Whether all tests of the files pass; ends them with the first that does not. */
  async #passes(files: readonly string[]): Promise<boolean> {
    const { tree, folder, database, signal } = this.#options;
    signal.throwIfAborted();
    const runner = ['--test', '--test-reporter=tap', `--test-concurrency=${CONCURRENCY}`];
    // A group of its own, so that what tests have started ends with them.
    const child = spawn(process.execPath, [...runner, ...files], {
      cwd: tree,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        // Of a run of tests that this one may be part of.
        NODE_TEST_CONTEXT: undefined,
        FIRMQUOTE_TEST_DATABASE_URL: database,
        TMPDIR: folder,
        NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
      },
    });
    let hasFailed = false;
    const stop = () => {
      hasFailed = true;
      endGroup(child);
    };
    const limit = setTimeout(stop, WAVE_LIMIT_MS);
    signal.addEventListener('abort', stop);
    let line = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (line + text).split('\n');
      line = lines.pop() ?? '';
      if (lines.some((each) => /^\s*not ok /.test(each))) stop();
    });
    const [code] = await once(child, 'close').finally(() => {
      clearTimeout(limit);
      signal.removeEventListener('abort', stop);
      endGroup(child);
    });
    signal.throwIfAborted();
    return code === 0 && !hasFailed;
  }

  async #migrates(): Promise<boolean> {
    const name = 'firmquote_mutant';
    const folder = pathToFileURL(`${join(this.#options.tree, MIGRATIONS)}/`);
    const url = new URL(this.#options.database);
    url.pathname = `/${name}`;
    await this.#admin(`create database ${name}`);
    const pool = createPool({ connection: url.href, max: 1, onError: () => undefined });
    try {
      await migrate(pool, await readMigrations(folder));
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

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended, and all that it had started.
  }
}
