import { type Decimal, parsePrice } from '@firmquote/fx';

/** One line of a recording: `milliseconds since midnight,bid,ask`. */
export interface RecordedTick {
  readonly millis: number;
  readonly bid: Decimal;
  readonly ask: Decimal;
}

const LINE_BYTES_MAX = 128; // limit: Line of a recording
const MILLIS_PER_DAY = 86_400_000;
const NEWLINE = 0x0a;

/**
 * Turns the bytes of a recording into ticks, exactly as written. Lines that are too long, are not three
 * numbers, or go back in time are counted and skipped; so a header line is one skipped line. Empty lines are
 * nothing. Whether a price makes sense is for the rate book to say.
 */
export class TickLines {
  #carry: Buffer = Buffer.alloc(0);
  #inLongLine = false;
  #lastMillis = 0;
  #skipped = 0;

  get skipped(): number {
    return this.#skipped;
  }

  /** The ticks of the lines that this piece completes. */
  push(piece: Buffer): RecordedTick[] {
    const bytes = this.#carry.length === 0 ? piece : Buffer.concat([this.#carry, piece]);
    const ticks: RecordedTick[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#take(bytes, start, end, ticks);
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
    return ticks;
  }

  /** The tick of a last line without a line end. */
  end(): RecordedTick[] {
    const ticks: RecordedTick[] = [];
    this.#take(this.#carry, 0, this.#carry.length, ticks);
    this.#carry = Buffer.alloc(0);
    return ticks;
  }

  /** What is left of a line that is already too long is not kept, so that no file can fill the memory. */
  #keep(rest: Buffer): void {
    if (rest.length <= LINE_BYTES_MAX) {
      this.#carry = rest;
      return;
    }
    this.#inLongLine = true;
    this.#carry = Buffer.alloc(0);
  }

  #take(bytes: Buffer, start: number, end: number, ticks: RecordedTick[]): void {
    const tooLong = this.#inLongLine || end - start > LINE_BYTES_MAX;
    this.#inLongLine = false;
    if (tooLong) {
      this.#skipped += 1;
      return;
    }
    const line = bytes.toString('latin1', start, end).trimEnd();
    if (line === '') return;
    const tick = parseTickLine(line);
    if (tick === undefined || tick.millis < this.#lastMillis) {
      this.#skipped += 1;
      return;
    }
    this.#lastMillis = tick.millis;
    ticks.push(tick);
  }
}

/** The tick in a line, or undefined when it is not three plain numbers with a time inside one day. */
export function parseTickLine(line: string): RecordedTick | undefined {
  const [time, bidText, askText, ...more] = line.split(',');
  if (time === undefined || bidText === undefined || askText === undefined || more.length > 0)
    return undefined;
  if (!/^[0-9]{1,8}$/.test(time)) return undefined;
  const millis = Number.parseInt(time, 10);
  const bid = parsePrice(bidText);
  const ask = parsePrice(askText);
  if (millis >= MILLIS_PER_DAY || bid === undefined || ask === undefined) return undefined;
  return { millis, bid, ask };
}
