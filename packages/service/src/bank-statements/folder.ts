import { isUtf8 } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { access, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import { isPassing, logFailure } from '../database/log-failure.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { Problem } from '../problems/problem.ts';
import { fileReport } from './file-report.ts';
import { type ImportedFile, importFile } from './import-file.ts';
import type { StatementsRoom } from './room.ts';
import { spooledFile } from './spool.ts';

const EVERY_MS = 2_000;
/** A file is taken when its size and time have not changed for so long: whoever writes it has finished. */
const STABLE_MS = 3_000; // limit: How long a file in the watched folder must be unchanged
const FILES_AT_ONCE = 20; // limit: Files taken from the folder in one run
/** Files checked in one run; the others wait their turn. */
const WATCHED_MAX = 1_000; // limit: Files looked at in one run
/** Names that programs give to files that they are still writing. */
const UNFINISHED = /^\.|~$|\.(tmp|temp|part|partial|filepart|crdownload|swp)$/i;

/** What is put behind the name of a file, for its report and while that is being written. */
const REPORT = '.report.json';
const UNWRITTEN = '.tmp';
/** Bytes that file systems take for a name, without those of a number before it and of what is put behind it. */
const NAME_BYTES_MAX = 255 - '1000000-'.length - REPORT.length - UNWRITTEN.length;
/** An ending that stays when a name is cut. */
const ENDING = /\.[A-Za-z0-9]{1,10}$/;

interface Seen {
  readonly mark: string;
  readonly since: number;
}

/** A sweep over the folder; none without a folder. @throws ConfigError when it does not exist or is not writable */
export async function folderSweeps(
  room: StatementsRoom,
  folder: string | undefined,
  logger: Logger,
  elapsedMs?: () => number,
): Promise<Sweep[]> {
  if (folder === undefined) return [];
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const name of ['processing', 'done', 'failed']) await mkdir(join(folder, name), { recursive: true });
  } catch (error) {
    throw new ConfigError(`FIRMQUOTE_STATEMENT_FOLDER: ${folder} is not a folder that can be written to.`, {
      cause: error,
    });
  }
  const watched = new StatementFolder(room, folder, logger, elapsedMs);
  return [
    {
      name: 'import_statement_folder',
      does: 'Imports the files in the watched folder, where one is set.',
      everyMs: EVERY_MS,
      run: async () => {
        const moved = await watched.run();
        // Each is in the log; a sweep that keeps failing is what operators are notified of.
        if (watched.faults > 0) throw new Error(`${watched.faults} statement files could not be imported`);
        return moved;
      },
    },
  ];
}

/**
 * Imports the files that lie in a folder. A file is first renamed into `processing`, which only one of several instances
 * can do, then imported, then moved to `done` or `failed` with a report beside it. If the process
 * dies, the file is imported again, which does no harm: the same bytes are the same file.
 */
export class StatementFolder {
  readonly #room: StatementsRoom;
  readonly #folder: string;
  readonly #logger: Logger;
  /** A monotonic clock: business time can be moved and real time be set. */
  readonly #elapsedMs: () => number;
  readonly #seen = new Map<string, Seen>();
  /** Of files that could not be imported, which attempt it was: they come after those that were not tried since. */
  readonly #tried = new Map<string, number>();
  #attempts = 0;
  #faults = 0;

  constructor(
    room: StatementsRoom,
    folder: string,
    logger: Logger,
    elapsedMs: () => number = () => performance.now(),
  ) {
    this.#room = room;
    this.#folder = folder;
    this.#logger = logger;
    this.#elapsedMs = elapsedMs;
  }

  /** Files that could not be imported in the last run, for a reason that does not pass by itself. */
  get faults(): number {
    return this.#faults;
  }

