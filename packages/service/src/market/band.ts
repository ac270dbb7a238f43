import type { BandRefusal } from '@firmquote/api/operations/price-refusals';
import { add, type Decimal, type Pair } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { areApart, isWider, type PairSettings, type PriceLimits } from './pair-settings.ts';
import type { ReferenceRate, ReferenceRates } from './reference-rates.ts';
import type { Tick } from './tick.ts';

/** Within so long a price moves no further than the band, by however many steps. */
const BAND_WINDOW_MS = 60_000; // limit: Time within which a price moves no further than its band

/** Where a pair stood at an instant. */
export interface Level {
  /** Twice the mid. */
  readonly sum: Decimal;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of a price that an operator accepted: which of the pair's. */
  readonly number?: number;
}

/** The reference rates that prices are held against. */
export type PriceReference = Pick<ReferenceRates, 'rate'>;

/**
 * What no price of a pair may leave: a width, a band around the last good price and one around a reference rate. None
 * of them runs out: not by silence, not by a restart, and not by repeating a price. Only an operator moves them, by
 * saying which price is right.
 *
 * Where there is no reference rate, the first price that was believed stands in for it; a price that an operator has
 * accepted does so until there are reference rates of a later day.
 */
export class Band {
  readonly #pair: Pair;
  readonly #reference: PriceReference | undefined;
  #last: Level | undefined;
  /** Where the pair stood when the present window began. */
  #anchor: Level | undefined;
  #first: Level | undefined;
  #accepted: Level | undefined;
  #acceptedOn = '';
  #rate: ReferenceRate | undefined;
  #rateSum: Decimal | undefined;

  constructor(pair: Pair, reference: PriceReference | undefined) {
    this.#pair = pair;
    this.#reference = reference;
  }

  /** The last good price. */
  get last(): Level | undefined {
    return this.#last;
  }

  /** The first price that was believed. */
  get first(): Level | undefined {
    return this.#first;
  }

  /** Why the price is not to be believed, or undefined. */
  refusalOf(tick: Tick, sum: Decimal, limits: PriceLimits, now: number): BandRefusal | undefined {
    if (isWider(tick.bid, tick.ask, limits.maxWidthBps)) return 'too_wide';
    const known = this.#known(now);
    if (known !== undefined && areApart(sum, known.sum, limits.bandBps)) return 'outside_band';
    const reference = this.referenceSum();
    if (reference !== undefined && areApart(sum, reference, limits.referenceBps)) return 'outside_reference';
    return known === undefined && reference === undefined ? 'unconfirmed' : undefined;
  }

  /** The same of a cross, which has no history of its own. */
  holdsCross(bid: Decimal, ask: Decimal, { maxWidthBps, referenceBps }: PairSettings): boolean {
    if (isWider(bid, ask, maxWidthBps)) return false;
    const reference = this.referenceSum();
    return reference === undefined || !areApart(add(bid, ask), reference, referenceBps);
  }

  /** The price that an operator accepted, while it stands in for the reference rate. */
  get accepted(): Level | undefined {
    const accepted = this.#accepted;
    if (accepted === undefined) return undefined;
    const rate = this.#reference?.rate(this.#pair);
    return rate === undefined || rate.date <= this.#acceptedOn ? accepted : undefined;
  }

  /** Twice the rate that prices are compared with; undefined when nothing is known. */
  referenceSum(): Decimal | undefined {
    const { accepted } = this;
    if (accepted !== undefined) return accepted.sum;
    const rate = this.#reference?.rate(this.#pair);
    if (rate === undefined) return this.#first?.sum;
    if (rate !== this.#rate) {
      this.#rate = rate;
      this.#rateSum = add(rate.rate, rate.rate);
    }
    return this.#rateSum;
  }

  /** Takes over a price that the pair is dealt at. */
  follow(sum: Decimal, now: number): void {
    const anchor = this.#anchor;
    const level = { sum, at: now };
    if (anchor === undefined || now - anchor.at >= BAND_WINDOW_MS || now < anchor.at) {
      this.#anchor = { sum: this.#last?.sum ?? sum, at: now };
    }
    this.#last = level;
    this.#first ??= level;
  }

  /** From now on this price is right: an operator says so. */
  accept(level: Level): void {
    this.#accepted = level;
    this.#acceptedOn = isoInstant(level.at).slice(0, 10);
    this.#last = level;
    this.#anchor = level;
  }

  /** Nothing of what was said before counts any more, but what an operator has said. */
  forget(): void {
    this.#last = this.#accepted;
    this.#anchor = this.#accepted;
    this.#first = undefined;
  }

  /** What was known before a restart. What an operator has said since counts more. */
  restore(last: Level, first: Level): void {
    this.#first ??= first;
    if (this.#last === undefined || this.#last.at < last.at) this.#last = last;
  }

  #known(now: number): Level | undefined {
    const anchor = this.#anchor;
    const counts = anchor !== undefined && now - anchor.at < BAND_WINDOW_MS && now >= anchor.at;
    return counts ? anchor : this.#last;
  }
}
