import {
  type Currency,
  compare,
  type Decimal,
  findCurrency,
  findPair,
  type Pair,
  pairOf,
} from '@firmquote/fx';
import type { Clock } from '../platform/clock.ts';
import { type BookEntry, type BookLegs, crossPriceOf } from './book-entry.ts';

/** One price of one pair from one source. */
export interface Tick {
  /** Six letters in market order: `EURUSD`. */
  readonly pair: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** When the price was made, epoch milliseconds of the injected clock. */
  readonly at: number;
  readonly source: string;
}

export interface BookPrice {
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** Epoch milliseconds; of a cross, the older leg's. */
  readonly asOf: number;
  /** Name of the source; `composite` for a cross whose legs come from two. */
  readonly source: string;
  /** The ticks that a cross was made of: the base currency's dollar leg, then the quote currency's. */
  readonly legs?: readonly Tick[];
}

export type PriceReading =
  | { readonly status: 'fresh' | 'stale'; readonly price: BookPrice; readonly ageMs: number }
  | { readonly status: 'missing' };

/**
 * Why a tick is not shown. `frozen` ticks are kept and shown when the pair is released; all others are dropped.
 * A locked price (bid = ask) is no error: real feeds lock for moments, and pricing earns its spread on it.
 */
export const REJECT_REASONS = [
  'unknown_pair',
  'not_positive',
  'crossed',
  'backwards',
  'future',
  'frozen',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export interface RateBookOptions {
  readonly clock: Clock;
  /** The oldest age, in milliseconds, at which a price of the pair still makes a firm quote. Default 5,000. */
  readonly stalenessMs?: (pair: Pair) => number;
}

const STALENESS_MS = 5000;

// A clock that is being disciplined steps by milliseconds. Beyond this a price is not from the present.
const CLOCK_TOLERANCE_MS = 250;

const SANDBOX_SOURCE = 'sandbox';
const CROSS_CURRENCY = 'USD';
const MISSING: PriceReading = Object.freeze({ status: 'missing' });

/**
 * The newest price of every pair. A pair with a price of its own is never priced from its legs: when its feed
 * stops, the price turns stale rather than silently into one of another quality. A pair that never had one is
 * the cross of its two dollar legs, and fresh only while both are.
 */
export class RateBook {
  readonly #clock: Clock;
  readonly #stalenessMs: (pair: Pair) => number;
  readonly #entries = new Map<string, BookEntry>();
  readonly #listeners = new Set<(pair: string) => void>();
  readonly #rejected: Record<RejectReason, number> = {
    unknown_pair: 0,
    not_positive: 0,
    crossed: 0,
    backwards: 0,
    future: 0,
    frozen: 0,
  };
  #accepted = 0;

  constructor(options: RateBookOptions) {
    this.#clock = options.clock;
    this.#stalenessMs = options.stalenessMs ?? (() => STALENESS_MS);
  }

  /** Ticks taken in since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Ticks refused since the start, by reason. */
  get rejected(): Readonly<Record<RejectReason, number>> {
    return { ...this.#rejected };
  }

  /** Takes in a tick, or says why not. Two ticks of one millisecond are both taken, in the order they come. */
  apply(tick: Tick): 'accepted' | RejectReason {
    const pair = findPair(tick.pair);
    if (pair === undefined) return this.#reject('unknown_pair');
    if (tick.bid.units <= 0n || tick.ask.units <= 0n) return this.#reject('not_positive');
    if (compare(tick.bid, tick.ask) > 0) return this.#reject('crossed');
    const now = this.#clock.now();
    if (tick.at > now + CLOCK_TOLERANCE_MS) return this.#reject('future');
    const entry = this.#entryOf(pair);
    // A held price that is itself ahead of the clock was left there by a clock set back: it must give way.
    if (entry.live !== undefined && tick.at < entry.live.at && entry.live.at <= now + CLOCK_TOLERANCE_MS) {
      return this.#reject('backwards');
    }
    entry.live = tick;
    if (entry.frozen !== undefined) return this.#reject('frozen');
    this.#accepted += 1;
    this.#show(entry);
    return 'accepted';
  }

  /** The price of a pair now. `missing` when there is neither a price of its own nor one of both dollar legs. */
  read(pair: Pair): PriceReading {
    const entry = this.#entries.get(pair.code) ?? this.#entryOf(pair);
    const now = this.#clock.now();
    if (entry.price !== undefined) {
      return readingOf(entry.price, now, this.#isFresh(entry, now, this.#stalenessMs(entry.pair)));
    }
    const price = crossPriceOf(entry);
    if (price === undefined || entry.legs === undefined) return MISSING;
    const limitMs = this.#stalenessMs(entry.pair);
    const fresh =
      this.#isLegFresh(entry.legs[0], now, limitMs) && this.#isLegFresh(entry.legs[1], now, limitMs);
    return readingOf(price, now, fresh);
  }

  /** Whether the pair has had a price: one of its own, or one of each of its dollar legs. */
  isSupported(pair: Pair): boolean {
    const { price, legs } = this.#entryOf(pair);
    return price !== undefined || (legs?.[0].price !== undefined && legs[1].price !== undefined);
  }

  /**
   * Sandbox: shows this price, always fresh, until the pair is released. `asOf` stays the instant of this call.
   * Throws RangeError on an unknown pair or a price that is not positive or is crossed.
   */
  freeze(pair: string, bid: Decimal, ask: Decimal): void {
    const known = findPair(pair);
    if (known === undefined) throw new RangeError(`${pair} is not a pair in market order`);
    if (bid.units <= 0n || ask.units <= 0n) throw new RangeError('a price is positive');
    if (compare(bid, ask) > 0) throw new RangeError('the bid is above the ask');
    const entry = this.#entryOf(known);
    entry.frozen = { pair: known.code, bid, ask, at: this.#clock.now(), source: SANDBOX_SOURCE };
    this.#show(entry);
  }

  /** Sandbox: shows the feed's newest price again, the one that came in meanwhile included. */
  release(pair: string): void {
    const entry = this.#entries.get(pair);
    if (entry?.frozen === undefined) return;
    entry.frozen = undefined;
    this.#show(entry);
  }

  isFrozen(pair: string): boolean {
    return this.#entries.get(pair)?.frozen !== undefined;
  }

  /** Codes of the pairs with a price of their own, sorted. */
  pairs(): readonly string[] {
    return [...this.#entries.values()]
      .filter((entry) => entry.price !== undefined)
      .map((entry) => entry.pair.code)
      .sort();
  }

  /** Codes whose changes change this pair's price: itself, and its dollar legs while it has no price of its own. */
  dependenciesOf(pair: Pair): readonly string[] {
    const { price, legs } = this.#entryOf(pair);
    if (price !== undefined || legs === undefined) return [pair.code];
    return [pair.code, legs[0].pair.code, legs[1].pair.code];
  }

  /**
   * Calls the listener with the code of each pair whose own price changed; crosses are not announced (see
   * `dependenciesOf`). Listeners run inside `apply` and must not throw. Returns how to stop listening.
   */
  onChange(listener: (pair: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #reject(reason: RejectReason): RejectReason {
    this.#rejected[reason] += 1;
    return reason;
  }

  #show(entry: BookEntry): void {
    const tick = entry.frozen ?? entry.live;
    entry.price =
      tick === undefined ? undefined : { bid: tick.bid, ask: tick.ask, asOf: tick.at, source: tick.source };
    for (const listener of this.#listeners) listener(entry.pair.code);
  }

  #entryOf(pair: Pair): BookEntry {
    const known = this.#entries.get(pair.code);
    if (known !== undefined) return known;
    const entry: BookEntry = {
      pair,
      legs: this.#legsOf(pair),
      live: undefined,
      frozen: undefined,
      price: undefined,
      cross: undefined,
    };
    this.#entries.set(pair.code, entry);
    return entry;
  }

  #legsOf(pair: Pair): BookLegs | undefined {
    const dollar = findCurrency(CROSS_CURRENCY);
    if (dollar === undefined) throw new Error(`${CROSS_CURRENCY} is not in the currency table`);
    if (pair.base.code === dollar.code || pair.quote.code === dollar.code) return undefined;
    const leg = (currency: Currency): BookEntry => this.#entryOf(pairOf(currency, dollar));
    return [leg(pair.base), leg(pair.quote)];
  }

  #isFresh(entry: BookEntry, now: number, limitMs: number): boolean {
    if (entry.frozen !== undefined) return true;
    if (entry.live === undefined) return false;
    const { at } = entry.live;
    return now - at <= limitMs && at - now <= CLOCK_TOLERANCE_MS;
  }

  /** A leg must hold its own limit and that of the cross. */
  #isLegFresh(leg: BookEntry, now: number, crossLimitMs: number): boolean {
    return this.#isFresh(leg, now, Math.min(crossLimitMs, this.#stalenessMs(leg.pair)));
  }
}

function readingOf(price: BookPrice, now: number, fresh: boolean): PriceReading {
  return { status: fresh ? 'fresh' : 'stale', price, ageMs: Math.max(0, now - price.asOf) };
}
