import {
  type Currency,
  compare,
  crossThrough,
  knownCurrency,
  type Pair,
  pairOf,
  subtract,
} from '@firmquote/fx';
import type { PairBook } from './pair-book.ts';
import { type BookLeg, type BookPrice, COMPOSITE, type PriceReading, type Tick } from './tick.ts';

/** The currencies that markets quote most others against; the first is taken when both ways cost the same. */
export const CROSS_CURRENCIES = ['USD', 'EUR'] as const;

/** One way to a cross: the base currency's leg, then the quote currency's, and what was last made of them. */
export interface CrossWay {
  readonly base: PairBook;
  readonly quote: PairBook;
  made: { readonly price: BookPrice; readonly base: BookPrice; readonly quote: BookPrice } | undefined;
}

/** The ways to a pair through currencies that are not in it. */
export function crossWaysOf(pair: Pair, bookOf: (leg: Pair) => PairBook): CrossWay[] {
  return CROSS_CURRENCIES.filter((code) => code !== pair.base.code && code !== pair.quote.code).map(
    (code) => {
      const through = knownCurrency(code);
      const leg = (currency: Currency): PairBook => bookOf(pairOf(currency, through));
      return { base: leg(pair.base), quote: leg(pair.quote), made: undefined };
    },
  );
}

interface Candidate {
  readonly price: BookPrice;
  readonly fresh: boolean;
}

/**
 * The cross of a pair now: of the ways whose legs are both fresh the one with the smaller spread; when none is, the
 * newest one, as stale. A leg that is halted makes no fresh cross: what is not good enough to be traded itself is not
 * good enough to be traded as a part of something else. Nor is a cross fresh that is wider, or further from its
 * reference rate, than the pair permits: two legs within their bands can make one.
 * @param book of the cross; its age limit holds as well as the legs' own
 */
export function readCross(book: PairBook, ways: readonly CrossWay[], now: number): PriceReading {
  let best: Candidate | undefined;
  for (const way of ways) {
    const candidate = candidateOf(book, way, now);
    if (candidate !== undefined && (best === undefined || isBetter(candidate, best))) best = candidate;
  }
  if (best === undefined) return { status: 'missing' };
  const { price, fresh } = best;
  return { status: fresh ? 'fresh' : 'stale', price, ageMs: Math.max(0, now - price.asOf) };
}

/** Whether the pair has ways with prices, and each of them goes over a leg that is shut. */
export function isBlocked(
  ways: readonly CrossWay[],
  now: number,
  isShut: (leg: PairBook, now: number) => boolean,
): boolean {
  const known = ways.filter(({ base, quote }) => base.at(now) !== undefined && quote.at(now) !== undefined);
  return known.length > 0 && known.every(({ base, quote }) => isShut(base, now) || isShut(quote, now));
}

export function isHalted(book: PairBook, now: number): boolean {
  return book.halted || book.disagreement(now) !== undefined;
}

function candidateOf({ pair, band, settings }: PairBook, way: CrossWay, now: number): Candidate | undefined {
  const base = way.base.at(now);
  const quote = way.quote.at(now);
  if (base === undefined || quote === undefined) return undefined;
  if (way.made === undefined || way.made.base !== base.price || way.made.quote !== quote.price) {
    way.made = { price: makeCross(pair, way, base.price, quote.price), base: base.price, quote: quote.price };
  }
  const isInTime = (book: PairBook, price: BookPrice) =>
    book.isHeld || now - price.asOf <= settings.stalenessMs;
  const fresh =
    base.fresh &&
    quote.fresh &&
    isInTime(way.base, base.price) &&
    isInTime(way.quote, quote.price) &&
    !isHalted(way.base, now) &&
    !isHalted(way.quote, now) &&
    // A price that the sandbox shows is meant to be shown.
    (way.base.isHeld ||
      way.quote.isHeld ||
      band.holdsCross(way.made.price.bid, way.made.price.ask, settings));
  return { price: way.made.price, fresh };
}

/** Both are of one pair, so their spreads can be compared as they are. */
function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.fresh !== b.fresh) return a.fresh;
  if (!a.fresh) return a.price.asOf > b.price.asOf;
  return compare(subtract(a.price.ask, a.price.bid), subtract(b.price.ask, b.price.bid)) < 0;
}

function makeCross(pair: Pair, way: CrossWay, base: BookPrice, quote: BookPrice): BookPrice {
  const { bid, ask, exact } = crossThrough(
    pair,
    { pair: way.base.pair, price: base },
    { pair: way.quote.pair, price: quote },
  );
  return {
    bid,
    ask,
    exact,
    asOf: Math.min(base.asOf, quote.asOf),
    source: base.source === quote.source ? base.source : COMPOSITE,
    legs: [legOf(way.base, base), legOf(way.quote, quote)],
  };
}

function legOf(
  book: PairBook,
  { bid, ask, asOf, source, bidFrom, askFrom, acceptedPrice }: BookPrice,
): BookLeg {
  const whole: Tick = { pair: book.pair.code, bid, ask, at: asOf, source };
  return {
    ...whole,
    bidFrom: bidFrom ?? whole,
    askFrom: askFrom ?? whole,
    ...(acceptedPrice === undefined ? {} : { acceptedPrice }),
  };
}
