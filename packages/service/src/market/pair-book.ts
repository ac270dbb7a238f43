import { add, compare, type Pair } from '@firmquote/fx';
import { Agreement, type Disagreement } from './agreement.ts';
import { composeFrom, precedes, priceOf } from './composite.ts';
import { isOutlier } from './outlier.ts';
import type { PairSettings } from './pair-settings.ts';
import { CLOCK_TOLERANCE_MS, isUsable, mayCount, newTop, type SourceTop } from './source-top.ts';
import type { BookPrice, PriceReading, RejectReason, Tick } from './tick.ts';

/** Sources of one pair. Its work for a tick grows with them. */
export const MAX_SOURCES_OF_PAIR = 16;

/** A place in a full book is given away when its source has been silent for so long. */
const IDLE_MS = 3_600_000;

/** So often must others have moved before a source that does not is taken for frozen. */
const FROZEN_AFTER_CHANGES = 3;

/** What the book holds of a pair that has sources, as operators look at it. */
export interface PairView {
  readonly pair: Pair;
  readonly reading: PriceReading;
  readonly settings: PairSettings;
  readonly tops: readonly SourceTop[];
  readonly isHeld: boolean;
  readonly crossings: number;
  readonly disagreement: Disagreement | undefined;
}

/** Own price of a pair at an instant. */
export interface OwnPrice {
  readonly price: BookPrice;
  readonly fresh: boolean;
}

/**
 * What the sources say of one pair, and the price made of it. The price is composed when a tick comes; a reader only
 * looks whether the clock has left the span in which it holds, because a source in it has become stale.
 */
export class PairBook {
  readonly pair: Pair;
  readonly tops: SourceTop[] = [];
  settings: PairSettings;
  /** Set while an operator halts the pair: no cross may be made of it then. */
  halted = false;
  readonly #agreement = new Agreement();
  #held: OwnPrice | undefined;
  #own: OwnPrice | undefined;
  #validFrom = Number.POSITIVE_INFINITY;
  #validUntil = Number.NEGATIVE_INFINITY;
  #changes = 0;
  #crossings = 0;

  constructor(pair: Pair, settings: PairSettings) {
    this.pair = pair;
    this.settings = settings;
  }

