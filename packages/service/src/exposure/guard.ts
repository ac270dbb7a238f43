import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import { type ExposureLimits, isLimited } from '../pricing/exposure-limits.ts';
import type { SettingsSource } from '../pricing/settings.ts';
import { requireWithinLimits } from './check-limits.ts';
import { type ChangeKind, type OwnChange, OwnChanges, type PositionChange } from './own-changes.ts';
import type { HousePositions } from './position-store.ts';

/** A trade as it enters the position; see `readHousePositions`. */
export interface TradeLegs {
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly fixedSide: 'sell' | 'buy';
  readonly sellMinor: bigint;
  readonly buyMinor: bigint;
  /** The leg that is not fixed, at the market's price. */
  readonly marketMinor: bigint;
}

/** Room that was taken. Exactly one of the two is to be called. */
export interface Held {
  /** It happened, or nobody knows: it counts until positions are read that hold it. */
  settle(): void;
  /** It did not happen. */
  release(): void;
}

const NOTHING_HELD: Held = { settle() {}, release() {} };
/** Positions older than this are read again before anything is decided on them. */
const MAX_AGE_MS = 5_000;
/** The database is left alone for so many times as long as the last reading took. */
const REST_FACTOR = 4;

export interface ExposureOptions {
  /** Positions of all customers as of one moment, for quotes that are open at a business instant. */
  readonly read: (at: number) => Promise<HousePositions>;
  readonly clock: Clock;
  readonly book: RateBook;
  readonly settings: SettingsSource;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

/**
 * Keeps the house's exposure within its limits. Positions come from the ledger, at most a second old while anything is
 * limited; what this process does meanwhile is added before it is done and dropped only when a reading that began
 * afterwards holds it. So on one instance nothing is ever left out. Something may count twice for a moment, and
 * several instances do not see each other's trades of the last second: the limits are soft by that much.
 */
export class ExposureGuard {
  readonly #options: ExposureOptions;
  readonly #now: () => number;
  #positions: HousePositions | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  readonly #own = new OwnChanges();
  /** Counts readings and outcomes, so that it is known which came first. */
  #sequence = 0;
  #reading: Promise<HousePositions> | undefined;

  constructor(options: ExposureOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether there is any limit. Everything below costs nothing while there is none. */
  isLimited(): boolean | Promise<boolean> {
    const settings = this.#options.settings.current();
    if (settings instanceof Promise) return settings.then((known) => isLimited(known.exposureLimits));
    return isLimited(settings.exposureLimits);
  }

  /**
   * Takes room for a quote that is about to be made, as if all open quotes were executed.
   * @throws Problem limit_exceeded
   */
  holdQuote(legs: TradeLegs): Held | Promise<Held> {
    return this.#hold('quote', legs);
  }

  /**
   * Takes room for an execution. Open quotes do not count: their room was taken when they were made.
   * @throws Problem limit_exceeded
   */
  holdExecution(legs: TradeLegs): Held | Promise<Held> {
    return this.#hold('execution', legs);
  }

  /** For the sweep: reads positions where there are limits. */
  async refresh(): Promise<void> {
    if (this.#now() < this.#restUntil || !(await this.isLimited())) return;
    await this.read();
  }

  /** Positions as they are now. Concurrent calls share a reading that has not begun too early for any of them. */
  async read(): Promise<HousePositions> {
    // One that is under way may have begun before what the caller wants to see.
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  #hold(kind: ChangeKind, legs: TradeLegs): Held | Promise<Held> {
    const settings = this.#options.settings.current();
    if (settings instanceof Promise) return settings.then(() => this.#hold(kind, legs));
    const { exposureLimits: limits } = settings;
    if (!isLimited(limits)) return NOTHING_HELD;
    const positions = this.#positions;
    if (positions === undefined || this.#now() - this.#readAt > MAX_AGE_MS) {
      return this.read().then((fresh) => this.#take(kind, legs, limits, fresh));
    }
    return this.#take(kind, legs, limits, positions);
  }

  #take(kind: ChangeKind, legs: TradeLegs, limits: ExposureLimits, positions: HousePositions): Held {
    const { book } = this.#options;
    const change = positionChange(legs);
    requireWithinLimits({ book, limits, positions, own: this.#own, kind, change });
    const own: OwnChange = { kind, change, settledAt: undefined };
    this.#own.add(own);
    return {
      settle: () => {
        own.settledAt = ++this.#sequence;
      },
      release: () => {
        this.#own.remove(own);
      },
    };
  }

  async #readOnce(): Promise<HousePositions> {
    const { read, clock } = this.#options;
    const beganAt = ++this.#sequence;
    const began = this.#now();
    const positions = await read(clock.now());
    this.#positions = positions;
    this.#readAt = began;
    this.#restUntil = this.#now() + (this.#now() - began) * REST_FACTOR;
    // What had ended before the reading began is in it, one way or the other.
    this.#own.forgetUntil(beganAt);
    return positions;
  }
}

/** What a trade does to the house: it takes what the customer sells and gives what the customer buys. */
export function positionChange(legs: TradeLegs): PositionChange {
  const isSellFixed = legs.fixedSide === 'sell';
  return [
    [legs.sellCurrency, isSellFixed ? legs.sellMinor : legs.marketMinor],
    [legs.buyCurrency, -(isSellFixed ? legs.marketMinor : legs.buyMinor)],
  ];
}
