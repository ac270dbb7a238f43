import { compare, type Decimal, findPair, type Pair } from '@firmquote/fx';
import type { Clock } from '../platform/clock.ts';
import type { Disagreement } from './agreement.ts';
import { type CrossWay, crossWaysOf, isBlocked, isHalted, readCross } from './cross-book.ts';
import { PairBook, type PairView } from './pair-book.ts';
import { DEFAULT_PAIR_SETTINGS, type PairSettings } from './pair-settings.ts';
import { CLOCK_TOLERANCE_MS } from './source-top.ts';
import type { PriceReading, RejectReason, Tick } from './tick.ts';
import { type SourceTicks, TickCounts } from './tick-counts.ts';

export { type BookLeg, type BookPrice, type PriceOrigin, REJECT_REASONS } from './tick.ts';
export type { PairView, PriceReading, RejectReason, Tick };

export interface RateBookOptions {
  readonly clock: Clock;
  /** Settings of pairs that are not configured. */
  readonly defaults?: PairSettings;
}

const SANDBOX_SOURCE = 'sandbox';
const MISSING: PriceReading = Object.freeze({ status: 'missing' });
const NO_SOURCES: ReadonlySet<string> = new Set();

/**
 * The price of every pair: of each source the newest good tick, and of these a composite. Ticks that nobody should
 * trade on are refused, and counted by source and reason.
 *
 * A pair with a price of its own is never priced from others: when its sources stop, the price turns stale rather than
 * silently into one of another quality. A pair without one is a cross through the dollar or the euro.
 */
export class RateBook {
  readonly #clock: Clock;
  /** How pairs are treated that nobody has configured. */
  readonly defaults: PairSettings;
  /** Made once per pair and never removed; pairs are finite. */
  readonly #books = new Map<string, PairBook>();
  readonly #ways = new Map<PairBook, readonly CrossWay[]>();
  readonly #changeListeners = new Set<(pair: string) => void>();
  readonly #haltListeners = new Set<(pair: string, disagreement: Disagreement) => void>();
  readonly #counts = new TickCounts();
  /** Pairs that fell apart, until somebody sees that they are together again. */
  readonly #apart = new Set<PairBook>();
  #disabled: ReadonlySet<string> = NO_SOURCES;

  constructor(options: RateBookOptions) {
    this.#clock = options.clock;
    this.defaults = options.defaults ?? DEFAULT_PAIR_SETTINGS;
  }

  /** Ticks taken in since the start. */
  get accepted(): number {
    return this.#counts.total.accepted;
  }

