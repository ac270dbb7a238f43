import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, SERVICE_ROLE, startEmbeddedPostgres } from '@firmquote/embedded-postgres';
import { asServiceRole } from '@firmquote/embedded-postgres/testing';
import pg from 'pg';
import { migrateAsOwner } from '../packages/service/src/database/migrate.ts';
import { SERVICE_ENVIRONMENT } from '../scripts/service-environment.mjs';
import type { Random } from './random.ts';
import type { Report } from './report.ts';

const MAIN = join(import.meta.dirname, '../packages/service/src/main.ts');
const OPERATOR = join(import.meta.dirname, '../packages/service/src/operator.ts');
/** Tokens name these and not the port, so that every instance takes them. */
export const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};
const START_LIMIT_MS = 90_000;
const DOWN_MS = 1_500;

interface Instance {
  readonly name: string;
  child: ChildProcess;
  url: string;
}

/** A database server of its own, durable, and two instances of the service on it. */
export class Cluster {
  readonly #folder: string;
  readonly #report: Report;
  #server: EmbeddedPostgres;
  #instances: Instance[] = [];
  #stopping = false;

  private constructor(folder: string, server: EmbeddedPostgres, report: Report) {
    this.#folder = folder;
    this.#server = server;
    this.#report = report;
  }

  static async start(folder: string, report: Report): Promise<Cluster> {
    const server = await startEmbeddedPostgres({ dataDir: join(folder, 'database') });
    await migrateAsOwner(server.connectionString, { name: SERVICE_ROLE });
    const cluster = new Cluster(folder, server, report);
    cluster.#instances = await Promise.all(['one', 'two'].map((name) => cluster.#startInstance(name)));
    return cluster;
  }

  get urls(): readonly string[] {
    return this.#instances.map(({ url }) => url);
  }

  /** The instances that run, with their processes. */
  get running(): readonly { readonly name: string; readonly pid: number }[] {
    return this.#instances.flatMap(({ name, child: { pid } }) => (pid === undefined ? [] : [{ name, pid }]));
  }

  nameOf(url: string): string {
    return this.#instances.find((each) => each.url === url)?.name ?? 'gone';
  }

  /** As the owner of the tables. */
  get databaseUrl(): string {
    return this.#server.connectionString;
  }

  /** Folder of `sandbox.json`. */
  get dataDir(): string {
    return join(this.#folder, 'service');
  }

  /** A connection beside the service's. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** What `npm run operator` prints, which is a line of JSON. */
  async operator(...args: string[]): Promise<unknown> {
    const env = this.#environment('operator');
    const { stdout } = await promisify(execFile)(process.execPath, [OPERATOR, ...args], { env });
    return JSON.parse(stdout);
  }

  /** @param name by which its sessions are known */
  #environment(name: string): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      ...SERVICE_ENVIRONMENT,
      ...ADDRESSES,
      FIRMQUOTE_PORT: '0',
      FIRMQUOTE_DATA_DIR: this.dataDir,
      FIRMQUOTE_ACCESS_LOG: 'off',
      DATABASE_URL: `${asServiceRole(this.databaseUrl)}?application_name=${name}`,
    };
  }

  async #startInstance(name: string): Promise<Instance> {
    const child = spawn(process.execPath, [MAIN], {
      env: this.#environment(name),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let rest = '';
    const instance: Instance = { name, child, url: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (instance.url === '') output += text;
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#logged(name, line);
    });
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => this.#report.note(`${name}: ${text.trim()}`));
    const deadline = performance.now() + START_LIMIT_MS;
    for (;;) {
      const url = /^Firmquote listens on (http:\/\/\S+)\n/m.exec(output)?.[1];
      if (url !== undefined) {
        instance.url = url;
        return instance;
      }
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} did not start: ${output}`);
      if (performance.now() > deadline) throw new Error(`${name} did not start in time: ${output}`);
      await sleep(20);
    }
  }

  /** What passes by itself is a warning of one line; anything else is a fault. */
  #logged(name: string, line: string): void {
    const level = /"level":"(warn|error|fatal)"/.exec(line)?.[1];
    if (level === undefined) return;
    this.#report.note(`${name}: ${line.slice(0, 2_000)}`);
    const hindrance = /"hindrance":"(\w+)"/.exec(line)?.[1];
    if (level !== 'warn' || line.includes('"stack"'))
      this.#report.violation('the logs tell of no fault', `${name}: ${line}`);
    else if (hindrance !== undefined) this.#report.count(`warnings: ${hindrance}`);
  }

  /** As in a power cut: the server and everybody in it. */
  async killDatabase(): Promise<void> {
    const { pid } = this.#server;
    const list = `/proc/${pid}/task/${pid}/children`;
    const children = existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean) : [];
    for (const each of [pid, ...children.map(Number)]) {
      try {
        process.kill(each, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    await this.#server.ended;
    this.#report.count('database killed');
    await this.#restartDatabase();
  }

  async stopDatabase(): Promise<void> {
    await this.#server.stop();
    this.#report.count('database stopped and started');
    await this.#restartDatabase();
  }

  async #restartDatabase(): Promise<void> {
    // Gives up what is held of the server that is gone.
    await this.#server.stop();
    await sleep(DOWN_MS);
    this.#server = await startEmbeddedPostgres({ dataDir: join(this.#folder, 'database') });
  }

  /** @param butFirst whether the first one is left alive */
  async killInstance(random: Random, butFirst = false): Promise<void> {
    const place = random.between(butFirst ? 1 : 0, this.#instances.length - 1);
    const instance = this.#instances[place] as Instance;
    instance.child.kill('SIGKILL');
    this.#report.count('instances killed');
    this.#instances[place] = await this.#startInstance(instance.name);
  }

  /**
   * Stops an instance while it is inside a transaction, for some seconds.
   * @returns whether it could be caught there
   */
  async freezeInstance(random: Random, forMs: number): Promise<boolean> {
    const { name, child } = random.pick(this.#instances);
    const observer = new pg.Client({ connectionString: this.databaseUrl });
    observer.on('error', () => undefined);
    await observer.connect();
    try {
      const deadline = performance.now() + 10_000;
      while (performance.now() < deadline) {
        child.kill('SIGSTOP');
        // What the server was at is over a moment later; a transaction that is still open waits for the instance.
        await sleep(30);
        const { rowCount } = await observer.query(
          `select from pg_stat_activity where application_name = $1 and state = 'idle in transaction'
             and backend_xid is not null`,
          [name],
        );
        if (rowCount) {
          this.#report.count('instances stopped inside a transaction');
          await sleep(forMs);
          return true;
        }
        child.kill('SIGCONT');
        await sleep(random.between(1, 40));
      }
      return false;
    } finally {
      child.kill('SIGCONT');
      await observer.end().catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    await this.stopInstances();
    await this.#server.stop();
  }

  /** In order, so that what is under way is finished. */
  async stopInstances(): Promise<void> {
    await Promise.all(
      this.#instances.map(async ({ child, name }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        const code = await ended;
        if (code !== 0) this.#report.violation('an instance stops in order', `${name} ended with ${code}`);
      }),
    );
  }
}
