import type { Runtime } from './runtime.ts';

/** `Date` headers tell whole seconds. */
const DATE_STEP_MS = 1_000;

/**
 * The service's clock as far as its answers tell: each `Date` header says that it was written in one certain second, between the
 * sending of the request and the coming of the answer. What all of them allow is the offset. It rests on a clock that only goes
 * forward, so that a wrong or moved clock of this machine changes nothing.
 */
export class ServerClock {
  readonly #runtime: Runtime;
  /** Service's time minus monotonic time, at least and at most. */
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Whether an answer has come yet. Before that, the machine's own clock is used. */
  get isKnown(): boolean {
    return this.#most < Number.POSITIVE_INFINITY;
  }

  /** Milliseconds since 1970 by the service's clock. */
  now(): number {
    if (!this.isKnown) return this.#runtime.wallMs();
    return this.#runtime.monotonicMs() + (this.#least + this.#most) / 2;
  }

  /** By how much the machine's clock is behind the service's, ms; negative where it is ahead. */
  get offsetMs(): number {
    return this.now() - this.#runtime.wallMs();
  }

  /** How far `now()` may be off, ms. */
  get uncertaintyMs(): number {
    return this.isKnown ? (this.#most - this.#least) / 2 : Number.POSITIVE_INFINITY;
  }

  /**
   * Takes in the `Date` header of an answer.
   * @param sentMs monotonic time before the request was sent
   * @param receivedMs the same when its head had come
   */
  observe(date: string | null, sentMs: number, receivedMs: number): void {
    const written = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(written)) return;
    const least = written - receivedMs;
    const most = written + DATE_STEP_MS - sentMs;
    const isAgreed = least <= this.#most && most >= this.#least;
    // One of the clocks was set, or slept: only what is newest holds.
    this.#least = isAgreed ? Math.max(least, this.#least) : least;
    this.#most = isAgreed ? Math.min(most, this.#most) : most;
  }
}
