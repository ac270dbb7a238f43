import { write, writeSync } from 'node:fs';

/** What is written beyond that is lost, and counted, until the reader reads again. */
const BACKLOG_MAX = 16_777_216; // limit: Characters of the log that wait for whoever reads it
/** A synchronous write of each line would cost more than a request. */
const PIECE = 4_096;
const PIECE_MAX = 16_384;
const FLUSH_EVERY_MS = 500;
/** A full pipe is looked at again after the first of these, and then after twice as long each time. */
const RETRY_MS = 1;
const RETRY_MAX_MS = 100;
/** In which a thread has written what it has. */
const THREAD_MS = 20;
/** Nothing else can happen until they are written. */
const LAST_WORDS_LIMIT_MS = 500; // limit: Time for the log lines of a process that ends otherwise than in order

let lost = 0;
let unreported = 0;

/** How many lines of the log nobody has read, since the process started. */
export function logLinesLost(): number {
  return lost;
}

/** Counts lines that cannot be kept for whoever reads the log. It is told how many, once it is read again. */
export function loseLogLines(lines: number): void {
  lost += lines;
  unreported += lines;
}

export function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** The log of this process on its standard output. */
export function standardOutput(onLost: (lines: number) => void): LogOutput {
  // Whatever else is written there has no reader either then, which is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Whoever asks for the stream has its pipe made non-blocking by Node.
  return new LogOutput(process.stdout.fd, onLost);
}

/**
 * Where a log is written. A reader that stops reading, or goes, costs lines of the log and nothing else: the service goes on, its
 * memory does not grow, and its end does not wait for long. The destination of pino keeps every line, and its last flush tries for ever.
 */
class LogOutput {
  readonly #fd: number;
  readonly #onLost: (lines: number) => void;
  readonly #chunks: string[] = [];
  readonly #waiting: (() => void)[] = [];
  #length = 0;
  #pauseMs = RETRY_MS;
  /** What is being written, or was not taken yet. */
  #bytes: Buffer | undefined;
  #state: 'idle' | 'writing' | 'retrying' | 'closed' = 'idle';

  /**
   * @param fd a pipe is not to block: a thread would stand in a write, and the end of the process with it
   * @param onLost told how many lines were lost when the reader has read those before them
   */
  constructor(fd: number, onLost: (lines: number) => void) {
    this.#fd = fd;
    this.#onLost = onLost;
    setInterval(() => this.#begin(), FLUSH_EVERY_MS).unref();
    process.once('exit', () => this.#writeLastWords());
  }

  write(line: string): void {
    if (this.#state === 'closed' || this.#length + line.length > BACKLOG_MAX) {
      loseLogLines(1);
      return;
    }
    const last = this.#chunks.length - 1;
    const chunk = this.#chunks[last];
    if (chunk === undefined || chunk.length + line.length > PIECE_MAX) this.#chunks.push(line);
    else this.#chunks[last] = chunk + line;
    this.#length += line.length;
    if (this.#length >= PIECE) this.#begin();
  }

  /** Calls back when all that was written before has been taken, or never will be. */
  flush(done: () => void): void {
    this.#waiting.push(done);
    this.#begin();
  }

  #begin(): void {
    if (this.#state === 'idle') this.#next();
    else if (this.#state === 'closed') this.#drained();
  }

  #next(): void {
    this.#bytes ??= this.#take();
    if (this.#bytes === undefined) {
      this.#drained();
      return;
    }
    this.#state = 'writing';
    write(this.#fd, this.#bytes, (error, written) => this.#wrote(error, written));
  }

  #wrote(error: NodeJS.ErrnoException | null, written: number): void {
    if (error === null) {
      this.#state = 'idle';
      this.#pauseMs = RETRY_MS;
      this.#took(written);
      this.#next();
    } else if (error.code === 'EPIPE') {
      // Nobody will ever read it.
      this.#state = 'closed';
      loseLogLines(linesIn(this.#chunks.splice(0).join('')));
      this.#bytes = undefined;
      this.#length = 0;
      this.#drained();
    } else {
      this.#state = 'retrying';
      setTimeout(() => this.#next(), this.#pauseMs).unref();
      this.#pauseMs = Math.min(2 * this.#pauseMs, RETRY_MAX_MS);
    }
  }

  #take(): Buffer | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#length -= chunk.length;
    return Buffer.from(chunk);
  }

  #took(written: number): void {
    const rest = this.#bytes?.subarray(written);
    this.#bytes = rest?.length === 0 ? undefined : rest;
  }

  #drained(): void {
    for (const done of this.#waiting.splice(0)) done();
    if (unreported === 0 || this.#state === 'closed') return;
    const lines = unreported;
    unreported = 0;
    this.#onLost(lines);
  }

  #writeLastWords(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'writing') {
      // A thread has them, and nobody is told any more how many of them were taken.
      standStill(THREAD_MS);
      this.#bytes = undefined;
    }
    const deadline = performance.now() + LAST_WORDS_LIMIT_MS;
    while (performance.now() < deadline) {
      this.#bytes ??= this.#take();
      if (this.#bytes === undefined) return;
      try {
        this.#took(writeSync(this.#fd, this.#bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        standStill(RETRY_MS);
      }
    }
  }
}

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