  /** Ticks refused since the start, by reason. */
  get rejected(): Readonly<Record<RejectReason, number>> {
    return { ...this.#counts.total.rejected };
  }

  /** The same for each source that has sent something. */
  get ticksBySource(): ReadonlyMap<string, Readonly<SourceTicks>> {
    return this.#counts.bySource;
  }

  /** Takes in a tick, or says why not. Two ticks of one millisecond are both taken, in the order they come. */
  apply(tick: Tick): 'accepted' | RejectReason {
    const { source } = tick;
    const pair = findPair(tick.pair);
    if (pair === undefined) return this.#counts.reject(tick, 'unknown_pair');
    if (this.#disabled.has(source)) return this.#counts.reject(tick, 'source_disabled');
    if (tick.bid.units <= 0n || tick.ask.units <= 0n) {
      // This is how some venues say that a side is empty: what the source said before holds no longer either.
      this.#withdraw(this.#bookOf(pair), source, undefined);
      return this.#counts.reject(tick, 'not_positive');
    }
    const order = compare(tick.bid, tick.ask);
    if (order > 0) return this.#counts.reject(tick, 'crossed');
    const book = this.#bookOf(pair);
    if (order === 0 && book.settings.lockedPrices === 'refuse') return this.#counts.reject(tick, 'locked');
    const now = this.#clock.now();
    if (tick.at > now + CLOCK_TOLERANCE_MS) return this.#counts.reject(tick, 'future');
    const { outcome, halts } = book.apply(tick, now);
    if (outcome !== 'accepted') {
      if (outcome === 'frozen') this.#changed(book);
      return this.#counts.reject(tick, outcome);
    }
    this.#counts.accept(source, tick.at, order === 0);
    this.#changed(book);
    if (halts) this.#halted(book, now);
    return 'accepted';
  }

  /**
   * Takes back what a source said: of one pair, or of all when it is gone. Nothing is priced on it any more, whatever
   * its age, until the source has another price. A pair that is not known is left out.
   * @param at when the price was taken back, if the source says so
   * @returns codes of the pairs whose price it was, sorted
   */
  withdraw(source: string, code?: string, at?: number): readonly string[] {
    const pair = code === undefined ? undefined : findPair(code);
    if (code !== undefined && pair === undefined) return [];
    const books = pair === undefined ? [...this.#books.values()] : [this.#bookOf(pair)];
    const gone = books.filter((book) => this.#withdraw(book, source, at));
    return gone.map((book) => book.pair.code).sort();
  }

  /** The price of a pair now. `missing` when there is neither a price of its own nor one of two legs. */
  read(pair: Pair): PriceReading {
    const book = this.#bookOf(pair);
    const now = this.#clock.now();
    const own = book.at(now);
    if (own === undefined) return this.#readCross(book, now);
    const { price, fresh } = own;
    return { status: fresh ? 'fresh' : 'stale', price, ageMs: Math.max(0, now - price.asOf) };
  }

  /** Whether the pair has had a price: one of its own, or one of each of two legs. */
  isSupported(pair: Pair): boolean {
    const book = this.#bookOf(pair);
    return book.wasQuoted || this.#waysOf(book).some(({ base, quote }) => base.wasQuoted && quote.wasQuoted);
  }

  /**
   * Whether a halt keeps the pair from being traded: one that an operator put on it, one that its sources brought
   * about, or one of either kind on every way to it when it is a cross.
   */
  isHalted(pair: Pair): boolean {
    const book = this.#bookOf(pair);
    const now = this.#clock.now();
    if (isHalted(book, now)) return true;
    return book.at(now) === undefined && isBlocked(this.#waysOf(book), now);
  }

  /** Whether the sources of any pair disagree. */
  get hasDisagreements(): boolean {
    if (this.#apart.size === 0) return false;
    const now = this.#clock.now();
    for (const book of this.#apart) if (book.disagreement(now) === undefined) this.#apart.delete(book);
    return this.#apart.size > 0;
  }

  /** The pairs whose sources disagree, with how. */
  disagreements(): readonly (Disagreement & { readonly pair: string })[] {
    const now = this.#clock.now();
    return [...this.#apart].flatMap((book) => {
      const disagreement = book.disagreement(now);
      return disagreement === undefined ? [] : [{ ...disagreement, pair: book.pair.code }];
    });
  }

  settingsOf(pair: Pair): PairSettings {
    return this.#bookOf(pair).settings;
  }

  /** Sets how the pair is treated; undefined is the default. What the sources said last is judged anew. */
  configure(pair: Pair, settings: PairSettings | undefined): void {
    const book = this.#bookOf(pair);
    const now = this.#clock.now();
    const halts = book.configure(settings ?? this.defaults, now);
    this.#changed(book);
    if (halts) this.#halted(book, now);
  }

  /** From now on ticks of these sources, and what they said before, are not priced on. */
  setDisabledSources(names: ReadonlySet<string>): void {
    this.#disabled = names;
    const now = this.#clock.now();
    for (const book of this.#books.values()) {
      for (const { source, disabled } of book.tops) {
        if (disabled === names.has(source)) continue;
        const halts = book.setDisabled(source, !disabled, now);
        this.#changed(book);
        if (halts) this.#halted(book, now);
      }
    }
  }

  /** The pairs that operators halt: no cross is made of them either. */
  setHaltedPairs(codes: ReadonlySet<string>): void {
    for (const code of codes) {
      const pair = findPair(code);
      if (pair !== undefined) this.#bookOf(pair);
    }
    for (const book of this.#books.values()) {
      const halted = codes.has(book.pair.code);
      if (book.halted === halted) continue;
      book.halted = halted;
      this.#changed(book);
    }
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
    const book = this.#bookOf(known);
    book.hold({ pair: known.code, bid, ask, at: this.#clock.now(), source: SANDBOX_SOURCE });
    this.#changed(book);
  }

  /** Sandbox: shows the sources' price again, what came in meanwhile included. */
  release(pair: string): void {
    const book = this.#books.get(pair);
    if (book?.isHeld !== true) return;
    book.hold(undefined);
    this.#changed(book);
    this.#halted(book, this.#clock.now());
  }

  isFrozen(pair: string): boolean {
    return this.#books.get(pair)?.isHeld ?? false;
  }

  /** Codes of the pairs with a price of their own, sorted. */
  pairs(): readonly string[] {
    const now = this.#clock.now();
    return [...this.#books.values()]
      .filter((book) => book.at(now) !== undefined)
      .map((book) => book.pair.code)
      .sort();
  }

  /** A pair with what each of its sources says. */
  view(pair: Pair): PairView {
    return this.#bookOf(pair).view(this.read(pair), this.#clock.now());
  }

  /** Codes whose changes change this pair's price: itself, and the legs of its crosses while it has no own price. */
  dependenciesOf(pair: Pair): readonly string[] {
    const book = this.#bookOf(pair);
    if (book.at(this.#clock.now()) !== undefined) return [pair.code];
    return [pair.code, ...this.#waysOf(book).flatMap(({ base, quote }) => [base.pair.code, quote.pair.code])];
  }

  /**
   * Calls the listener with the code of each pair whose own price may have changed; crosses are not announced (see
   * `dependenciesOf`). Listeners run inside `apply` and must not throw. Returns how to stop listening.
   */
  onChange(listener: (pair: string) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Calls the listener when the sources of a pair have fallen apart, which halts it. Must not throw. */
  onHalt(listener: (pair: string, disagreement: Disagreement) => void): () => void {
    this.#haltListeners.add(listener);
    return () => this.#haltListeners.delete(listener);
  }

  #readCross(book: PairBook, now: number): PriceReading {
    const ways = this.#waysOf(book);
    return ways.length === 0 ? MISSING : readCross(book.pair, ways, now, book.settings.stalenessMs);
  }

  #withdraw(book: PairBook, source: string, at: number | undefined): boolean {
    const isGone = book.withdraw(source, at, this.#clock.now());
    if (isGone) {
      this.#counts.withdraw(source);
      this.#changed(book);
    }
    return isGone;
  }

  #changed(book: PairBook): void {
    for (const listener of this.#changeListeners) listener(book.pair.code);
  }

  /** Tells that the sources of the pair disagree, if they do. */
  #halted(book: PairBook, now: number): void {
    const disagreement = book.disagreement(now);
    if (disagreement === undefined) return;
    this.#apart.add(book);
    for (const listener of this.#haltListeners) listener(book.pair.code, disagreement);
  }

  #bookOf(pair: Pair): PairBook {
    const known = this.#books.get(pair.code);
    if (known !== undefined) return known;
    const book = new PairBook(pair, this.defaults);
    this.#books.set(pair.code, book);
    return book;
  }

  /** Found when first asked for: a leg is a pair with ways of its own. */
  #waysOf(book: PairBook): readonly CrossWay[] {
    let ways = this.#ways.get(book);
    if (ways === undefined) {
      ways = crossWaysOf(book.pair, (leg) => this.#bookOf(leg));
      this.#ways.set(book, ways);
    }
    return ways;
  }
}
