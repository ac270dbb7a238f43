/**
 * Business time: the service's clock, and by how much a sandbox's was moved. What the service says of trades, quotes, prices and
 * money is compared with it. Sessions, credentials and the age of what a page has read go by real time.
 */
export class BusinessClock {
  readonly #real: { now(): number };
  readonly #listeners = new Set<() => void>();
  #offsetMs = 0;

  constructor(real: { now(): number }) {
    this.#real = real;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#real.now() + this.#offsetMs;
  }

  /** The date in UTC, as the interface writes it, so many days from today. */
  day(daysOn = 0): string {
    return new Date(this.now() + daysOn * DAY_MS).toISOString().slice(0, 10);
  }

  /** Business time less real time; 0 where it was not moved. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Takes in what the service says. An instance of before does not say it. */
  move(offsetMs = 0): void {
    if (offsetMs === this.#offsetMs) return;
    this.#offsetMs = offsetMs;
    for (const listener of this.#listeners) listener();
  }

  watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

const DAY_MS = 86_400_000;
