import { add, compare, type Decimal, findPair } from '@firmquote/fx';
import type { Clock } from '../platform/clock.ts';
import type { RateBook } from './rate-book.ts';
import type { BookPrice } from './tick.ts';

/** What a pair's own price did in one second. Epoch milliseconds; the four prices are of the mid. */
export interface Bar {
  readonly pair: string;
  readonly at: number;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  /** The last price of the second. */
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** Prices that there were in it. */
  readonly ticks: number;
}

/** A bar that is still growing; prices are twice the mid, which is as exact and needs no halves. */
interface Growing {
  at: number;
  open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  last: BookPrice;
  ticks: number;
}

const SECOND_MS = 1_000;

/** Bars that wait to be written: some minutes of a database that does not answer. */
const MAX_WAITING = 50_000; // limit: Price bars that wait for the database

/** Watches the book and makes a bar of each pair and second. Works in memory only: it runs inside of every tick. */
export class BarRecorder {
  readonly #clock: Clock;
  readonly #book: RateBook;
  readonly #growing = new Map<string, Growing>();
  #finished: Bar[] = [];
  #dropped = 0;

  constructor(clock: Clock, book: RateBook) {
    this.#clock = clock;
    this.#book = book;
    book.onChange((code) => this.#record(code));
  }

  /** Bars that were given up because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Hands over every bar whose second is over. */
  take(): readonly Bar[] {
    const second = this.#second();
    for (const [pair, bar] of this.#growing) {
      if (bar.at === second) continue;
      this.#finish(pair, bar);
      this.#growing.delete(pair);
    }
    const bars = this.#finished;
    this.#finished = [];
    return bars;
  }

  /** Takes back what could not be written. */
  putBack(bars: readonly Bar[]): void {
    this.#finished = [...bars, ...this.#finished];
    this.#limit();
  }

  #record(code: string): void {
    const pair = findPair(code);
    const reading = pair && this.#book.read(pair);
    if (reading?.status !== 'fresh') return;
    const { price } = reading;
    const bar = this.#growing.get(code);
    // A halt or a setting changed, and not the price.
    if (bar?.last === price) return;
    const at = this.#second();
    const sum = add(price.bid, price.ask);
    if (bar?.at === at) {
      if (compare(sum, bar.high) > 0) bar.high = sum;
      if (compare(sum, bar.low) < 0) bar.low = sum;
      bar.close = sum;
      bar.last = price;
      bar.ticks += 1;
      return;
    }
    if (bar !== undefined) this.#finish(code, bar);
    this.#growing.set(code, { at, open: sum, high: sum, low: sum, close: sum, last: price, ticks: 1 });
  }

  #finish(pair: string, { at, open, high, low, close, last, ticks }: Growing): void {
    const bar = { open: half(open), high: half(high), low: half(low), close: half(close) };
    this.#finished.push({ pair, at, ...bar, bid: last.bid, ask: last.ask, ticks });
    this.#limit();
  }

  #limit(): void {
    const tooMany = this.#finished.length - MAX_WAITING;
    if (tooMany <= 0) return;
    this.#finished.splice(0, tooMany);
    this.#dropped += tooMany;
  }

  #second(): number {
    const now = this.#clock.now();
    return now - (now % SECOND_MS);
  }
}

/** Exactly, with one digit more. */
function half({ units, scale }: Decimal): Decimal {
  return { units: units * 5n, scale: scale + 1 };
}
