import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadOrder, LoadResult } from './load.ts';

const ROOT = join(import.meta.dirname, '..');
const STOP_LIMIT_MS = 20_000;

export interface Running {
  readonly pid: number;
  readonly port: number;
  /** Ends it and waits for that. */
  stop(): Promise<void>;
}

type LoadAnswer = { readonly result: LoadResult } | { readonly failure: string };

/** Programs of a measurement: what was started is ended, however it goes. */
export class Programs {
  readonly #children = new Set<ChildProcess>();
  #loader: ChildProcess | undefined;

  /** Starts a script of this repository and waits for the line that tells its port. */
  async serve(
    script: string,
    environment: Readonly<Record<string, string>>,
    flags: readonly string[] = [],
  ): Promise<Running> {
    const child = this.#start([...flags, join(ROOT, script)], environment);
    const port = await new Promise<number>((resolve, reject) => {
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const found = /listens on (?:http:\/\/127\.0\.0\.1:)?(\d+)/.exec(text)?.[1];
        if (found !== undefined) resolve(Number.parseInt(found, 10));
      });
      child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${text.slice(-500)}`)));
    });
    return { pid: child.pid ?? 0, port, stop: () => this.#stop(child) };
  }

  /** One load after the other, all from one process. */
  async load(order: LoadOrder): Promise<LoadResult> {
    this.#loader ??= this.#keep(fork(join(ROOT, 'bench/load.ts'), { env: { PATH: process.env.PATH } }));
    const loader = this.#loader;
    const ended = new AbortController();
    const answered = once(loader, 'message', ended);
    const exited = once(loader, 'exit', ended);
    loader.send(order);
    try {
      const [message] = (await Promise.race([answered, exited])) as [LoadAnswer | number | null];
      if (typeof message === 'object' && message !== null && 'result' in message) return message.result;
      throw new Error(`the load of ${order.path} failed: ${JSON.stringify(message)}`);
    } finally {
      ended.abort();
      await Promise.allSettled([answered, exited]);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.#stop(child)));
  }

  #start(argv: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
    const env = { PATH: process.env.PATH, ...environment };
    return this.#keep(spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] }));
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    return child;
  }

  async #stop(child: ChildProcess): Promise<void> {
    this.#children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(limit);
  }
}

/** Clock ticks of a second in /proc; Linux has had no other number for programs for twenty years. */
const TICKS = 100;

/**
 * Processor time of a process since its start, s, with that of children that have ended; undefined where there is no /proc.
 * @param family with the children that it has now: the backends of a PostgreSQL
 */
export function cpuSeconds(pid: number, family = false): number | undefined {
  try {
    const own = ticksOf(pid, true);
    if (!family) return own / TICKS;
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
      .map((name) => ticksOf(name, false));
    return children.reduce((sum, ticks) => sum + ticks, own) / TICKS;
  } catch {
    return undefined;
  }
}

/** What follows the name of the program, which may have anything in it. */
function statOf(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function ticksOf(pid: number | string, withEnded: boolean): number {
  const fields = statOf(pid).slice(11, withEnded ? 15 : 13);
  return fields.reduce((sum, field) => sum + Number.parseInt(field, 10), 0);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number.parseInt(statOf(pid)[1] ?? '', 10);
  } catch {
    // It has ended since the folder was listed.
    return undefined;
  }
}

/** Resident memory of a process and the most that it has had, MB; undefined where there is no /proc. */
export function memoryMb(pid: number): { readonly now: number; readonly most: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kB = (name: string) =>
      Number.parseInt(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? '0', 10);
    return { now: kB('VmRSS') / 1024, most: kB('VmHWM') / 1024 };
  } catch {
    return undefined;
  }
}
