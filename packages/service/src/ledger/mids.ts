import { add, type Decimal, divide, formatDecimal, type Pair } from '@firmquote/fx';
import type { PastPrice } from '../market/past-prices.ts';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';

/** The middle of a pair's present price: the exact sum of both sides, and how it is shown; undefined where it has none. */
export function midOf(book: RateBook, pair: Pair) {
  const reading = book.read(pair);
  if (reading.status === 'missing') return undefined;
  const { bid, ask, asOf } = reading.price;
  return middle(pair, { bid, ask, at: asOf }, reading.status === 'stale');
}

/** A price is old at an instant when the market had none in the minute before. */
const FRESH_MS = 60_000;

/** The middle of the last price that a pair had before an instant. */
export function midBefore(prices: ReadonlyMap<string, PastPrice>, pair: Pair, before: number) {
  const price = prices.get(pair.code);
  return price && middle(pair, price, before - price.at > FRESH_MS);
}

function middle(
  pair: Pair,
  { bid, ask, at }: { readonly bid: Decimal; readonly ask: Decimal; readonly at: number },
  stale: boolean,
) {
  const sum = add(bid, ask);
  // One digit more than the price has holds the half exactly.
  const value = formatDecimal(divide(sum, { units: 2n, scale: 0 }, sum.scale + 1, 'half_up'));
  const view = { pair: pair.code, value, asOf: isoInstant(at), stale };
  return { pair, sum, view };
}
