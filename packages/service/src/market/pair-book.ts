import type { BandRefusal, RejectReason } from '@firmquote/api/operations/price-refusals';
import { add, type Decimal, type Pair } from '@firmquote/fx';
import { Agreement, type Disagreement } from './agreement.ts';
import { Band, type Level } from './band.ts';
import { composeFrom, precedes, priceOf } from './composite.ts';
import { NO_VOTE, vote } from './majority.ts';
import type { PairSettings } from './pair-settings.ts';
import { CLOCK_TOLERANCE_MS, isUsable, mayCount, newTop, type SourceTop } from './source-top.ts';
import type { BookPrice, PriceReading, Tick } from './tick.ts';
import { type BookRules, isSame, type SourceNews, TickJudge } from './tick-judge.ts';

/** Sources of one pair. Its work for a tick grows with them. */
export const MAX_SOURCES_OF_PAIR = 16; // limit: Sources of a pair

/** A place in a full book is given away when its source has been silent for so long. */
const IDLE_MS = 3_600_000; // limit: How long a silent source keeps its place
/** A pair that was quoted before a restart is one that may be quoted again: longer than any holidays. */
const KNOWN_FOR_MS = 31 * 86_400_000;

/** What has become of a tick. */
export interface Applied {
  readonly outcome: 'accepted' | RejectReason;
  /** Whether the price may be another one now. */
  readonly changes: boolean;
  /** Whether the sources have just fallen apart. */
  readonly halts: boolean;
}

/** What the book holds of a pair that has sources, as operators look at it. */
export interface PairView {
  readonly pair: Pair;
  readonly reading: PriceReading;
  readonly settings: PairSettings;
  readonly tops: readonly SourceTop[];
  readonly isHeld: boolean;
  readonly crossings: number;
  readonly disagreement: Disagreement | undefined;
  readonly awaitsOperator: boolean;
  readonly lastGood: Level | undefined;
  /** Twice the rate that prices are held against. */
  readonly referenceSum: Decimal | undefined;
}

/** Own price of a pair at an instant. */
interface OwnPrice {
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
  /** Set while an operator's halt takes back the pair's quotes. */
  endsQuotes = false;
  readonly band: Band;
  readonly #judge: TickJudge;
  readonly #notify: (kind: SourceNews['kind'], top: SourceTop, reason?: BandRefusal) => void;
  readonly #agreement = new Agreement();
  #held: OwnPrice | undefined;
  #own: OwnPrice | undefined;
  #validFrom = Number.POSITIVE_INFINITY;
  #validUntil = Number.NEGATIVE_INFINITY;
  #crossings = 0;

