import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const STOP_LIMIT_MS = 10_000;

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: string;
}

interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Shows the output as it comes; otherwise it is shown at the end, and only when the program fails. */
  readonly show?: boolean;
}

/** Named steps with their times. A signal ends the running programs; the caller then cleans up and summarises. */
export class Steps {
  readonly #outcomes: Outcome[] = [];
  readonly #running = new Set<ChildProcess>();
  readonly #directory: string;
  #interrupt: NodeJS.Signals | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => this.#stop(signal));
  }

  get interrupted(): boolean {
    return this.#interrupt !== undefined;
  }

  /** Runs a program to its end; it passes with exit code 0. */
  async program(name: string, command: string, args: string[], options: ProgramOptions = {}): Promise<void> {
    await this.work(name, async () => {
      const child = spawn(command, args, {
        cwd: this.#directory,
        env: { ...process.env, ...options.env },
        stdio: options.show === true ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      });
      this.#running.add(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      const [code, signal] = await once(child, 'close').finally(() => this.#running.delete(child));
      if (code !== 0 && !this.interrupted)
        throw new Error(`${output.trim()}\n${signal ?? `exit code ${code}`}`.trim());
      if (code !== 0) throw new Error('interrupted');
    });
  }

  /** Times a piece of work; undefined when it has failed, which the summary tells. */
  async work<Result>(name: string, task: () => Promise<Result>): Promise<Result | undefined> {
    const started = performance.now();
    const end = (ok: boolean): void => {
      this.#outcomes.push({ name, ok, seconds: ((performance.now() - started) / 1000).toFixed(1) });
    };
    try {
      const result = await task();
      end(true);
      return result;
    } catch (error) {
      end(false);
      console.error(`\n${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Prints the steps and returns the exit code. */
  summarise(): number {
    console.log('');
    for (const { name, ok, seconds } of this.#outcomes) {
      console.log(`${ok ? '✔' : '✖'} ${name.padEnd(16)} ${seconds.padStart(6)} s`);
    }
    if (this.#interrupt !== undefined) return this.#interrupt === 'SIGINT' ? 130 : 143;
    return this.#outcomes.every(({ ok }) => ok) ? 0 : 1;
  }

  #stop(signal: NodeJS.Signals): void {
    this.#interrupt ??= signal;
    for (const child of this.#running) {
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS).unref();
    }
  }
}
