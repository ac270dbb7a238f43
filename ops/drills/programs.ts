import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { ROOT } from '../test/kit.ts';

/** Programs that run as long as a drill does, and configurations of `ops` as they are started here. */

const TOLD_MAX = 4_000; // limit: Characters of a program's output that are kept for a failure

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** The last that it has written. */
  reported(): string;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts programs, and ends all of them with the test: the last one first, since it may live on those before it. */
export class Programs {
  readonly #running: Running[] = [];

  constructor(t: TestContext) {
    t.after(() => this.end());
  }

  start(program: string, args: readonly string[], options: StartOptions = {}): Running {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      env: { PATH: process.env.PATH, ...options.env },
    });
    let reported = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (piece: string) => {
        reported = `${reported}${piece}`.slice(-TOLD_MAX);
      });
    }
    const running = { child, ended: once(child, 'exit'), reported: () => reported };
    this.#running.push(running);
    return running;
  }

  async end(): Promise<void> {
    for (const { child, ended } of this.#running.splice(0).reverse()) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    }
  }
}

/** A file of `ops` with what is different here. @throws when the file does not have what is to be changed */
export function configured(file: string, changes: Readonly<Record<string, string>>): string {
  let content = readFileSync(join(ROOT, 'ops', file), 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    if (!content.includes(from)) throw new Error(`${file} has no ${from}`);
    content = content.replaceAll(from, to);
  }
  return content;
}
