import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../packages/service/src/database/embedded/index.ts';
import { migrateAsOwner } from '../packages/service/src/database/migrate.ts';
import { asServiceRole, SERVICE_ROLE } from '../packages/service/src/database/service-role.ts';
import { bytesPerTrade, footprint } from './bytes.ts';
import type { LoadOrder, LoadResult } from './load.ts';

/**
 * `npm run bench [-- --seconds 3 --rounds 5 --connections 64 --path quote --tables]`
 *
 * Load from a second process against the service on a durable PostgreSQL of its own, each path beside the floor (see
 * floor.ts), the two measured in turns in one run. Every answer is checked, and in the end the database must hold
 * exactly the rows that were answered for. What a trade takes on disk and in the write-ahead log is printed with it, with
 * `--tables` for each table and index.
 */
const ROOT = join(import.meta.dirname, '..');

// Trades before quotes: quotes that nobody executes expire half a minute later, each with its event, and that work
// belongs to their own path.
const PATHS = ['indicative', 'trade', 'quote'] as const;

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly paths: readonly LoadOrder['path'][];
  readonly isByTable: boolean;
}

function readOptions(argv: readonly string[]): Options {
  const value = (name: string, fallback: number, max: number): number => {
    const at = argv.indexOf(`--${name}`);
    if (at < 0) return fallback;
    const text = argv[at + 1] ?? '';
    const number = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0;
    if (number < 1 || number > max) throw new Error(`--${name} takes a whole number from 1 to ${max}`);
    return number;
  };
  const at = argv.indexOf('--path');
  const paths = at < 0 ? PATHS : PATHS.filter((path) => path === argv[at + 1]);
  if (paths.length === 0) throw new Error(`--path takes one of ${PATHS.join(', ')}`);
  return {
    paths,
    seconds: value('seconds', 3, 60),
    rounds: value('rounds', 5, 20),
    connections: value('connections', 64, 512),
    isByTable: argv.includes('--tables'),
  };
}

const children: ChildProcess[] = [];

/** Starts a script of this repository and waits for the line that tells its port. */
function startServer(
  script: string,
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [join(ROOT, script)], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const port = /listens on (?:http:\/\/127\.0\.0\.1:)?(\d+)/.exec(text)?.[1];
      if (port !== undefined) resolve({ child, port: Number.parseInt(port, 10) });
    });
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${text.slice(-500)}`)));
  });
}

function load(order: LoadOrder): Promise<LoadResult> {
  const child = spawn(process.execPath, [join(ROOT, 'bench/load.ts'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.once('exit', (code) =>
      code === 0 ? resolve(JSON.parse(text) as LoadResult) : reject(new Error(`load ended with ${code}`)),
    );
  });
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

async function token(baseUrl: string, audience: string, client: Credentials): Promise<string> {
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      audience,
      grant_type: 'client_credentials',
    }),
  });
  const body = (await response.json()) as { access_token?: string };
  if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.access_token;
}

interface Measured {
  readonly floor: LoadResult[];
  readonly service: LoadResult[];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const GOALS: Readonly<Record<LoadOrder['path'], number>> = { indicative: 0.6, quote: 0.4, trade: 0.2 };

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const folder = await mkdtemp(join(tmpdir(), 'fq-bench-'));
  // As root, the database runs as another user, who has to get through here.
  await chmod(folder, 0o711);
  const database = await startEmbeddedPostgres({ dataDir: folder });
  const pool = new pg.Pool({ ...database.poolOptions, max: 2 });
  // A connection that is closed while the database stops has nothing more to say.
  pool.on('error', () => undefined);
  try {
    await migrateAsOwner(database.connectionString, { name: SERVICE_ROLE });
    const floor = await startServer('bench/floor.ts', {});
    const service = await startServer('packages/service/src/main.ts', {
      DATABASE_URL: asServiceRole(database.connectionString),
      FIRMQUOTE_DATA_DIR: join(folder, 'service'),
      FIRMQUOTE_PORT: '0',
      FIRMQUOTE_LOG_LEVEL: 'warn',
    });
    const baseUrl = `http://127.0.0.1:${service.port}`;
    const sandbox = JSON.parse(await readFile(join(folder, 'service', 'sandbox.json'), 'utf8')) as {
      audience: string;
      customer: Credentials;
      operator: Credentials;
    };
    await holdDeposits(baseUrl, await token(baseUrl, sandbox.audience, sandbox.operator));
    const access = await token(baseUrl, sandbox.audience, sandbox.customer);
    await printMachine(pool, options);

    const expected = { quotes: 0, transactions: 0 };
    let failed = false;
    let stored: string[] = [];
    const order = {
      connections: options.connections,
      warmUpMs: 1_500,
      measureMs: options.seconds * 1_000,
      keys: true,
      token: access,
    };
    for (const path of options.paths) {
      const measured: Measured = { floor: [], service: [] };
      const before = await footprint(pool);
      for (let round = 0; round < options.rounds; round++) {
        measured.floor.push(await load({ ...order, path, port: floor.port }));
        const result = await load({ ...order, path, port: service.port });
        measured.service.push(result);
        if (path !== 'indicative') expected.quotes += result.total;
        if (path === 'trade') expected.transactions += result.total;
      }
      failed = print(path, measured) || failed;
      if (path === 'trade')
        stored = bytesPerTrade(before, await footprint(pool), expected.transactions, options.isByTable);
    }
    if (stored.length > 0) console.log(`\n${stored.join('\n')}`);
    return (await checkRows(pool, expected)) && !failed ? 0 : 1;
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
    await Promise.all(
      children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))),
    );
    await pool.end();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The simulated bank would pay in for every trade a few seconds later and so be measured too. */
