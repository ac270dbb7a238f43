import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../platform/logger.ts';
import { readGatewayLines } from './gateway-lines.ts';
import type { FixSessionSettings, ServiceLine, StatusLine, VenueLine } from './protocol.ts';

const PACKAGE = resolve(import.meta.dirname, '../../../../fix-gateway');

/** Without a sign of life for this long the gateway is killed: it writes once a second. */
const SILENCE_LIMIT_MS = 10_000; // limit: Silence after which the FIX gateway is started again
/** Until its first line: reading its library takes a second and a half of CPU, and a busy machine may give it little. */
export const START_LIMIT_MS = 60_000; // limit: Time for the FIX gateway to start
/** Its sessions log out meanwhile. */
export const STOP_LIMIT_MS = 6_000; // limit: Time for the FIX gateway to end
const RESTART_MS = { first: 500, max: 30_000 } as const;
/** A gateway that has run for this long did not fail at its start. */
const HEALTHY_MS = 60_000;
const ERROR_LENGTH_MAX = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Whoever a session belongs to. */
export interface SessionOwner {
  line(line: VenueLine): void;
  status(line: StatusLine): void;
  /** The process ended; it is started again. */
  lost(reason: string): void;
}

export interface GatewayProcessOptions {
  /** Folder of the sequence numbers. */
  readonly folder: string;
  readonly logger: Logger;
  /** Program and arguments; replaced in tests. */
  readonly command?: readonly [program: string, ...args: string[]];
  readonly restartMs?: { readonly first: number; readonly max: number };
  readonly silenceLimitMs?: number;
}

/** Whether `npm ci` was run for the gateway, whose library is not part of the service's own installation. */
export function isGatewayInstalled(): boolean {
  return existsSync(join(PACKAGE, 'node_modules/jspurefix/package.json'));
}

/**
 * The process of all FIX sessions. It is started with the first session and ended with the last one; when it ends by
 * itself or falls silent, it is started again, with a growing pause. Settings, passwords among them, go to its standard
 * input: they stand neither in its arguments nor in its environment. Its input's end is its own end, so it never
 * outlives the service.
 */
export class GatewayProcess {
  readonly #options: GatewayProcessOptions;
  readonly #sessions = new Map<
    string,
    { readonly settings: FixSessionSettings; readonly owner: SessionOwner }
  >();
  #child: Child | undefined;
  #restart: NodeJS.Timeout | undefined;
  #failures = 0;
  #restarts = 0;

  constructor(options: GatewayProcessOptions) {
    this.#options = options;
  }

  /** How often it had to be started again. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Process id while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Begins to hold the session. */
  attach(settings: FixSessionSettings, owner: SessionOwner): void {
    this.#sessions.set(settings.name, { settings, owner });
    if (this.#child !== undefined) this.#startSessions([settings]);
    else if (this.#restart === undefined) this.#spawn();
  }

  /** Ends the session. The last one's end is the end of the process, which is waited for. */
  async detach(name: string): Promise<void> {
    if (!this.#sessions.delete(name)) return;
    if (this.#sessions.size > 0) {
      this.send({ type: 'end', session: name });
      return;
    }
    clearTimeout(this.#restart);
    this.#restart = undefined;
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    this.send({ type: 'stop' });
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(limit);
  }

  /** False when there is no process to send to. */
  send(line: ServiceLine): boolean {
    const input = this.#child?.stdin;
    if (input === undefined || !input.writable) return false;
    input.write(`${JSON.stringify(line)}\n`);
    return true;
  }

  #startSessions(sessions: readonly FixSessionSettings[]): void {
    this.send({ type: 'start', folder: this.#options.folder, sessions });
  }

  #spawn(): void {
    const { command = [process.execPath, join(PACKAGE, 'src/main.ts')] } = this.#options;
    const [program, ...args] = command;
    const child = spawn(program, args, { env: environment(), stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    const healthy = setTimeout(() => {
      this.#failures = 0;
    }, HEALTHY_MS).unref();
    let error = '';
    const silence = this.#watchSilence(child, (reason) => {
      error = reason;
    });
    child.stdin.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      error = `${error}${text}`.slice(-ERROR_LENGTH_MAX);
    });
    readGatewayLines(
      child.stdout,
      (line) => {
        silence.alive();
        if (line.type === 'ready')
          return this.#startSessions([...this.#sessions.values()].map((s) => s.settings));
        const owner = this.#sessions.get(line.session)?.owner;
        if (line.type === 'status') owner?.status(line);
        else owner?.line(line);
      },
      (reason) => {
        error = reason;
        child.kill('SIGKILL');
      },
    );
    child.once('error', (cause) => {
      error = cause.message;
    });
    child.once('close', (code, signal) => {
      clearTimeout(healthy);
      silence.end();
      this.#child = undefined;
      this.#onEnd(lastLineOf(error) ?? `ended with ${signal ?? `exit code ${code}`}`);
    });
  }

  #watchSilence(child: Child, onSilence: (reason: string) => void) {
    const { silenceLimitMs } = this.#options;
    const limitedTo = (limitMs: number): NodeJS.Timeout =>
      setTimeout(() => {
        onSilence(`unresponsive for ${limitMs / 1000} s`);
        child.kill('SIGKILL');
      }, limitMs).unref();
    let timer = limitedTo(silenceLimitMs ?? START_LIMIT_MS);
    let hasStarted = false;
    return {
      alive(): void {
        if (hasStarted) {
          timer.refresh();
          return;
        }
        hasStarted = true;
        clearTimeout(timer);
        timer = limitedTo(silenceLimitMs ?? SILENCE_LIMIT_MS);
      },
      end: () => clearTimeout(timer),
    };
  }

  #onEnd(reason: string): void {
    if (this.#sessions.size === 0) return;
    const { first, max } = this.#options.restartMs ?? RESTART_MS;
    const waitMs = Math.min(max, first * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    this.#options.logger.error({ reason, waitMs }, 'the FIX gateway ended; it is started again');
    for (const { owner } of this.#sessions.values()) owner.lost(`the FIX gateway: ${reason}`);
    this.#restart = setTimeout(
      () => {
        this.#restart = undefined;
        this.#restarts += 1;
        this.#spawn();
      },
      waitMs / 2 + (waitMs / 2) * Math.random(),
    );
    this.#restart.unref();
  }
}

/** Of a stack trace the line that names the error. */
function lastLineOf(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1);
}

/**
 * Nothing of the service's environment, which holds secrets. Only where Node keeps what it has compiled: with it the library
 * is read in two thirds of the time.
 */
function environment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  // Node's own folder in the one that was named, for its version.
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}
