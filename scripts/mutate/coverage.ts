import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProduct, type Modules } from './modules.ts';
import type { TestRun } from './test-run.ts';

/** A place in a file; a mutant is noticed only by a test that runs one of its places. */
export interface Place {
  readonly file: string;
  readonly offset: number;
}

/** Parts of a file that a test leaves out, innermost last, and those inside of them that it runs after all. */
type Ranges = readonly (readonly [start: number, end: number, isRun: 0 | 1])[];

/** What one test file ran of the code, as it was then. */
interface Seen {
  /** Digest of the test file. */
  readonly test: string;
  readonly isGreen: boolean;
  readonly milliseconds: number;
  readonly files: Readonly<Record<string, { readonly text: string; readonly ranges: Ranges }>>;
}

interface Options {
  readonly modules: Pick<Modules, 'textOf'>;
  readonly tree: string;
  readonly run: TestRun;
  /** Where it is kept between runs: a test is measured anew when it or the code in question has another text. */
  readonly cache: string;
}

/** Measurements after which they are kept, so that a run that is interrupted has not made them for nothing. */
const KEEP_EVERY = 10;

/** Which test files run which code. Each is measured once, when it is first asked for. */
export class Coverage {
  readonly #options: Options;
  readonly #seen: Map<string, Seen>;
  readonly #digests = new Map<string, string>();
  #unkept = 0;

  constructor(options: Options) {
    this.#options = options;
    const kept = existsSync(options.cache) ? readFileSync(options.cache, 'utf8') : '{}';
    this.#seen = new Map(Object.entries(JSON.parse(kept) as Record<string, Seen>));
  }

  /** Whether the test passes in the unchanged project: one that does not says nothing about mutants. */
  isGreen(test: string): boolean {
    return this.#seen.get(test)?.isGreen === true;
  }

  /** Test files that fail without any change. */
  get red(): string[] {
    return [...this.#seen].filter(([, { isGreen }]) => !isGreen).map(([test]) => test);
  }

  millisecondsOf(test: string): number {
    return this.#seen.get(test)?.milliseconds ?? Number.POSITIVE_INFINITY;
  }

  /** Of a file that has changed since the test was measured, it is taken to run all. */
  runs(test: string, { file, offset }: Place): boolean {
    const part = this.#seen.get(test)?.files[file];
    if (part === undefined) return false;
    let isRun = true;
    if (part.text !== this.#digest(file)) return isRun;
    for (const [start, end, count] of part.ranges) if (start <= offset && offset < end) isRun = count === 1;
    return isRun;
  }

  /** Measures those of the tests that were not as they are, or not with the file as it is. */
  async measure(tests: readonly string[], file: string): Promise<void> {
    const missing = tests.filter((test) => !this.#isKnown(test, file));
    await this.#options.run.inTurns(missing, async (test) => {
      this.#seen.set(test, await this.#measure(test));
      if (++this.#unkept === KEEP_EVERY) this.#keep();
    });
    if (this.#unkept > 0) this.#keep();
  }

  #isKnown(test: string, file: string): boolean {
    const seen = this.#seen.get(test);
    if (seen?.test !== this.#digest(test)) return false;
    const text = seen.files[file]?.text;
    return text === undefined || text === this.#digest(file);
  }

  async #measure(test: string): Promise<Seen> {
    const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
    const start = performance.now();
    try {
      const isGreen = await this.#options.run.passes([test], {
        NODE_V8_COVERAGE: folder,
        // Functions that come from the cache are counted as wholes.
        NODE_DISABLE_COMPILE_CACHE: '1',
      });
      const milliseconds = Math.round(performance.now() - start);
      return { test: this.#digest(test), isGreen, milliseconds, files: this.#read(folder) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** What any of the processes ran that the test has started. */
  #read(folder: string): Seen['files'] {
    const files: Record<string, { text: string; ranges: Ranges }> = {};
    for (const name of readdirSync(folder)) {
      const report = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: readonly Script[] };
      for (const script of report.result) {
        if (!script.url.startsWith('file:')) continue;
        const file = relative(this.#options.tree, fileURLToPath(script.url));
        if (file.startsWith('..') || !isProduct(file)) continue;
        const ranges = rangesOf(script);
        const other = files[file]?.ranges;
        files[file] = {
          text: this.#digest(file),
          ranges: other === undefined ? ranges : eitherOf(other, ranges),
        };
      }
    }
    return files;
  }

  #digest(file: string): string {
    const known = this.#digests.get(file);
    if (known !== undefined) return known;
    const digest = createHash('sha256').update(this.#options.modules.textOf(file)).digest('hex').slice(0, 16);
    this.#digests.set(file, digest);
    return digest;
  }

  #keep(): void {
    this.#unkept = 0;
    mkdirSync(dirname(this.#options.cache), { recursive: true });
    // What failed once is tried again by the next run.
    const green = [...this.#seen].filter(([, { isGreen }]) => isGreen);
    writeFileSync(this.#options.cache, JSON.stringify(Object.fromEntries(green)));
  }
}

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}

/** Outer ranges before inner ones, as V8 nests them; of what holds nothing else, only what differs is kept. */
function rangesOf(script: Script): Ranges {
  const all = script.functions
    .flatMap(({ ranges }) => ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  return all.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count > 0 ? 1 : 0] as const);
}

/** Of two processes that loaded the file, the one that ran more of it: exact enough to choose tests by. */
function eitherOf(one: Ranges, other: Ranges): Ranges {
  const weight = (ranges: Ranges) => ranges.filter(([, , isRun]) => isRun === 1).length;
  return weight(one) >= weight(other) ? one : other;
}