  /** Whether the pair has ever had a price of its own, also from a source that was switched off since. */
  get wasQuoted(): boolean {
    return this.#held !== undefined || this.tops.some((top) => top.tick !== undefined);
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Compositions in which the prices of two sources crossed and one was left out. */
  get crossings(): number {
    return this.#crossings;
  }

  /** Judges a tick and composes the price anew. `halts`: the sources have just fallen apart. */
  apply(tick: Tick, now: number): { readonly outcome: 'accepted' | RejectReason; readonly halts: boolean } {
    const top = this.#topOf(tick.source, now);
    if (top === undefined) return refused('too_many_sources');
    const reason = this.#judge(top, tick, now);
    if (reason !== undefined) return refused(reason);
    const halts = this.#compose(now, true);
    if (this.#held !== undefined) return { outcome: 'sandbox_hold', halts: false };
    return { outcome: 'accepted', halts };
  }

  /** The price at this instant, or undefined when there never was one. */
  at(now: number): OwnPrice | undefined {
    if (this.#held !== undefined) return this.#held;
    if (now < this.#validFrom || now > this.#validUntil) this.#compose(now, false);
    return this.#own;
  }

  /** Why the book itself halts the pair. */
  disagreement(now: number): Disagreement | undefined {
    return this.#held === undefined ? this.#agreement.current(now, this.settings) : undefined;
  }

  /** @param reading what the pair is read as, which may be a cross */
  view(reading: PriceReading, now: number): PairView {
    const { pair, settings, tops, isHeld, crossings } = this;
    return { pair, reading, settings, tops, isHeld, crossings, disagreement: this.disagreement(now) };
  }

  /** Shows this price instead of the sources', always fresh; undefined lets the pair go. */
  hold(tick: Tick | undefined): void {
    this.#held = tick && { price: priceOf(tick, tick), fresh: true };
  }

  /** What the sources said last is judged by the new settings. Answers whether they have fallen apart by that. */
  configure(settings: PairSettings, now: number): boolean {
    this.settings = settings;
    for (const top of this.tops) {
      top.frozen = false;
      top.jump = undefined;
    }
    return this.#judgeAnew(now);
  }

  /** Switches a source on or off; what was made with it is forgotten. Answers whether they have fallen apart by that. */
  setDisabled(source: string, disabled: boolean, now: number): boolean {
    const top = this.tops.find((each) => each.source === source);
    if (top === undefined || top.disabled === disabled) return false;
    top.disabled = disabled;
    return this.#judgeAnew(now);
  }

  /**
   * Takes the source's price out of what is dealt on, at once and whatever its age. What was shown last is shown on, as
   * stale, when no other source has one. Ticks that were made before `at` come too late from then on.
   * @returns false when there was none
   */
  withdraw(source: string, at: number | undefined, now: number): boolean {
    const top = this.tops.find((each) => each.source === source);
    if (top === undefined) return false;
    if (at !== undefined && at <= now + CLOCK_TOLERANCE_MS) top.lastAt = Math.max(top.lastAt, at);
    top.jump = undefined;
    if (top.tick === undefined || top.withdrawn) return false;
    top.withdrawn = true;
    this.#compose(now, true);
    return true;
  }

  /** The source's place in the book, made when it is new; undefined when the book of the pair is full. */
  #topOf(source: string, now: number): SourceTop | undefined {
    const known = this.tops.find((top) => top.source === source);
    if (known !== undefined) return known;
    const top = newTop(source);
    if (this.tops.length < MAX_SOURCES_OF_PAIR) {
      this.tops.push(top);
      return top;
    }
    const idle = this.tops.findIndex(({ lastAt }) => now - lastAt > IDLE_MS);
    if (idle === -1) return undefined;
    this.tops[idle] = top;
    return top;
  }

  #judgeAnew(now: number): boolean {
    this.#own = undefined;
    return this.#compose(now, true) && this.#held === undefined;
  }

  /** Takes the tick over into its source's top, or says why not. */
  #judge(top: SourceTop, tick: Tick, now: number): RejectReason | undefined {
    // A time that is itself ahead of the clock was left there by a clock set back: it must give way.
    const isAhead = top.lastAt > now + CLOCK_TOLERANCE_MS;
    if (tick.at < top.lastAt && !isAhead) return 'backwards';
    const sum = add(tick.bid, tick.ask);
    if (isAhead) top.jump = undefined;
    const silentMs = tick.at - top.lastAt;
    top.lastAt = tick.at;
    if (isOutlier(this.tops, top, sum, tick.at, now, this.settings)) return 'outlier';
    if (this.#freezes(top, tick, isAhead ? Number.POSITIVE_INFINITY : silentMs)) {
      top.frozen = true;
      // From here on the price is made without the source.
      this.#compose(now, false);
      return 'frozen';
    }
    top.tick = tick;
    top.sum = sum;
    top.withdrawn = false;
    return undefined;
  }

  /**
   * Whether the source has said the same for too long while others moved. After a silence it says it anew: that is a
   * slow source, or the first price of a week.
   */
  #freezes(top: SourceTop, tick: Tick, silentMs: number): boolean {
    const { frozenMs } = this.settings;
    const last = top.tick;
    const moved =
      last === undefined || compare(last.bid, tick.bid) !== 0 || compare(last.ask, tick.ask) !== 0;
    if (moved) this.#changes += 1;
    if (moved || silentMs > (frozenMs ?? 0)) {
      top.changedAt = tick.at;
      top.changesThen = this.#changes;
      top.frozen = false;
      return false;
    }
    const isLong = frozenMs !== null && tick.at - top.changedAt > frozenMs;
    return isLong && this.#changes - top.changesThen >= FROZEN_AFTER_CHANGES;
  }

  #compose(now: number, isNews: boolean): boolean {
    const { settings } = this;
    const usable: SourceTop[] = [];
    let from = Number.NEGATIVE_INFINITY;
    let until = Number.POSITIVE_INFINITY;
    for (const top of this.tops) {
      if (top.tick === undefined || !mayCount(top)) continue;
      const { at } = top.tick;
      if (isUsable(top, now, settings.stalenessMs)) {
        usable.push(top);
        from = Math.max(from, at - CLOCK_TOLERANCE_MS);
        until = Math.min(until, at + settings.stalenessMs);
      } else if (at > now) {
        until = Math.min(until, at - CLOCK_TOLERANCE_MS - 1);
      }
    }
    const composed = composeFrom(usable, settings);
    this.#own = composed === undefined ? this.#stale() : { price: composed.price, fresh: true };
    if (composed !== undefined && composed.crossings > 0 && isNews) this.#crossings += 1;
    // Without a fresh source nothing becomes fresh by waiting, but a clock that is set back may make it so.
    this.#validFrom = usable.length === 0 ? now : from;
    this.#validUntil = until;
    return isNews && this.#agreement.observe(usable, now, settings);
  }

  /** What was last shown, or after a switch the newest price that counts. */
  #stale(): OwnPrice | undefined {
    if (this.#own !== undefined)
      return this.#own.fresh ? { price: this.#own.price, fresh: false } : this.#own;
    let newest: SourceTop | undefined;
    for (const top of this.tops) {
      if (top.tick === undefined || top.disabled) continue;
      const newestAt = newest?.tick?.at ?? Number.NEGATIVE_INFINITY;
      if (newest === undefined || top.tick.at > newestAt) newest = top;
      else if (top.tick.at === newestAt && precedes(top, newest, this.settings.priority)) newest = top;
    }
    return newest?.tick && { price: priceOf(newest.tick, newest.tick), fresh: false };
  }
}

function refused(outcome: RejectReason): { readonly outcome: RejectReason; readonly halts: false } {
  return { outcome, halts: false };
}
