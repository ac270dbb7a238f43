import { basename } from 'node:path';
import { messageOf, type OpenTickFile, openTickFile, TickFileError } from './tick-file.ts';
import { type RecordedTick, TickLines } from './tick-lines.ts';

/** One pass over the file, a piece at a time. */
interface Pass {
  readonly file: OpenTickFile;
  readonly pieces: AsyncIterator<unknown>;
  readonly lines: TickLines;
}

/**
 * The ticks of a file in order, read a piece at a time and only as they are taken; from the beginning again
 * after the end when it loops.
 */
export class TickRecording {
  readonly #path: string;
  readonly #loop: boolean;
  #pass: Pass | undefined;
  #buffered: readonly RecordedTick[] = [];
  #taken = 0;
  #passes = 0;
  #ticksOfLap = 0;
  #skippedBefore = 0;
  #ended = false;
  #reading: Promise<void> | undefined;

  constructor(path: string, loop: boolean) {
    this.#path = path;
    this.#loop = loop;
  }

  /** How often the file was begun again before the ticks that are next. */
  get lap(): number {
    return this.#passes - 1;
  }

  /** Lines skipped so far, over all laps. */
  get skippedLines(): number {
    return this.#skippedBefore + (this.#pass?.lines.skipped ?? 0);
  }

  /** The next tick, which stays the next until it is taken; undefined at the end. Throws TickFileError, also for a file without a tick. */
  async peek(): Promise<RecordedTick | undefined> {
    while (this.#taken >= this.#buffered.length && !this.#ended) {
      // Player and refresh may both look at once; they share one read.
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#buffered[this.#taken];
  }

  /** The next tick if it is read already, and moves on to the one after it. */
  take(): RecordedTick | undefined {
    const tick = this.#buffered[this.#taken];
    if (tick !== undefined) this.#taken += 1;
    return tick;
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#reading?.catch(() => undefined);
    this.#pass?.file.close();
    this.#pass = undefined;
  }

  async #read(): Promise<void> {
    try {
      const { pieces, lines } = this.#pass ?? (await this.#begin());
      const piece = await pieces.next();
      const ticks = piece.done === true ? lines.end() : lines.push(asBuffer(piece.value));
      this.#ticksOfLap += ticks.length;
      this.#buffered = ticks;
      this.#taken = 0;
      if (piece.done === true) this.#finish(lines);
    } catch (error) {
      this.#ended = true;
      this.#pass?.file.close();
      if (error instanceof TickFileError) throw error;
      throw new TickFileError(`${basename(this.#path)}: ${messageOf(error)}`);
    }
  }

  async #begin(): Promise<Pass> {
    const file = await openTickFile(this.#path);
    this.#pass = { file, pieces: file.bytes[Symbol.asyncIterator](), lines: new TickLines() };
    this.#passes += 1;
    this.#ticksOfLap = 0;
    return this.#pass;
  }

  #finish(lines: TickLines): void {
    // Without this a file that became empty would be read in circles for ever.
    if (this.#ticksOfLap === 0) throw new TickFileError(`${basename(this.#path)}: no tick in it`);
    this.#skippedBefore += lines.skipped;
    this.#pass?.file.close();
    this.#pass = undefined;
    this.#ended ||= !this.#loop;
  }
}

function asBuffer(piece: unknown): Buffer {
  if (!Buffer.isBuffer(piece)) throw new TypeError('a file gives bytes');
  return piece;
}
