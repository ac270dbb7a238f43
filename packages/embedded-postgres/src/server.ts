import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAs } from './account.ts';
import { type ClusterInput, serverEnvironment } from './initialise.ts';
import { serverArguments } from './settings.ts';
import { SOCKET_PORT } from './socket-directory.ts';

/** Recovery after a crash replays up to `max_wal_size`; it is let finish on slow disks. */
const READY_LIMIT_MS = 600_000; // limit: Time for the embedded PostgreSQL to be ready
const READY_POLL_MS = 10;
const SLOW_START_MS = 5_000;
/** Shutdown writes a checkpoint. Past the first limit it is cut short, and the next start recovers. */
const STOP_LIMITS_MS = { SIGINT: 30_000, SIGQUIT: 5_000, SIGKILL: 5_000 } as const;

/** How the postmaster ended. */
export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface RunningServer {
  readonly pid: number;
  readonly ended: Promise<ServerEnd>;
  stop(): Promise<void>;
}

interface ServerInput extends ClusterInput {
  readonly socketDirectory: string;
  /** Open file for the server's messages. */
  readonly logFile: number;
  readonly log: (message: string) => void;
}

/**
 * Becomes the postmaster, after leaving behind a watcher that outlives it in a process of its own. The watcher's end
 * of a pipe reads end-of-file when the service is gone, however it went, and then shuts the server down: politely,
 * and after a minute with the help of the next recovery. Started before the server, so that there is no moment
 * without it; a grandchild, since a postmaster wonders about children that it did not start.
 */
const START_UNDER_WATCH = `
server=$$
watch() {
  cat <&3
  kill -INT "$server" || exit
  seconds=0
  while kill -0 "$server" && [ "$seconds" -lt 60 ]; do sleep 1; seconds=$((seconds + 1)); done
  kill -QUIT "$server"
}
( watch >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`;

/**
 * Starts the postmaster in a session of its own, so that Ctrl-C in the terminal reaches the service only, which stops
 * the server when its requests have drained. Resolves when the server takes connections.
 */
export async function startServer(input: ServerInput): Promise<RunningServer> {
  const { data, account, binaries, logFile } = input;
  const postgres = join(binaries.directory, 'bin/postgres');
  const child = spawn(
    '/bin/sh',
    // Named $0 for who reads a process list; -D first, as the search for a left-over server expects it.
    ['-c', START_UNDER_WATCH, 'firmquote-database', postgres, '-D', data, ...settingsOf(input)],
    {
      ...runAs(account),
      env: serverEnvironment(),
      detached: true,
      stdio: ['ignore', logFile, logFile, 'pipe'],
    },
  );
  const ended = once(child, 'exit').then(([code, signal]): ServerEnd => ({ code, signal }));
  ended.catch(() => {});
  const lifeline = child.stdio[3] as Readable;
  lifeline.on('error', () => {});
  ended.then(
    () => lifeline.destroy(),
    () => lifeline.destroy(),
  );
  try {
    await untilReady(input, child, ended);
  } catch (error) {
    await stopServer(child, ended, input.log);
    throw error;
  }
  // The server must not keep a process alive that has nothing else to do; the watcher then ends it.
  child.unref();
  if ('unref' in lifeline && typeof lifeline.unref === 'function') lifeline.unref();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= stopServer(child, ended, input.log);
    return stopped;
  };
  return { pid: child.pid ?? 0, ended, stop };
}

function settingsOf({ durable, socketDirectory, connections }: ServerInput): string[] {
  return serverArguments({ durable, socketDirectory, port: SOCKET_PORT, connections });
}

async function untilReady(input: ServerInput, child: ChildProcess, ended: Promise<ServerEnd>): Promise<void> {
  const started = performance.now();
  let end: ServerEnd | undefined;
  ended.then(
    (how) => {
      end = how;
    },
    () => {},
  );
  if (child.pid === undefined) await ended;
  let reportedSlow = false;
  while (!isReady(input.data, child.pid)) {
    if (end !== undefined)
      throw new Error(`PostgreSQL ended at once (${end.signal ?? `exit code ${end.code}`})`);
    const waited = performance.now() - started;
    if (waited > READY_LIMIT_MS) throw new Error(`PostgreSQL was not ready after ${READY_LIMIT_MS / 1000} s`);
    if (waited > SLOW_START_MS && !reportedSlow) {
      input.log('PostgreSQL is still starting; after a crash it first replays its log.');
      reportedSlow = true;
    }
    await sleep(READY_POLL_MS);
  }
}

/** Lines 1 and 8 of postmaster.pid: process id and status. A file of an earlier server names another process. */
function isReady(data: string, pid: number | undefined): boolean {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return Number.parseInt(lines[0] ?? '', 10) === pid && lines[7]?.trim() === 'ready';
}

async function stopServer(
  child: ChildProcess,
  ended: Promise<ServerEnd>,
  log: (message: string) => void,
): Promise<void> {
  child.ref();
  const settled = ended.then(
    () => true,
    () => true,
  );
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const limit = new AbortController();
    const timeout = sleep(STOP_LIMITS_MS[signal], false, { signal: limit.signal }).catch(() => false);
    const done = await Promise.race([settled, timeout]);
    limit.abort();
    if (done) return;
    log(`PostgreSQL did not end within ${STOP_LIMITS_MS[signal] / 1000} s of ${signal}.`);
  }
}
