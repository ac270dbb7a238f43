import { execFile, execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { promisify } from 'node:util';
import type { EmbeddedPostgres } from '@firmquote/embedded-postgres';

const run = promisify(execFile);
export const PGBENCH_CLIENTS = 16;
const DATABASE = 'pgbench';

/** `pgbench`, the newest where there are several, with its version; undefined where there is none. */
export function findPgbench(): { readonly program: string; readonly version: string } | undefined {
  const packaged = globSync('/usr/lib/postgresql/*/bin/pgbench').sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  );
  for (const program of ['pgbench', ...packaged]) {
    try {
      const text = execFileSync(program, ['--version'], { encoding: 'utf8' });
      return { program, version: /\d[\d.]*/.exec(text)?.[0] ?? '' };
    } catch {
      // Not on the path.
    }
  }
  return undefined;
}

/** TPC-B, as PostgreSQL's own load program does it, in a database beside the service's: one ledger transaction a commit. */
export class Pgbench {
  readonly #program: string;
  readonly #environment: Record<string, string | undefined>;

  constructor(program: string, { poolOptions }: EmbeddedPostgres) {
    this.#program = program;
    const { host, port, user } = poolOptions;
    this.#environment = { PATH: process.env.PATH, PGHOST: host, PGPORT: String(port), PGUSER: user };
  }

  async prepare(query: (sql: string) => Promise<unknown>, scale: number): Promise<void> {
    await query(`create database ${DATABASE}`);
    await this.#run(['--initialize', '--quiet', `--scale=${scale}`]);
  }

  /** With prepared statements, as the service has them. @returns transactions a second */
  async measure(seconds: number): Promise<number> {
    const clients = `--client=${PGBENCH_CLIENTS}`;
    const text = await this.#run([clients, '--jobs=2', `--time=${seconds}`, '--no-vacuum', '-M', 'prepared']);
    const tps = Number(/^tps = ([\d.]+)/m.exec(text)?.[1]);
    if (!(tps > 0)) throw new Error(`pgbench says no figure: ${text}`);
    return tps;
  }

  async #run(flags: readonly string[]): Promise<string> {
    const { stdout } = await run(this.#program, [...flags, DATABASE], { env: this.#environment });
    return stdout;
  }
}
