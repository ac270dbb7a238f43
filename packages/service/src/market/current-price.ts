import { type Currency, type Pair, pairOf, US_DOLLAR } from '@firmquote/fx';
import { Problem } from '../problems/problem.ts';
import type { BookPrice, RateBook } from './rate-book.ts';
import { usdValueAt } from './usd-value.ts';

/** The rate book's price, fresh or not; missing is always a problem. */
export function readPrice(book: RateBook, pair: Pair): { price: BookPrice; ageMs: number; fresh: boolean } {
  const reading = book.read(pair);
  if (reading.status === 'missing') throw priceUnavailable(pair, undefined);
  return { price: reading.price, ageMs: reading.ageMs, fresh: reading.status === 'fresh' };
}

export function priceUnavailable(pair: Pair, lastPriceAt: string | undefined): Problem {
  return new Problem('price_unavailable', `There is no current price for ${pair.code}.`, {
    members: lastPriceAt === undefined ? {} : { lastPriceAt },
    headers: { 'Retry-After': '1' },
  });
}

/**
 * Value of an amount in US dollar cents at the mid, rounded up.
 * @throws Problem price_unavailable
 */
export function usdValue(book: RateBook, currency: Currency, minor: bigint): bigint {
  const value = usdValueAt(book, currency, minor);
  if (value === undefined) throw priceUnavailable(pairOf(currency, US_DOLLAR), undefined);
  return value;
}
