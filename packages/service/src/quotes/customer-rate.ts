import { type PricedRate, priceRate, type RateRequest, UnusablePrice } from '@firmquote/fx';
import type { BookPrice } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import type { ResolvedSpread } from './spread.ts';
import { priceUnavailable, type Trade } from './trade-request.ts';

interface Sides {
  bid: PricedRate | undefined;
  ask: PricedRate | undefined;
}

/** Gone with the price, which the next tick replaces: a few times a second, against thousands of requests between. */
const ratesOf = new WeakMap<BookPrice, WeakMap<ResolvedSpread, Sides>>();

/**
 * The rate of one side of a pair's price at a spread, computed once: the same object for all requests.
 * @throws Problem price_unavailable, for a price that is nothing at the decimals of the pair
 */
export function customerRate(
  { pair, sell, buy }: Pick<Trade, 'pair' | 'sell' | 'buy'>,
  price: BookPrice,
  spread: ResolvedSpread,
): PricedRate {
  let bySpread = ratesOf.get(price);
  if (bySpread === undefined) {
    bySpread = new WeakMap();
    ratesOf.set(price, bySpread);
  }
  let sides = bySpread.get(spread);
  if (sides === undefined) {
    sides = { bid: undefined, ask: undefined };
    bySpread.set(spread, sides);
  }
  const side = buy === pair.base ? 'ask' : 'bid';
  sides[side] ??= Object.freeze(
    usableRate({ pair, sell, buy, market: price, spreadBps: spread.totalBps }, price),
  );
  return sides[side];
}

function usableRate(request: RateRequest, { asOf }: BookPrice): PricedRate {
  try {
    return priceRate(request);
  } catch (error) {
    if (error instanceof UnusablePrice) throw priceUnavailable(request.pair, isoInstant(asOf));
    throw error;
  }
}
