import { crossThrough, type Decimal, knownCurrency, type Pair, pairOf, parseDecimal } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { lastPricesBefore } from './bar-store.ts';
import { CROSS_CURRENCIES } from './cross-book.ts';

/** A price of a pair as it was, and until when bars have it. */
export interface PastPrice {
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly at: number;
}

/**
 * The last prices that pairs had before an instant, as far as bars of that time are kept. Bars are of prices that pairs have of their own; a pair
 * without any is the cross that it was in the book.
 */
export async function pricesBefore(
  database: Queryable,
  pairs: readonly Pair[],
  before: number,
): Promise<ReadonlyMap<string, PastPrice>> {
  const wanted = new Map(
    [...pairs, ...pairs.flatMap((pair) => waysOf(pair).flat())].map((pair) => [pair.code, pair]),
  );
  const rows = await lastPricesBefore(database, [...wanted.keys()], before);
  const own = new Map(rows.map(({ pair, at, bid, ask }) => [pair, { bid: price(bid), ask: price(ask), at }]));
  const found = pairs.flatMap((pair) => {
    const known = own.get(pair.code) ?? crossOf(pair, own);
    return known === undefined ? [] : [[pair.code, known] as const];
  });
  return new Map(found);
}

function price(text: string): Decimal {
  const read = parseDecimal(text);
  if (read === undefined) throw new Error(`${text} is no price`);
  return read;
}

/** The two legs of each way to a pair. */
function waysOf({ base, quote }: Pair): (readonly [Pair, Pair])[] {
  return CROSS_CURRENCIES.filter((code) => code !== base.code && code !== quote.code)
    .map(knownCurrency)
    .map((through) => [pairOf(base, through), pairOf(quote, through)] as const);
}

/** Of the newest way; as old as its older leg. */
function crossOf(pair: Pair, own: ReadonlyMap<string, PastPrice>): PastPrice | undefined {
  const crosses = waysOf(pair).flatMap(([one, other]): PastPrice[] => {
    const [a, b] = [own.get(one.code), own.get(other.code)];
    if (a === undefined || b === undefined) return [];
    const { bid, ask } = crossThrough(pair, { pair: one, price: a }, { pair: other, price: b });
    return [{ bid, ask, at: Math.min(a.at, b.at) }];
  });
  return crosses.toSorted((a, b) => b.at - a.at)[0];
}