  constructor(pair: Pair, settings: PairSettings, rules: BookRules = {}) {
    this.pair = pair;
    this.settings = settings;
    this.band = new Band(pair, rules.reference);
    this.#notify = (kind, top, reason) => {
      const { source, refused, tick } = top;
      rules.onNews?.({
        kind,
        pair: pair.code,
        source,
        tick: refused?.tick ?? tick,
        ...(reason && { reason }),
      });
    };
    this.#judge = new TickJudge(this.tops, this.band, rules.firstPrices ?? 'believe', (top, reason) =>
      this.#notify('refused', top, reason),
    );
  }

  /**
   * Whether a source has ever said a price of the pair, also one that was not believed or is switched off since, or one
   * was good before the start and not too long ago.
   */
  wasQuoted(now: number): boolean {
    if (this.#held !== undefined) return true;
    const { last } = this.band;
    if (last !== undefined && now - last.at <= KNOWN_FOR_MS) return true;
    return this.tops.some(({ lastAt }) => lastAt !== Number.NEGATIVE_INFINITY);
  }

  /** Sandbox: the price that is shown whatever the sources say. */
  get heldPrice(): OwnPrice['price'] | undefined {
    return this.#held?.price;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Compositions in which the prices of two sources crossed and one was left out. */
  get crossings(): number {
    return this.#crossings;
  }

  /**
   * Judges a tick and composes the price anew: also without the source, when it has said something that is not believed.
   */
  apply(tick: Tick, now: number): Applied {
    const top = this.#topOf(tick.source, now);
    if (top === undefined) return { outcome: 'too_many_sources', changes: false, halts: false };
    const reason = this.#judge.judge(top, tick, this.settings, now);
    if (reason === 'backwards') return { outcome: reason, changes: false, halts: false };
    const halts = this.#compose(now, true) && this.#held === undefined;
    if (reason !== undefined) return { outcome: reason, changes: true, halts };
    return {
      outcome: this.#held === undefined ? 'accepted' : 'sandbox_hold',
      changes: this.#held === undefined,
      halts,
    };
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
    const { pair, settings, tops, isHeld, crossings, band } = this;
    return {
      ...{ pair, reading, settings, tops, isHeld, crossings },
      disagreement: this.disagreement(now),
      awaitsOperator: this.awaitsOperator(now),
      lastGood: band.last,
      referenceSum: band.referenceSum(),
    };
  }

  /** Shows this price instead of the sources', always fresh; undefined lets the pair go. */
  hold(tick: Tick | undefined): void {
    this.#held = tick && { price: priceOf(tick, tick), fresh: true };
  }

  /** What the sources said last is judged by the new settings. Answers whether they have fallen apart by that. */
  configure(settings: PairSettings, now: number): boolean {
    this.settings = settings;
    const { frozenMs } = settings;
    for (const top of this.tops) {
      if (frozenMs === null || top.lastAt - top.changedAt <= frozenMs) top.frozen = false;
    }
    this.#judge.reconsider(settings, now);
    return this.#judgeAnew(now);
  }

  /**
   * An operator says which price is right: what the sources say is judged by it, and those that were set aside and say
   * the same are back. Answers whether they have fallen apart by that.
   */
  accept(level: Level, now: number): boolean {
    this.band.accept(level);
    const isAccepted = ({ sum }: { readonly sum: Decimal }) => isSame(sum, level.sum, this.settings);
    for (const top of this.tops) if (top.said !== undefined && isAccepted(top.said)) top.aside = undefined;
    this.#judge.reconsider(this.settings, now, isAccepted);
    return this.#judgeAnew(now);
  }

  /** Whether no source has a price to deal on, and one has a price that only an operator can accept. */
  awaitsOperator(now: number): boolean {
    const { stalenessMs } = this.settings;
    return (
      this.tops.some(
        ({ disabled, refused }) => !disabled && refused !== undefined && refused.reason !== 'too_wide',
      ) && !this.tops.some((top) => isUsable(top, now, stalenessMs))
    );
  }

  /** Forgets what these sources have said, and where the pair stood by it: they begin anew, from wherever. */
  forget(sources: ReadonlySet<string>): void {
    for (const top of this.tops) {
      if (!sources.has(top.source)) continue;
      const { source, disabled, lastAt } = top;
      Object.assign(top, newTop(source), { disabled, lastAt });
      this.band.forget();
    }
  }

  /** Switches a source on or off; what was made with it is forgotten. Answers whether they have fallen apart by that. */
  setDisabled(source: string, disabled: boolean, now: number): boolean {
    const top = this.tops.find((each) => each.source === source);
    if (top === undefined || top.disabled === disabled) return false;
    top.disabled = disabled;
    top.aside = undefined;
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
    Object.assign(top, { jump: undefined, refused: undefined, said: undefined });
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

  #compose(now: number, isNews: boolean): boolean {
    const { settings } = this;
    const { hasMajority, changes } = isNews ? vote(this.tops, now, settings) : NO_VOTE;
    for (const { top, isAside } of changes) this.#notify(isAside ? 'set_aside' : 'returned', top);
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
    this.#own = composed === undefined ? this.#stale() : { price: this.#marked(composed.price), fresh: true };
    if (composed !== undefined && composed.crossings > 0 && isNews) this.#crossings += 1;
    // Without a fresh source nothing becomes fresh by waiting, but a clock that is set back may make it so.
    this.#validFrom = usable.length === 0 ? now : from;
    this.#validUntil = until;
    const halts = isNews && this.#agreement.observe(usable, hasMajority, now, settings);
    if (isNews && composed !== undefined && this.#agreement.current(now, settings) === undefined) {
      this.band.follow(add(composed.price.bid, composed.price.ask), now);
    }
    return halts;
  }

  /** Names the operator's word that the price is believed on, while there is one. */
  #marked(price: BookPrice): BookPrice {
    const number = this.band.accepted?.number;
    return number === undefined ? price : { ...price, acceptedPrice: number };
  }

  /** What was last shown, or after a switch the newest price that counts. */
  #stale(): OwnPrice | undefined {
    if (this.#own !== undefined)
      return this.#own.fresh ? { price: this.#own.price, fresh: false } : this.#own;
    let newest: SourceTop | undefined;
    for (const top of this.tops) {
      if (top.tick === undefined || top.disabled || top.refused !== undefined || top.aside !== undefined)
        continue;
      const newestAt = newest?.tick?.at ?? Number.NEGATIVE_INFINITY;
      if (newest === undefined || top.tick.at > newestAt) newest = top;
      else if (top.tick.at === newestAt && precedes(top, newest, this.settings.priority)) newest = top;
    }
    return newest?.tick && { price: priceOf(newest.tick, newest.tick), fresh: false };
  }
}
