import { UnconfirmedCommit } from '../database/session.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';
import { requireWithinLimits } from './check-limits.ts';
import { type ExposureLimits, isLimited } from './limits.ts';
import { type OwnChange, OwnChanges, type PositionChange } from './own-changes.ts';
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
export interface ExposureReservation {
  /** It happened, or nobody knows: it counts until positions are read that hold it. */
  commit(): void;
  /** It did not happen. */
  rollback(): void;
}

const NOTHING_RESERVED: ExposureReservation = { commit() {}, rollback() {} };
/** Positions older than this are read again before anything is decided on them. */
const MAX_AGE_MS = 5_000; // limit: Age of positions that limits are decided on
/** The database is left alone for so many times as long as the last reading took. */
const REST_FACTOR = 4;

/** Where hot paths read the limits: in memory, answered without a promise when known. */
interface LimitsSource {
  current(): ExposureLimits | Promise<ExposureLimits>;
}

interface ExposureOptions {
  /** Positions of all customers as of one moment, for quotes that are open at a business instant. */
  readonly read: (at: number) => Promise<HousePositions>;
  /** Tells the database what positions are worth, against which it holds executions; see `publishValues`. */
  readonly publish: () => Promise<void>;
  readonly clock: Clock;
  readonly book: RateBook;
  readonly limits: LimitsSource;
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

/**
 * Keeps what is promised within the house's limits: a quote takes room as if all open quotes were executed. Positions are
 * at most a second old while anything is limited; what this process promises meanwhile is added before it is done and
 * dropped only when a reading that began afterwards holds it. So on one instance nothing is ever left out; something may
 * count twice for a moment, and several instances do not see each other's quotes of the last second. Executions are held
 * by the database, in their commit and exactly.
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
  #isPublished = false;
  #publishing: Promise<void> | undefined;

  constructor(options: ExposureOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Before an execution: the database must know what positions are worth. Costs nothing once it does. */
  ready(): undefined | Promise<void> {
    if (this.#isPublished) return undefined;
    this.#publishing ??= this.publish().finally(() => {
      this.#publishing = undefined;
    });
    return this.#publishing;
  }

  /** Tells the database what positions are worth now. */
  async publish(): Promise<void> {
    await this.#options.publish().catch((error: unknown) => {
      // The primary has the values, which is all that they are for; the execution itself has not begun.
      if (!(error instanceof UnconfirmedCommit)) throw error;
    });
    this.#isPublished = true;
  }

  /**
   * Takes room for a quote that is about to be made, as if all open quotes were executed.
   * @throws Problem limit_exceeded
   */
  holdQuote(legs: TradeLegs): ExposureReservation | Promise<ExposureReservation> {
    const limits = this.#options.limits.current();
    if (limits instanceof Promise) return limits.then(() => this.holdQuote(legs));
    if (!isLimited(limits)) return NOTHING_RESERVED;
    const positions = this.#positions;
    if (positions === undefined || this.#now() - this.#readAt > MAX_AGE_MS) {
      return this.read().then((fresh) => this.#reserve(legs, limits, fresh));
    }
    return this.#reserve(legs, limits, positions);
  }

  /** For the sweep: publishes what positions are worth and reads them, where there are limits. */
  async refresh(): Promise<void> {
    if (!isLimited(await this.#options.limits.current())) return this.ready();
    await this.publish();
    if (this.#now() >= this.#restUntil) await this.read();
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

  #reserve(legs: TradeLegs, limits: ExposureLimits, positions: HousePositions): ExposureReservation {
    const { book } = this.#options;
    const change = positionChange(legs);
    requireWithinLimits({ book, limits, positions, own: this.#own, change });
    const own: OwnChange = { change, settledAt: undefined };
    this.#own.add(own);
    return {
      commit: () => {
        own.settledAt = ++this.#sequence;
      },
      rollback: () => {
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
