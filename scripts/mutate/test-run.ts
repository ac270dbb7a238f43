import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuMillisecondsOf } from './cpu-time.ts';
import { isPure } from './rooms.ts';

/** Test files that are measured at once. */
const CONCURRENCY = 2;
/**
 * What has used so much CPU time goes round in a loop. What has not ended after so long waits for what does not come: a
 * loaded machine is slow, but not so slow.
 */
const LIMITS: Limits = { cpuMs: 10_000, cpuFactor: 3, waitMs: 300_000, waitFactor: 20 };
const LOOK_EVERY_MS = 1_500;
/** After a failure its message is waited for so long. */
const MESSAGE_MS = 2_000;

/** Sums of a constant, and of a multiple of what the test takes as a rule. */
interface Limits {
  readonly cpuMs: number;
  readonly cpuFactor: number;
  readonly waitMs: number;
  readonly waitFactor: number;
}

export interface TestRunOptions {
  /** Root of the copy of the project. */
  readonly tree: string;
  readonly folder: string;
  /** A server that nobody else uses. */
  readonly database: string;
  readonly signal: AbortSignal;
  /** Instead of those above. */
  readonly limits?: Limits;
}

export interface Verdict {
  /** `stuck`: it was ended after so much CPU time, or so long, that it would not have ended. */
  readonly outcome: 'passed' | 'failed' | 'stuck';
  /** What failed, and why. */
  readonly message: string;
  /** The file that failed, of several. */
  readonly file?: string | undefined;
  /** CPU time that it was seen to use. */
  readonly cpuMs: number;
}

interface Watch {
  readonly timer: NodeJS.Timeout;
  cpuMs: number;
  isStuck: boolean;
}

/** Runs test files of the copy. */
export class TestRun {
  readonly #options: TestRunOptions;
  #groups = 0;

  constructor(options: TestRunOptions) {
    this.#options = options;
  }

  get isAborted(): boolean {
    return this.#options.signal.aborted;
  }

  /**
   * Runs all tests of the files, up to the first that fails.
   * @param usualMs CPU time that they take as a rule
   */
  async run(files: readonly string[], environment: NodeJS.ProcessEnv = {}, usualMs = 0): Promise<Verdict> {
    const { tree, folder, database, signal } = this.#options;
    signal.throwIfAborted();
    // A group of its own, so that what tests have started ends with them.
    const child = spawn(process.execPath, ['--test-reporter=tap', ...this.#programOf(files)], {
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
        ...environment,
      },
    });
    const stop = () => endGroup(child);
    const failure = new Failure(stop);
    const watch = this.#watch(child, usualMs, stop);
    signal.addEventListener('abort', stop);
    child.stdout.setEncoding('utf8').on('data', (text: string) => failure.read(text));
    const [code, ended] = await once(child, 'close').finally(() => {
      clearInterval(watch.timer);
      failure.close();
      signal.removeEventListener('abort', stop);
      stop();
    });
    signal.throwIfAborted();
    const { isStuck, cpuMs } = watch;
    const { message = `ended with ${code ?? ended}`, file } = failure;
    if (failure.message !== undefined) return { outcome: 'failed', message, file, cpuMs };
    if (isStuck) return { outcome: 'stuck', message: '', file, cpuMs };
    return code === 0
      ? { outcome: 'passed', message: '', cpuMs }
      : { outcome: 'failed', message, file, cpuMs };
  }

  /** One file needs no runner above it. Several share a process, one after the other, as in a run of all tests. */
  #programOf(files: readonly string[]): readonly string[] {
    if (files.length === 1) return files;
    if (files.every(isPure)) return ['--test', '--test-isolation=none', ...files];
    const { tree, folder } = this.#options;
    const program = join(folder, `group-${++this.#groups}.mjs`);
    const runner = JSON.stringify(join(tree, 'scripts/test-group.ts'));
    writeFileSync(
      program,
      `import { runGroup } from ${runner};\nawait runGroup(${JSON.stringify(files)});\n`,
    );
    return [program];
  }

  /** Whether a program of the copy ends well. */
  async succeeds(program: string, parts: readonly string[]): Promise<boolean> {
    const { tree, signal } = this.#options;
    const child = spawn(join(tree, program), parts, { cwd: tree, signal, stdio: 'ignore' });
    const [code] = await once(child, 'close');
    return code === 0;
  }

  #watch(child: ChildProcess, usualMs: number, stop: () => void): Watch {
    const { limits = LIMITS } = this.#options;
    const cpuMs = limits.cpuMs + limits.cpuFactor * usualMs;
    const waitMs = limits.waitMs + limits.waitFactor * usualMs;
    const start = performance.now();
    const look = () => {
      const used = child.pid === undefined ? undefined : cpuMillisecondsOf(child.pid);
      watch.cpuMs = Math.max(watch.cpuMs, used ?? 0);
      watch.isStuck = watch.cpuMs > cpuMs || performance.now() - start > waitMs;
      if (watch.isStuck) stop();
    };
    const watch: Watch = { timer: setInterval(look, LOOK_EVERY_MS), cpuMs: 0, isStuck: false };
    return watch;
  }

  /** Does the work for each of them, as many at once as tests may run. */
  async inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = [...items];
    const lanes = Array.from({ length: CONCURRENCY }, async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
    });
    await Promise.all(lanes);
  }
}

/** The first failure in what TAP says: the test's name, then a block with the error. */
class Failure {
  message: string | undefined;
  /** The last file that has begun, of several in a process. */
  file: string | undefined;
  readonly #stop: () => void;
  #line = '';
  #last = '';
  #limit: NodeJS.Timeout | undefined;

  constructor(stop: () => void) {
    this.#stop = stop;
  }

  read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#readLine(line.trim());
  }

  #readLine(line: string): void {
    if (this.message === undefined) {
      this.file = /^# Subtest: (packages\/.*\.test\.ts)$/.exec(line)?.[1] ?? this.file;
      const name = /^not ok \d+ - (.*)$/.exec(line)?.[1];
      if (name === undefined || /# (?:SKIP|TODO)\b/.test(name)) return;
      this.message = name;
      this.#limit = setTimeout(this.#stop, MESSAGE_MS);
    } else if (line === '...') this.#stop();
    else if (/^(?:error|code|expected|actual): /.test(line) || this.#last === 'error: |-') {
      this.message += ` | ${line}`;
    }
    this.#last = line;
  }

  close(): void {
    clearTimeout(this.#limit);
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
