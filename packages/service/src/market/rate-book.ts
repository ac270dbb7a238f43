import type { RejectReason } from '@firmquote/api/operations/price-refusals';
import { compare, type Decimal, findPair, type Pair } from '@firmquote/fx';
import type { Clock } from '../platform/clock.ts';
import type { Disagreement } from './agreement.ts';
import type { Level } from './band.ts';
import { awaitingOperator } from './book-figures.ts';
import { isHalted } from './cross-book.ts';
import { PairBook, type PairView } from './pair-book.ts';
import { PairBooks } from './pair-books.ts';
import { DEFAULT_PAIR_SETTINGS, type PairDefaults, type PairSettings, withLimits } from './pair-settings.ts';
import { CLOCK_TOLERANCE_MS } from './source-top.ts';
import type { PriceReading, Tick } from './tick.ts';
import { type SourceTicks, TickCounts } from './tick-counts.ts';
import type { BookRules, SourceNews } from './tick-judge.ts';

export type { BookLeg, BookPrice, PriceOrigin } from './tick.ts';
export type { PairView, PriceReading, RejectReason, Tick };

export interface RateBookOptions extends Omit<BookRules, 'onNews'> {
  readonly clock: Clock;
  /** Settings of pairs that are not configured. */
  readonly defaults?: PairDefaults;
  /**
   * Whether the clock of this machine is right. While it is not, nobody knows how old a price is: none is fresh, and one that was
   * taken in then would pass for a fresh one when the clock is set right, for as long as it was ahead.
   */
  readonly isClockRight?: () => boolean;
}

const SANDBOX_SOURCE = 'sandbox';
const NO_SOURCES: ReadonlySet<string> = new Set();

/**
 * The price of every pair: of each source the newest good tick, and of these a composite. Ticks that nobody should
 * trade on are refused, and counted by source and reason.
 *
 * A pair with a price of its own is never priced from others: when its sources stop, the price turns stale rather than
 * silently into one of another quality. A pair without one is a cross through the dollar or the euro.
 */
export class RateBook {
  /** How pairs are treated that nobody has configured. */
  readonly defaults: PairDefaults;
  readonly #clock: Clock;
  readonly #isClockRight: () => boolean;
  readonly #books: PairBooks;
  readonly #changeListeners = new Set<(pair: string) => void>();
  readonly #haltListeners = new Set<(pair: string, disagreement: Disagreement) => void>();
  readonly #newsListeners = new Set<(news: SourceNews) => void>();
  readonly #counts = new TickCounts();
  /** Pairs that fell apart, until somebody sees that they are together again. */
  readonly #apart = new Set<PairBook>();
  #disabled: ReadonlySet<string> = NO_SOURCES;

