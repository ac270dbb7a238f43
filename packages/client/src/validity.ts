import type { Answer } from './call.ts';
import type { ServerClock } from './clock.ts';
import type { Quote } from './generated/types.ts';
import type { Runtime } from './runtime.ts';

/**
 * How long quotes are still good. An answer says how much time was left when it was written, and it was written after its request
 * was sent: counted from there, on a clock that only goes forward, nothing depends on what time it is here or there.
 */
export class Validity {
  readonly #runtime: Runtime;
  readonly #clock: ServerClock;
  /** When each quote ends at the earliest, by monotonic time, ms. */
  readonly #ends = new WeakMap<object, number>();

  constructor(runtime: Runtime, clock: ServerClock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** Takes in an answer, if it is a quote or a page of quotes. */
  note({ data, headers, sentAtMs }: Answer<unknown>): void {
    // The body of a replay is as old as the first answer; what is true now stands in a header.
    const now = headers.get('firmquote-valid-for-ms') ?? '';
    const replayed = /^\d{1,9}$/.test(now) ? Number.parseInt(now, 10) : undefined;
    const items = (data as { readonly items?: readonly unknown[] } | undefined)?.items ?? [data];
    for (const item of items) {
      const leftMs = replayed ?? (item as Partial<Quote> | undefined)?.validForMs;
      if (typeof leftMs === 'number') this.#ends.set(item as object, sentAtMs + leftMs);
    }
  }

  /** Milliseconds left, 0 afterwards. */
  leftMs(quote: Quote): number {
    return Math.max(0, this.#endsIn(quote));
  }

  #endsIn(quote: Quote): number {
    const end = this.#ends.get(quote);
    // Of another process, or read from a file: by the service's clock, as far as it is known.
    if (end === undefined) return Date.parse(quote.expiresAt) - this.#clock.now();
    return end - this.#runtime.monotonicMs();
  }
}
