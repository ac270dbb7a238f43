import { add, divide, formatDecimal, type Pair } from '@firmquote/fx';
import type { RateBook } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';

/** The middle of a pair's present price: the exact sum of both sides, and how it is shown; undefined where it has none. */
export function midOf(book: RateBook, pair: Pair) {
  const reading = book.read(pair);
  if (reading.status === 'missing') return undefined;
  const { bid, ask, asOf } = reading.price;
  const sum = add(bid, ask);
  // One digit more than the price has holds the half exactly.
  const value = formatDecimal(divide(sum, { units: 2n, scale: 0 }, sum.scale + 1, 'half_up'));
  const view = { pair: pair.code, value, asOf: isoInstant(asOf), stale: reading.status === 'stale' };
  return { pair, sum, view };
}
