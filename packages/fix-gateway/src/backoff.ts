/** What came before the pause. */
export type Failure = 'lost' | 'refused';

export interface BackoffOptions {
  /** Real milliseconds before the first and the longest wait, for each kind of failure. */
  readonly limits?: Readonly<Record<Failure, { readonly firstMs: number; readonly maxMs: number }>>;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** A lost line is tried again soon; a refused logon is not, since venues lock accounts that keep knocking. */
const LIMITS = {
  lost: { firstMs: 250, maxMs: 15_000 },
  refused: { firstMs: 5_000, maxMs: 120_000 },
} as const;

/**
 * How long to wait before the next connection: doubling, with jitter over the upper half, so that many sessions that
 * were cut off together do not come back together.
 */
export class Backoff {
  readonly #limits: NonNullable<BackoffOptions['limits']>;
  readonly #random: () => number;
  readonly #failures = { lost: 0, refused: 0 };

  constructor({ limits = LIMITS, random = Math.random }: BackoffOptions = {}) {
    this.#limits = limits;
    this.#random = random;
  }

  next(failure: Failure): number {
    const { firstMs, maxMs } = this.#limits[failure];
    const wait = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures[failure], 16));
    this.#failures[failure] += 1;
    return Math.round(wait / 2 + (wait / 2) * this.#random());
  }

  /** After a session that was up. */
  reset(): void {
    this.#failures.lost = 0;
    this.#failures.refused = 0;
  }
}
