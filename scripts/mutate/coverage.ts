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
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eitherOf, holds, lengthOf, type Parts, partsOf, type Script } from './covered-parts.ts';
import { EarlierText } from './earlier-text.ts';
import { isProduct, type Modules } from './modules.ts';
import type { TestRun } from './test-run.ts';

/** A place in a file; a mutant is noticed only by a test that runs one of its places. */
export interface Place {
  readonly file: string;
  readonly offset: number;
}

/** What one test file ran of the code, as it was then. */
interface Seen {
  readonly isGreen: boolean;
  /** CPU time. */
  readonly milliseconds: number;
  /** Of each file that it loaded, the digest of its text and what was run of it. */
  readonly files: Readonly<Record<string, readonly [text: string, parts: Parts]>>;
}

interface Options {
  readonly modules: Pick<Modules, 'textOf' | 'files'>;
  /** A copy of the project in which nothing is changed. */
  readonly tree: string;
  readonly run: TestRun;
  /** Folder in which it is kept between runs. */
  readonly cache: string;
}

/** A test is measured anew when it has another text, or so much of what it ran has one. */
const CHANGED_SHARE = 0.25;
/** A test file that starts a service, and of those that were over before anybody looked. */
const USUAL_MS = 3_000;
const LEAST_MS = 500;
/** A file is another one in a new place when so much of it is the same. */
const SAME_SHARE = 0.5;

/**
 * Which test files run which code. Each is measured when it is first asked for, and known again when it was moved or
 * edited. Of code that has changed since, the lines that are old keep what was measured of them.
 */
