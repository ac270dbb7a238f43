import type { Worker } from 'node:cluster';
import type { Readable, Writable } from 'node:stream';
import { linesIn, loseLogLines } from '../platform/log-output.ts';
import type { ProcessNumber } from '../platform/neighbours.ts';
import type { ToChild, ToParent } from './messages.ts';
import { NewsSender } from './news-sender.ts';

const NEWLINE = 10;
/** What a process says last cannot wait with it. */
const WAITING_MAX = 1_048_576; // limit: {bytes} Log lines of several processes that wait already when the last ones of one that has ended are lost

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A child as its parent sees it. */
export class ChildOf {
  readonly number: ProcessNumber;
  readonly news: NewsSender;
  readonly startedAt = performance.now();
  readonly ended: Promise<ChildEnd>;
  /** It takes requests. */
  serves = false;
  /** Times that it was asked in a row and did not answer. */
  unanswered = 0;
  readonly #worker: Worker;
  /** Undefined when nothing is held back. */
  #complaints: Buffer[] | undefined = [];

  constructor(number: ProcessNumber, worker: Worker, onMessage: (message: ToParent) => void) {
    this.number = number;
    this.#worker = worker;
    this.news = new NewsSender((news) => this.send({ type: 'news', news }));
    worker.on('message', onMessage);
    worker.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      // Its last words are read by then.
      worker.process.once('close', (code: number | null, signal: string | null) => resolve({ code, signal }));
    });
    const { stdout, stderr } = worker.process;
    const lines = passOnLines(stdout, process.stdout);
    const complaints = passOnLines(
      stderr,
      process.stderr,
      (bytes) => this.#complaints?.push(bytes) !== undefined || process.stderr.write(bytes),
    );
    worker.process.once('exit', () => {
      lines.end();
      complaints.end();
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Whether it is worth waiting for. */
  get answers(): boolean {
    return this.serves && this.unanswered === 0;
  }

  /** What is sent to one that has just ended is lost, and so is what it was for. */
  send(message: ToChild): void {
    if (this.#worker.isConnected()) this.#worker.process.send(message, () => undefined);
  }

  /** Prints what it says on standard error, which is held back until then: of a start that fails one says why. */
  printErrors(): void {
    for (const bytes of this.#complaints ?? []) process.stderr.write(bytes);
    this.#complaints = undefined;
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}

/**
 * Lines of several processes must not get into each other: they go on whole, and wait while nobody reads them.
 * @param put writes them
 */
export function passOnLines(
  from: Readable | null,
  to: Writable,
  put = (bytes: Buffer): boolean => to.write(bytes),
): { readonly end: () => void } {
  let rest: Buffer[] = [];
  let isOver = false;
  const goOn = () => {
    to.off('drain', goOn).off('error', goOn);
    from?.resume();
  };
  const wait = () => {
    from?.pause();
    to.on('drain', goOn).on('error', goOn);
  };
  const write = (bytes: Buffer) => {
    if (isOver && to.writableLength > WAITING_MAX) loseLogLines(linesIn(bytes.toString()));
    else if (!put(bytes) && !isOver) wait();
  };
  if (to.writableNeedDrain) wait();
  from?.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      write(Buffer.concat([...rest, bytes.subarray(0, end)]));
      rest = [];
    }
    if (end < bytes.length) rest.push(bytes.subarray(end));
  });
  from?.on('end', () => {
    if (rest.length > 0) write(Buffer.concat([...rest, Buffer.of(NEWLINE)]));
  });
  return {
    /** The process has ended: what it said last is read at once, because until then it does not count as ended. */
    end() {
      isOver = true;
      goOn();
    },
  };
}
