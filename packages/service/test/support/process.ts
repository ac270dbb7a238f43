import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningPostgres } from '@firmquote/embedded-postgres';
import { databaseProcesses } from '@firmquote/embedded-postgres/testing';
import { createPool, type Pool } from '../../src/database/pool.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
/** Limits are for what never comes: a machine with other work takes twenty times as long as one of its own. */
const START_LIMIT_MS = 180_000;
const WAIT_LIMIT_MS = 90_000;

/** How a process ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The service in a process of its own, which a test may kill. */
export interface ServiceProcess {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly child: ChildProcess;
  readonly ended: Promise<End>;
  stdout(): string;
  stderr(): string;
  /** Sends the signal and answers how the process ended. */
  end(signal: NodeJS.Signals): Promise<End>;
}

export type Environment = Readonly<Record<string, string>>;

/** A folder of its own, passable for the embedded database's user; removed when the test and its processes are over. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-process-'));
  chmodSync(folder, 0o711);
  // A server that is just ending still writes a file or two.
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

/** Starts the service on a free port and waits until it listens. It is killed at the end of the test. `main` may be another version's. */
export async function startService(
  t: TestContext,
  dataDir: string,
  environment: Environment = {},
  main = MAIN,
): Promise<ServiceProcess> {
  const started = spawnProgram(t, [main], { FIRMQUOTE_DATA_DIR: dataDir, ...environment });
  t.after(() => databaseEnded(dataDir));
  const { child, output, ended } = started;
  const deadline = performance.now() + START_LIMIT_MS;
  let address: RegExpExecArray | null = null;
  while (address === null) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const { stdout, stderr } = await ended;
      throw new Error(`the service ended (${child.exitCode ?? child.signalCode}):\n${stdout}${stderr}`);
    }
    if (performance.now() > deadline) throw new Error(`no start in time:\n${output.stdout}${output.stderr}`);
    await sleep(10);
    address = /^Firmquote listens on (http:\/\/\S+)\n/m.exec(output.stdout);
  }
  return {
    baseUrl: address[1] ?? '',
    dataDir,
    child,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs the service, or another program of the project, until it ends by itself. */
export function runProgram(
  t: TestContext,
  environment: Environment,
  file = MAIN,
  ...args: string[]
): Promise<End> {
  return spawnProgram(t, [file, ...args], environment).ended;
}

export function spawnProgram(t: TestContext, args: string[], environment: Environment) {
  const child = spawn(process.execPath, args, {
    env: { ...ownEnvironment(), FIRMQUOTE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): End => ({ code, signal, ...output }));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, output, ended };
}

/** What this process was started with, without the settings that the tests themselves got. */
function ownEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(FIRMQUOTE_|NODE_TEST|npm_)|^DATABASE_URL$|^NODE_V8_COVERAGE$/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}

/** The embedded server notices by itself that its service is gone, and ends. */
export function databaseEnded(dataDir: string): Promise<void> {
  return until('the end of PostgreSQL', () => databaseProcesses(dataDir).length === 0);
}

/** Connections beside the service's own to its running embedded database. */
export function embeddedPool(t: TestContext, dataDir: string): Pool {
  const pool = createPool({
    connection: runningPostgres(dataDir, true),
    max: 2,
    // The server that it is connected to may be killed.
    onError: () => undefined,
  });
  let ended = false;
  const end = pool.end.bind(pool);
  pool.end = async () => {
    if (!ended) await end();
    ended = true;
  };
  t.after(() => pool.end());
  return pool;
}

/** One that nobody listens on, for a program that cannot choose one by itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits for something that another process brings about. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = WAIT_LIMIT_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await sleep(20);
  }
}