async function holdDeposits(baseUrl: string, operatorToken: string): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/sandbox/bank`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${operatorToken}` },
    body: JSON.stringify({ autoDeposit: false }),
  });
  if (!response.ok) throw new Error(`the sandbox's bank cannot be set: ${await response.text()}`);
}

async function printMachine(pool: pg.Pool, options: Options): Promise<void> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  const cpu = cpus();
  console.log(
    `${cpu.length} × ${cpu[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, PostgreSQL ${rows[0]?.server_version}`,
  );
  console.log(
    `closed loop, ${options.connections} connections, ${options.rounds} rounds of ${options.seconds} s after 1.5 s of warm-up; floor and service in turns\n`,
  );
  console.log('| path | floor /s | service /s | of the floor | wanted | p50 ms | p95 ms | p99 ms | errors |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
}

const NAMES: Readonly<Record<LoadOrder['path'], string>> = {
  indicative: 'indicative quote',
  quote: 'firm quote',
  trade: 'firm quote + execute',
};

/** Prints a row; answers whether something failed. */
function print(path: LoadOrder['path'], { floor, service }: Measured): boolean {
  const floorRate = median(floor.map((each) => each.perSecond));
  const serviceRate = median(service.map((each) => each.perSecond));
  const ratio = median(service.map((each, i) => each.perSecond / (floor[i]?.perSecond ?? 1)));
  const errors = [...floor, ...service].reduce((sum, each) => sum + each.errors, 0);
  const ms = (pick: (each: LoadResult) => number) => median(service.map(pick)).toFixed(1);
  console.log(
    `| ${NAMES[path]} | ${Math.round(floorRate)} | ${Math.round(serviceRate)} | ${ratio.toFixed(2)} | ${GOALS[path].toFixed(2)} | ${ms((r) => r.p50Ms)} | ${ms((r) => r.p95Ms)} | ${ms((r) => r.p99Ms)} | ${errors} |`,
  );
  const firstError = [...floor, ...service].find((each) => each.firstError !== undefined)?.firstError;
  if (firstError !== undefined) console.log(`first error: ${firstError}`);
  return errors > 0;
}

async function checkRows(
  pool: pg.Pool,
  expected: { quotes: number; transactions: number },
): Promise<boolean> {
  const { rows } = await pool.query<{ quotes: number; transactions: number; entries: number; off: number }>(
    `select (select count(*) from quotes)::int as quotes, (select count(*) from transactions)::int as transactions,
            (select count(*) from journal_entries)::int as entries,
            (select count(*) from (select currency from balances group by currency having sum(balance) <> 0) b)::int as off`,
  );
  const found = rows[0];
  const right =
    found !== undefined &&
    found.quotes === expected.quotes &&
    found.transactions === expected.transactions &&
    found.entries === expected.transactions &&
    found.off === 0;
  console.log(
    `\nanswered for ${expected.quotes} quotes and ${expected.transactions} transactions; the database holds ${found?.quotes} and ${found?.transactions}, with ${found?.entries} journal entries and ${found?.off} currencies out of balance: ${right ? 'right' : 'WRONG'}`,
  );
  return right;
}

process.exitCode = await main();
