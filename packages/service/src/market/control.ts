import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { currentHalts } from './halt-store.ts';
import { type HaltRecord, Halts } from './halts.ts';
import type { Market } from './market.ts';
import { readRevision } from './store.ts';

/** What an operator orders holds on every instance after so long, and what it takes to read it. */
const FOLLOW_MS = 500;

/**
 * After a halt, quotes may still be written whose price was made before: by requests under way, and by instances that
 * do not know of it yet. For so long they are looked for.
 */
const WITHDRAW_FOR_MS = 60_000;

export interface MarketControlOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly market: Market;
  readonly logger: Logger;
  /** Takes back every open quote that stands under a halt. Repeatable. Answers how many it took back. */
  readonly withdrawHalted: () => Promise<number>;
}

/**
 * What operators have told the market, in the database and followed by every instance. Halts that the book brings
 * about itself are this process's own; they withdraw quotes in the same way.
 */
export class MarketControl {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly market: Market;
  readonly #logger: Logger;
  readonly #withdrawHalted: () => Promise<number>;
  #revision: string | undefined;
  #loads: Promise<void> = Promise.resolve();
  #known: ReadonlySet<string> = new Set();
  /** Real time, as `performance.now()` tells it. */
  #withdrawUntil = Number.NEGATIVE_INFINITY;

  constructor(options: MarketControlOptions) {
    this.pool = options.pool;
    this.clock = options.clock;
    this.market = options.market;
    this.#logger = options.logger;
    this.#withdrawHalted = options.withdrawHalted;
    this.market.book.onHalt((pair, { sources }) => {
      this.#logger.warn({ pair, sources }, 'sources disagree: the pair is halted');
      this.#startWithdrawing();
      this.#withdrawHalted().catch((error: unknown) => {
        this.#logger.error({ err: error, pair }, 'withdrawing quotes failed; it will be tried again');
      });
    });
  }

  /** Takes over what the database says, unless nothing has changed. One load at a time, in the order of the calls. */
  load(): Promise<void> {
    const load = this.#loads.then(() => this.#load());
    this.#loads = load.catch(() => undefined);
    return load;
  }

  /** Takes back what stands under a halt now, and goes on to look for such quotes for a while. */
  withdrawNow(): Promise<number> {
    this.#startWithdrawing();
    return this.#withdrawHalted();
  }

  /** Follows what other instances were told. */
  followSweep(): Sweep {
    return {
      name: 'market_control',
      everyMs: FOLLOW_MS,
      run: async () => {
        await this.load();
        return performance.now() < this.#withdrawUntil ? this.#withdrawHalted() : 0;
      },
    };
  }

  async #load(): Promise<void> {
    // Read before the rest: a change between the two is read again with the next revision.
    const revision = await readRevision(this.pool);
    if (revision === this.#revision) return;
    this.#applyHalts(await currentHalts(this.pool));
    this.#revision = revision;
  }

  #applyHalts(halts: readonly HaltRecord[]): void {
    this.market.setHalts(new Halts(halts));
    if (halts.some(({ id }) => !this.#known.has(id))) this.#startWithdrawing();
    this.#known = new Set(halts.map(({ id }) => id));
  }

  #startWithdrawing(): void {
    this.#withdrawUntil = performance.now() + WITHDRAW_FOR_MS;
  }
}
