import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Test files that run at once. */
const CONCURRENCY = 2;
/** What takes longer hangs. */
const LIMIT_MS = 120_000;

export interface TestRunOptions {
  /** Root of the copy of the project. */
  readonly tree: string;
  readonly folder: string;
  /** A server that nobody else uses. */
  readonly database: string;
  readonly signal: AbortSignal;
}

/** Runs test files of the copy. */
export class TestRun {
  readonly #options: TestRunOptions;

  constructor(options: TestRunOptions) {
    this.#options = options;
  }

  get isAborted(): boolean {
    return this.#options.signal.aborted;
  }

  /** Whether all tests of the files pass; ends them with the first that does not. */
  async passes(files: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<boolean> {
    const { tree, folder, database, signal } = this.#options;
    signal.throwIfAborted();
    // A group of its own, so that what tests have started ends with them.
    const child = spawn(process.execPath, [...modeOf(files), '--test-reporter=tap', ...files], {
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
    let hasFailed = false;
    const stop = () => {
      hasFailed = true;
      endGroup(child);
    };
    const limit = setTimeout(stop, LIMIT_MS);
    signal.addEventListener('abort', stop);
    let line = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (line + text).split('\n');
      line = lines.pop() ?? '';
      if (lines.some((each) => /^\s*not ok /.test(each))) stop();
    });
    const [code] = await once(child, 'close').finally(() => {
      clearTimeout(limit);
      signal.removeEventListener('abort', stop);
      endGroup(child);
    });
    signal.throwIfAborted();
    return code === 0 && !hasFailed;
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

/** The domain has no I/O and no state, so its tests share a process; one file needs no runner above it. */
function modeOf(files: readonly string[]): string[] {
  if (files.length === 1) return [];
  const isDomain = files.every((file) => file.startsWith('packages/fx/'));
  return ['--test', isDomain ? '--test-isolation=none' : `--test-concurrency=${CONCURRENCY}`];
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended, and all that it had started.
  }
}
