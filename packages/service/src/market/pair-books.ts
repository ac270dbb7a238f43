import type { Decimal, Pair } from '@firmquote/fx';
import { type CrossWay, crossWaysOf, isBlocked, readCross } from './cross-book.ts';
import type { PairBook } from './pair-book.ts';
import type { PriceReading } from './tick.ts';

const MISSING: PriceReading = Object.freeze({ status: 'missing' });

/** The books of all pairs, and the ways from one to another. */
export class PairBooks {
  readonly #make: (pair: Pair) => PairBook;
  /** Made once per pair and never removed; pairs are finite. */
  readonly #books = new Map<string, PairBook>();
  readonly #ways = new Map<PairBook, readonly CrossWay[]>();

  constructor(make: (pair: Pair) => PairBook) {
    this.#make = make;
  }

  of(pair: Pair): PairBook {
    const known = this.#books.get(pair.code);
    if (known !== undefined) return known;
    const book = this.#make(pair);
    this.#books.set(pair.code, book);
    return book;
  }

  /** The book of a code that somebody has asked for before. */
  known(code: string): PairBook | undefined {
    return this.#books.get(code);
  }

  all(): Iterable<PairBook> {
    return this.#books.values();
  }

  /** Sandbox: pairs that show one price whatever the sources say, sorted. */
  held(): { readonly pair: string; readonly bid: Decimal; readonly ask: Decimal }[] {
    return [...this.all()]
      .flatMap(({ pair, heldPrice }) =>
        heldPrice === undefined ? [] : [{ pair: pair.code, bid: heldPrice.bid, ask: heldPrice.ask }],
      )
      .sort((a, b) => (a.pair < b.pair ? -1 : 1));
  }

  /** The price of a pair: its own, or that of a cross while it has none. */
  read(pair: Pair, now: number): PriceReading {
    const book = this.of(pair);
    const own = book.at(now);
    if (own !== undefined) {
      const { price, fresh } = own;
      return { status: fresh ? 'fresh' : 'stale', price, ageMs: Math.max(0, now - price.asOf) };
    }
    const ways = this.#waysOf(book);
    return ways.length === 0 ? MISSING : readCross(book, ways, now);
  }

  /** Whether sources have said something of the pair, or of each of two legs. */
  supports(pair: Pair, now: number): boolean {
    const book = this.of(pair);
    if (book.wasQuoted(now)) return true;
    return this.#waysOf(book).some(({ base, quote }) => base.wasQuoted(now) && quote.wasQuoted(now));
  }

  /** Whether the pair is shut, or a leg of every way to it when it is a cross. */
  isShut(pair: Pair, now: number, isShut: (book: PairBook, now: number) => boolean): boolean {
    const book = this.of(pair);
    return isShut(book, now) || (book.at(now) === undefined && isBlocked(this.#waysOf(book), now, isShut));
  }

  /** Codes of the pairs that sources have said something of, whether or not it was believed, sorted. */
  quoted(now: number): readonly string[] {
    return [...this.#books.values()]
      .filter((book) => book.wasQuoted(now))
      .map((book) => book.pair.code)
      .sort();
  }

  /** Codes whose changes change this pair's price: itself, and the legs of its crosses while it has no own price. */
  dependenciesOf(pair: Pair, now: number): readonly string[] {
    const book = this.of(pair);
    if (book.at(now) !== undefined) return [pair.code];
    return [pair.code, ...this.#waysOf(book).flatMap(({ base, quote }) => [base.pair.code, quote.pair.code])];
  }

  /** Found when first asked for: a leg is a pair with ways of its own. */
  #waysOf(book: PairBook): readonly CrossWay[] {
    let ways = this.#ways.get(book);
    if (ways === undefined) {
      ways = crossWaysOf(book.pair, (leg) => this.of(leg));
      this.#ways.set(book, ways);
    }
    return ways;
  }
}