  /** @returns how many files were imported or refused */
  async run(): Promise<number> {
    this.#faults = 0;
    const left = await this.#ready('processing');
    const arrived: string[] = [];
    for (const name of await this.#ready('')) {
      if (await this.#isDone(name, name, () => this.#claim(name))) arrived.push(name);
    }
    let moved = 0;
    for (const name of [...left, ...arrived]) {
      if (await this.#isDone(name, join('processing', name), () => this.#import(name))) moved += 1;
    }
    return moved;
  }

  /** A failure that is not the file's fault leaves it in place for the next run, and holds up no other. */
  async #isDone(name: string, key: string, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      // Another instance has it.
      if (codeOf(error) === 'ENOENT' && (await this.#mark(key)) === undefined) return false;
      const message = 'statement file could not be imported; it will be retried';
      logFailure(this.#logger, error, { file: textOf(name) }, message);
      this.#tried.set(key, ++this.#attempts);
      if (!isPassing(error)) this.#faults++;
      return false;
    }
  }

  /** Names of files that have not changed for a while: those that failed last, in the order of the attempts, the others by name. */
  async #ready(below: string): Promise<string[]> {
    const entries = await readdir(join(this.#folder, below), { withFileTypes: true, encoding: 'latin1' });
    const attempt = (name: string) => this.#tried.get(join(below, name)) ?? 0;
    const names = entries
      .filter(isStatement)
      .map((entry) => entry.name)
      .sort()
      .sort((a, b) => attempt(a) - attempt(b))
      .slice(0, WATCHED_MAX);
    const ready: string[] = [];
    const now = this.#elapsedMs();
    const keys = new Set<string>();
    for (const name of names) {
      const key = join(below, name);
      const mark = await this.#mark(key);
      if (mark === undefined) continue;
      keys.add(key);
      const before = this.#seen.get(key);
      if (before?.mark !== mark) this.#seen.set(key, { mark, since: now });
      else if (now - before.since >= STABLE_MS) ready.push(name);
    }
    for (const key of this.#seen.keys()) {
      if (key.startsWith('processing/') !== (below !== '') || keys.has(key)) continue;
      this.#seen.delete(key);
      this.#tried.delete(key);
    }
    return ready.slice(0, FILES_AT_ONCE);
  }

  #path(key: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.#folder}/`), Buffer.from(key, 'latin1')]);
  }

  async #mark(key: string): Promise<string | undefined> {
    try {
      const found = await lstat(this.#path(key));
      return found.isFile() ? `${found.size} ${found.mtimeMs} ${found.ino}` : undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Renamed by one process only; a name that is taken in `processing` waits. */
  async #claim(name: string): Promise<boolean> {
    if ((await this.#mark(join('processing', name))) !== undefined) return false;
    await rename(this.#path(name), this.#path(join('processing', name)));
    return true;
  }

  async #import(bytes: string): Promise<boolean> {
    const name = textOf(bytes);
    const key = join('processing', bytes);
    const mark = await this.#mark(key);
    let report: object;
    let target: 'done' | 'failed';
    try {
      const imported = await spooledFile(
        this.#path(key),
        (came) => importFile(this.#room, { ...came, name, source: 'folder' }),
        constants.O_RDONLY | constants.O_NOFOLLOW,
      );
      target = imported.outcome === 'refused' ? 'failed' : 'done';
      report = { outcome: imported.outcome, ...(await fileReport(this.#room.pool, imported.file)) };
      this.#logger.info(outcomeOf(name, imported), 'statement file imported or refused');
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'body_too_large') throw error;
      target = 'failed';
      report = { outcome: 'refused', refusal: { reason: 'too_large', line: null, detail: error.message } };
    }
    // Its writer had paused, and was not done: what it has become is imported when it rests.
    if ((await this.#mark(key)) !== mark) return false;
    await this.#move(bytes, target, report);
    return true;
  }

  async #move(name: string, target: 'done' | 'failed', report: object): Promise<void> {
    const folder = join(this.#folder, target);
    const short = withRoom(textOf(name));
    const isTaken = async (as: string) => (await this.#mark(join(target, bytesOf(as)))) !== undefined;
    let free = short;
    // Banks reuse names; no existing file is replaced.
    for (let count = 2; await isTaken(free); count++) free = `${count}-${short}`;
    const reportPath = join(folder, `${free}${REPORT}`);
    await writeFile(`${reportPath}${UNWRITTEN}`, `${JSON.stringify(report, null, 2)}\n`);
    await rename(`${reportPath}${UNWRITTEN}`, reportPath);
    try {
      await rename(this.#path(join('processing', name)), join(folder, free));
    } catch (error) {
      // Another instance has moved it. If it did so under this very name, the report is about the same file.
      if (!(await isTaken(free))) await rm(reportPath, { force: true });
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** A name is bytes, one a character here: what was written on another system need not be UTF-8, and must be found all the same. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** As a person reads it. */
function textOf(name: string): string {
  const bytes = Buffer.from(name, 'latin1');
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}

/** The name, or the beginning of one that would leave no room for that of its report. */
function withRoom(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const ending = ENDING.exec(name)?.[0] ?? '';
  const letters = [...name.slice(0, name.length - ending.length)];
  while (Buffer.byteLength(letters.join('') + ending) > NAME_BYTES_MAX) letters.pop();
  return letters.join('') + ending;
}

/** Plain files only: a link could lead anywhere. */
function isStatement(entry: Dirent): boolean {
  return entry.isFile() && !UNFINISHED.test(entry.name);
}

function outcomeOf(file: string, { outcome, file: row }: ImportedFile): Record<string, unknown> {
  return { file, outcome, entries: row.bookings, newEntries: row.new_bookings, reason: row.refusal_code };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
