import {
  add,
  type Decimal,
  findPair,
  knownCurrency,
  type Pair,
  pairOf,
  type RealisedVariance,
  returnUnits,
} from '@firmquote/fx';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';

/** Mids closer together than this are not compared: what lies between is the noise of quoting, not the market's move. */
const SAMPLE_MS = 5_000; // limit: Shortest time between two mids that are compared for volatility
/** A return over a longer gap is left out: over a weekend or an outage nobody could have been quoted. */
const GAP_MS_MAX = 300_000; // limit: Longest time between two mids that are compared for volatility
const BUCKET_MS = 60_000;
/** Minutes kept of each pair: the longest window that a policy may have. */
const BUCKETS_MAX = 240; // limit: Minutes of volatility kept of each pair

/** What crosses are made through, as in the rate book. */
const CROSS_CURRENCIES = ['USD', 'EUR'].map(knownCurrency);

interface Bucket {
  readonly minute: number;
  sumSquares: bigint;
  elapsedMs: number;
  returns: number;
}

interface History {
  mid: Decimal;
  at: number;
  readonly buckets: Bucket[];
}

/**
 * Realised variance of each pair from the mids that the book shows: squared simple returns between mids at least 5 s
 * apart, summed by the minute. Memory is bounded: 240 minutes for each pair that has prices of its own.
 */
export class VolatilityRecorder {
  readonly #book: RateBook;
  readonly #clock: Clock;
  readonly #histories = new Map<string, History>();

  constructor(options: { readonly book: RateBook; readonly clock: Clock }) {
    this.#book = options.book;
    this.#clock = options.clock;
    options.book.onChange((code) => this.#changed(code));
  }

  /**
   * The variance of a pair over the last `windowMs`, or undefined when it has fewer returns than asked for. A pair
   * without prices of its own has a bound from the pairs that it is made of, 2 (σ₁² + σ₂²): however they move together,
   * its own variance is never more.
   */
  varianceOf(pair: Pair, windowMs: number, minimumReturns: number): RealisedVariance | undefined {
    const own = this.#recorded(pair.code, windowMs, minimumReturns);
    if (own !== undefined) return own;
    for (const via of CROSS_CURRENCIES) {
      const [a, b] = [pair.base, pair.quote].map((currency) =>
        currency.code === via.code
          ? undefined
          : this.#recorded(pairOf(currency, via).code, windowMs, minimumReturns),
      );
      if (a !== undefined && b !== undefined) return combined(a, b);
    }
    return undefined;
  }

  #recorded(code: string, windowMs: number, minimumReturns: number): RealisedVariance | undefined {
    const history = this.#histories.get(code);
    if (history === undefined) return undefined;
    const now = this.#clock.now();
    const first = Math.floor((now - windowMs) / BUCKET_MS);
    const sum = { sumSquares: 0n, elapsedMs: 0, returns: 0 };
    for (const bucket of history.buckets) {
      if (bucket.minute <= first || bucket.minute * BUCKET_MS > now) continue;
      sum.sumSquares += bucket.sumSquares;
      sum.elapsedMs += bucket.elapsedMs;
      sum.returns += bucket.returns;
    }
    return sum.returns < minimumReturns || sum.elapsedMs === 0 ? undefined : sum;
  }

  /** Runs inside the book for each tick: most are within 5 s of the last sample and cost a look-up. */
  #changed(code: string): void {
    const now = this.#clock.now();
    const history = this.#histories.get(code);
    const sinceMs = history === undefined ? SAMPLE_MS : now - history.at;
    if (sinceMs >= 0 && sinceMs < SAMPLE_MS) return;
    const pair = findPair(code);
    const reading = pair && this.#book.read(pair);
    if (reading === undefined || reading.status !== 'fresh') return;
    // Twice the mid: only ratios count.
    const mid = add(reading.price.bid, reading.price.ask);
    if (history === undefined) {
      this.#histories.set(code, { mid, at: now, buckets: [] });
      return;
    }
    // A clock that was set back or far ahead begins a new stretch, like any other gap.
    if (sinceMs >= 0 && sinceMs <= GAP_MS_MAX) this.#add(history, mid, now, sinceMs);
    history.mid = mid;
    history.at = now;
  }

  #add(history: History, mid: Decimal, now: number, elapsedMs: number): void {
    const minute = Math.floor(now / BUCKET_MS);
    let bucket = history.buckets.at(-1);
    if (bucket?.minute !== minute) {
      bucket = { minute, sumSquares: 0n, elapsedMs: 0, returns: 0 };
      history.buckets.push(bucket);
      if (history.buckets.length > BUCKETS_MAX) history.buckets.shift();
    }
    bucket.sumSquares += returnUnits(history.mid, mid) ** 2n;
    bucket.elapsedMs += elapsedMs;
    bucket.returns += 1;
  }
}

/** (σ₁ + σ₂)², the most that two rates can make together, is at most 2 (σ₁² + σ₂²), which needs no root. */
function combined(a: RealisedVariance, b: RealisedVariance): RealisedVariance {
  return {
    sumSquares: 2n * (a.sumSquares * BigInt(b.elapsedMs) + b.sumSquares * BigInt(a.elapsedMs)),
    elapsedMs: a.elapsedMs * b.elapsedMs,
    returns: Math.min(a.returns, b.returns),
  };
}