  constructor(options: RateBookOptions) {
    this.#clock = options.clock;
    this.#isClockRight = options.isClockRight ?? (() => true);
    this.defaults = options.defaults ?? DEFAULT_PAIR_SETTINGS;
    const { reference, firstPrices } = options;
    const onNews = (news: SourceNews) => {
      for (const listener of this.#newsListeners) listener(news);
    };
    this.#books = new PairBooks((pair) => {
      return new PairBook(pair, withLimits(pair, this.defaults), { reference, firstPrices, onNews });
    });
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
    const book = this.#books.of(pair);
    if (this.#disabled.has(source)) return this.#end(book, tick, 'source_disabled');
    // This is how some venues say that a side is empty.
    if (tick.bid.units <= 0n || tick.ask.units <= 0n) return this.#end(book, tick, 'not_positive');
    const order = compare(tick.bid, tick.ask);
    if (order > 0) return this.#counts.reject(tick, 'crossed');
    if (order === 0 && book.settings.lockedPrices === 'refuse') return this.#counts.reject(tick, 'locked');
    if (!this.#isClockRight()) return this.#end(book, tick, 'wrong_clock');
    const now = this.#clock.now();
    if (tick.at > now + CLOCK_TOLERANCE_MS) return this.#counts.reject(tick, 'future');
    const { outcome, changes, halts } = book.apply(tick, now);
    if (outcome === 'accepted') this.#counts.accept(source, tick.at, order === 0);
    else this.#counts.reject(tick, outcome);
    if (changes) this.#changed(book, halts);
    return outcome;
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
    const books = pair === undefined ? [...this.#books.all()] : [this.#books.of(pair)];
    const gone = books.filter((book) => this.#withdraw(book, source, at));
    return gone.map((book) => book.pair.code).sort();
  }

  /** When the newest that a source said of a pair was made, priced on or not; undefined when it never said anything. */
  heardAt(pair: Pair, source: string): number | undefined {
    const at = this.#books.of(pair).tops.find((top) => top.source === source)?.lastAt;
    return at === Number.NEGATIVE_INFINITY ? undefined : at;
  }

  /**
   * The price of a pair now. `missing` when there is neither a price of its own nor one of two legs; `stale` while the clock is
   * wrong, whatever age it says.
   */
  read(pair: Pair): PriceReading {
    const reading = this.#books.read(pair, this.#clock.now());
    return reading.status === 'fresh' && !this.#isClockRight() ? { ...reading, status: 'stale' } : reading;
  }

  /** Whether the pair has had a price, here or before the start: one of its own, or one of each of two legs. */
  isSupported(pair: Pair): boolean {
    return this.#books.supports(pair, this.#clock.now());
  }

  /**
   * Whether a halt keeps the pair from being traded: one that an operator put on it, one that its sources brought
   * about, or one of either kind on every way to it when it is a cross.
   */
  isHalted(pair: Pair): boolean {
    return this.#books.isShut(pair, this.#clock.now(), isHalted);
  }

  /** Whether an operator's halt ends the quotes of the pair: its own, or one on every way to it when it is a cross. */
  endsQuotes(pair: Pair): boolean {
    return this.#books.isShut(pair, this.#clock.now(), ({ endsQuotes }) => endsQuotes);
  }

  /** The pairs whose sources disagree, with how. */
  disagreements(): readonly (Disagreement & { readonly pair: string })[] {
    const now = this.#clock.now();
    return [...this.#apart].flatMap((book) => {
      const disagreement = book.disagreement(now);
      if (disagreement !== undefined) return [{ ...disagreement, pair: book.pair.code }];
      this.#apart.delete(book);
      return [];
    });
  }

  settingsOf(pair: Pair): PairSettings {
    return this.#books.of(pair).settings;
  }

  /** Sets how the pair is treated; undefined is the default. What the sources said last is judged anew. */
  configure(pair: Pair, settings: PairDefaults | undefined): void {
    const book = this.#books.of(pair);
    const now = this.#clock.now();
    const halts = book.configure(withLimits(pair, settings ?? this.defaults), now);
    this.#changed(book, halts);
  }

  /** Takes over that an operator says where a pair stands. */
  acceptPrice(pair: Pair, level: Level): void {
    const book = this.#books.of(pair);
    const now = this.#clock.now();
    const halts = book.accept(level, now);
    this.#changed(book, halts);
  }

  /** Takes over where a pair stood before a restart. */
  restore(pair: Pair, last: Level, first: Level): void {
    this.#books.of(pair).band.restore(last, first);
  }

  /** Forgets where pairs stood whose prices are of these sources, which begin anew. */
  forget(sources: ReadonlySet<string>): void {
    for (const book of this.#books.all()) book.forget(sources);
  }

  /** The pairs that have no price because an operator must say which one is right. */
  awaitingOperator(): readonly string[] {
    return awaitingOperator(this.books(), this.#clock.now());
  }

  /** The books of all pairs that anybody has asked for. */
  books(): Iterable<PairBook> {
    return this.#books.all();
  }

  /** From now on ticks of these sources, and what they said before, are not priced on. */
  setDisabledSources(names: ReadonlySet<string>): void {
    this.#disabled = names;
    const now = this.#clock.now();
    for (const book of this.#books.all()) {
      for (const { source, disabled } of book.tops) {
        if (disabled === names.has(source)) continue;
        const halts = book.setDisabled(source, !disabled, now);
        this.#changed(book, halts);
      }
    }
  }

  /**
   * The pairs that operators halt: no cross is made of them either.
   * @param ending those of them whose quotes do not stand any more
   */
  setHaltedPairs(codes: ReadonlySet<string>, ending: ReadonlySet<string> = codes): void {
    for (const code of codes) {
      const pair = findPair(code);
      if (pair !== undefined) this.#books.of(pair);
    }
    for (const book of this.#books.all()) {
      const halted = codes.has(book.pair.code);
      book.endsQuotes = ending.has(book.pair.code);
      if (book.halted === halted) continue;
      book.halted = halted;
      this.#changed(book);
    }
  }

  /**
   * Sandbox: shows this price, always fresh, until the pair is released. `asOf` stays the instant of this call, or another one.
   * Throws RangeError on an unknown pair or a price that is not positive or is crossed.
   */
  freeze(pair: string, bid: Decimal, ask: Decimal, at = this.#clock.now()): void {
    const known = findPair(pair);
    if (known === undefined) throw new RangeError(`${pair} is not a pair in market order`);
    if (bid.units <= 0n || ask.units <= 0n) throw new RangeError('a price is positive');
    if (compare(bid, ask) > 0) throw new RangeError('the bid is above the ask');
    const book = this.#books.of(known);
    book.hold({ pair: known.code, bid, ask, at, source: SANDBOX_SOURCE });
    this.#changed(book);
  }

  /** Sandbox: shows the sources' price again, what came in meanwhile included. */
  release(pair: string): void {
    const book = this.#books.known(pair);
    if (book?.isHeld !== true) return;
    book.hold(undefined);
    this.#changed(book);
    this.#halted(book, this.#clock.now());
  }

  /** Sandbox: the prices that stand still, by pair. */
  readonly frozen = () => this.#books.held();

  /** Codes of the pairs that sources have quoted, also those whose prices are not believed, or have not come since the start; sorted. */
  quotedPairs(): readonly string[] {
    return this.#books.quoted(this.#clock.now());
  }

  /** A pair with what each of its sources says. */
  view(pair: Pair): PairView {
    return this.#books.of(pair).view(this.read(pair), this.#clock.now());
  }

  /** Codes whose changes change this pair's price: itself, and the legs of its crosses while it has no own price. */
  dependenciesOf(pair: Pair): readonly string[] {
    return this.#books.dependenciesOf(pair, this.#clock.now());
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

  /** Calls the listener when a source of a pair is refused, set aside or back. Must not throw. */
  onNews(listener: (news: SourceNews) => void): () => void {
    this.#newsListeners.add(listener);
    return () => this.#newsListeners.delete(listener);
  }

  /** Takes a tick in no further than that what its source said before holds no longer. */
  #end(book: PairBook, tick: Tick, reason: RejectReason): RejectReason {
    this.#withdraw(book, tick.source, undefined);
    return this.#counts.reject(tick, reason);
  }

  #withdraw(book: PairBook, source: string, at: number | undefined): boolean {
    // Of a wrong clock `at` may be ahead, and what comes when it is right would count as older.
    const isGone = book.withdraw(source, this.#isClockRight() ? at : undefined, this.#clock.now());
    if (isGone) {
      this.#counts.withdraw(source);
      this.#changed(book);
    }
    return isGone;
  }

  #changed(book: PairBook, halts = false): void {
    for (const listener of this.#changeListeners) listener(book.pair.code);
    if (halts) this.#halted(book, this.#clock.now());
  }

  /** Reports that the sources of the pair disagree, if they do. */
  #halted(book: PairBook, now: number): void {
    const disagreement = book.disagreement(now);
    if (disagreement === undefined) return;
    this.#apart.add(book);
    for (const listener of this.#haltListeners) listener(book.pair.code, disagreement);
  }
}
