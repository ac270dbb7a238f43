/**
 * The one source of business time. Instants are epoch milliseconds.
 * Expiry, cut-offs, value dates and settlement follow this clock; tokens, rate limits and logs stay on real time.
 */
export interface Clock {
  /** Business time now, epoch milliseconds. */
  now(): number;
}

/** Real time, for production and for everything that must not follow the sandbox. */
export const systemClock: Clock = { now: () => Date.now() };

/** Runs at real speed with a movable offset. Used by the sandbox and by tests. */
export class VirtualClock implements Clock {
  #offsetMs: number;
  readonly #base: Clock;

  constructor(offsetMs = 0, base: Clock = systemClock) {
    this.#offsetMs = offsetMs;
    this.#base = base;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Sets business time; it goes on running from there. */
  set(instant: number): void {
    this.#offsetMs = instant - this.#base.now();
  }

  followRealTime(): void {
    this.#offsetMs = 0;
  }
}

const CACHED_INSTANTS = 256;
const instants = new Float64Array(CACHED_INSTANTS).fill(Number.NaN);
const instantTexts: string[] = new Array(CACHED_INSTANTS).fill('');

/**
 * RFC 3339 UTC with milliseconds, the only form in which instants leave the service. The last ones are remembered:
 * requests of the same millisecond, and all quotes on the same tick, ask for the same text.
 */
export function isoInstant(instant: number): string {
  const place = instant & (CACHED_INSTANTS - 1);
  if (instants[place] === instant) return instantTexts[place] as string;
  const text = new Date(instant).toISOString();
  instants[place] = instant;
  instantTexts[place] = text;
  return text;
}

/** As HTTP writes an instant (RFC 9110 §5.6.7). */
export function httpDate(instant: number): string {
  return new Date(instant).toUTCString();
}