export class Coverage {
  readonly #options: Options;
  readonly #seen = new Map<string, Seen>();
  readonly #texts = new Map<string, string>();
  readonly #earlier = new Map<string, EarlierText | undefined>();
  readonly #moved = new Map<string, string | undefined>();
  readonly #distrusted = new Set<string>();
  readonly #trusted = new Set<string>();
  readonly #files: ReadonlySet<string>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#files = new Set(options.modules.files);
  }

  /** Whether the test passes in the unchanged project: one that does not says nothing about mutants. */
  isGreen(test: string): boolean {
    return this.#seen.get(test)?.isGreen === true && !this.#distrusted.has(test);
  }

  /** Whether nothing is known against the test: it is green, or was not measured yet. */
  mayJudge(test: string): boolean {
    return this.#seen.has(test) ? this.isGreen(test) : !this.#distrusted.has(test);
  }

  /** The test has failed without any change. */
  distrust(test: string): void {
    this.#distrusted.add(test);
  }

  /** The test has passed in this run, so that a failure says something. */
  trust(test: string): void {
    this.#trusted.add(test);
  }

  isDistrusted(test: string): boolean {
    return this.#distrusted.has(test);
  }

  isTrusted(test: string): boolean {
    return this.#trusted.has(test);
  }

  /** Test files that fail without any change. */
  get red(): string[] {
    return [
      ...new Set([...this.#distrusted, ...[...this.#seen.keys()].filter((test) => !this.isGreen(test))]),
    ];
  }

  /** What it takes as a rule; of those that were not measured a guess. */
  millisecondsOf(test: string): number {
    if (!this.#seen.has(test)) this.#recall(test);
    return Math.max(LEAST_MS, this.#seen.get(test)?.milliseconds ?? USUAL_MS);
  }

  /** Of a line that is new since the test was measured, it is taken to run all. */
  runs(test: string, { file, offset }: Place): boolean {
    const seen = this.#seen.get(test);
    const part = seen?.files[file] ?? (seen === undefined ? undefined : this.#movedFrom(seen, file));
    if (part === undefined) return false;
    const [text, parts] = part;
    if (text === this.#textDigest(file)) return holds(parts, offset);
    const earlier = this.#earlierText(text, file)?.offsetOf(offset);
    return earlier === undefined || holds(parts, earlier);
  }

  /** Measures those of the tests that are not known. Whoever asks meanwhile waits. */
  async measure(tests: readonly string[]): Promise<void> {
    const done = this.#turn.then(async () => {
      const missing = tests.filter((test) => !this.isKnown(test));
      await this.#options.run.inTurns(missing, async (test) => {
        const seen = await this.#measure(test);
        this.#seen.set(test, seen);
        // What failed once is tried again by the next run.
        if (seen.isGreen) {
          this.trust(test);
          this.#write(join('tests', basename(test)), `${this.#textDigest(test)}.json`, JSON.stringify(seen));
        }
      });
    });
    this.#turn = done.catch(() => undefined);
    await done;
  }

  /** Whether it was measured what the test runs, now or by an earlier run. */
  isKnown(test: string): boolean {
    return this.#seen.has(test) || this.#recall(test);
  }

  /** Takes what an earlier run has measured of this text of the test: one that was edited may run more. */
  #recall(test: string): boolean {
    const kept = join(this.#options.cache, 'tests', basename(test), `${this.#textDigest(test)}.json`);
    if (!existsSync(kept)) return false;
    const seen = JSON.parse(readFileSync(kept, 'utf8')) as Seen;
    if (this.#changedShare(seen) > CHANGED_SHARE) return false;
    this.#seen.set(test, seen);
    return true;
  }

  #changedShare(seen: Seen): number {
    let [all, changed] = [0, 0];
    for (const [file, [text, parts]] of Object.entries(seen.files)) {
      const length = lengthOf(parts);
      all += length;
      const now = this.#files.has(file) ? file : this.#movedTo(file, text);
      if (now === undefined) changed += length;
      else if (text !== this.#textDigest(now))
        changed += length * (1 - (this.#earlierText(text, now)?.share ?? 0));
    }
    return all === 0 ? 0 : changed / all;
  }

  /** Where a file that is gone is now. */
  #movedTo(file: string, text: string): string | undefined {
    const key = `${text} ${file}`;
    if (!this.#moved.has(key)) {
      const isNow = (each: string) =>
        basename(each) === basename(file) && (this.#earlierText(text, each)?.share ?? 0) > SAME_SHARE;
      this.#moved.set(key, this.#options.modules.files.filter(isProduct).find(isNow));
    }
    return this.#moved.get(key);
  }

  /** What was measured of the file where it lay before. */
  #movedFrom(seen: Seen, file: string): Seen['files'][string] | undefined {
    return Object.entries(seen.files).find(
      ([before, [text]]) =>
        basename(before) === basename(file) &&
        !this.#files.has(before) &&
        (this.#earlierText(text, file)?.share ?? 0) > SAME_SHARE,
    )?.[1];
  }

  #earlierText(digest: string, file: string): EarlierText | undefined {
    const key = `${digest} ${file}`;
    if (this.#earlier.has(key)) return this.#earlier.get(key);
    const kept = join(this.#options.cache, 'texts', digest);
    const earlier = existsSync(kept)
      ? new EarlierText(readFileSync(kept, 'utf8'), this.#options.modules.textOf(file))
      : undefined;
    this.#earlier.set(key, earlier);
    return earlier;
  }

  async #measure(test: string): Promise<Seen> {
    const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
    try {
      const { outcome, cpuMs } = await this.#options.run.run([test], {
        NODE_V8_COVERAGE: folder,
        // Functions that come from the cache are counted as wholes.
        NODE_DISABLE_COMPILE_CACHE: '1',
      });
      return { isGreen: outcome === 'passed', milliseconds: cpuMs, files: this.#read(folder) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** What any of the processes ran that the test has started. */
  #read(folder: string): Seen['files'] {
    const files: Record<string, readonly [string, Parts]> = {};
    for (const name of readdirSync(folder)) {
      const report = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: readonly Script[] };
      for (const script of report.result) {
        if (!script.url.startsWith('file:')) continue;
        const file = relative(this.#options.tree, fileURLToPath(script.url));
        if (file.startsWith('..') || !isProduct(file)) continue;
        const other = files[file]?.[1];
        const parts = partsOf(script);
        files[file] = [this.#textDigest(file), other === undefined ? parts : eitherOf(other, parts)];
      }
    }
    return files;
  }

  /** Also keeps the text, for the time when it has changed. */
  #textDigest(file: string): string {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const text = this.#options.modules.textOf(file);
    const digest = digestOf(text);
    this.#texts.set(file, digest);
    if (!existsSync(join(this.#options.cache, 'texts', digest))) this.#write('texts', digest, text);
    return digest;
  }

  #write(folder: string, name: string, text: string): void {
    mkdirSync(join(this.#options.cache, folder), { recursive: true });
    writeFileSync(join(this.#options.cache, folder, name), text);
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
