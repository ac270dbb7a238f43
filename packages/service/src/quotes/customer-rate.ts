import { type PricedRate, priceRate, type RateRequest, UnusablePrice } from '@firmquote/fx';
import { priceUnavailable } from '../market/current-price.ts';
import type { BookPrice } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import type { ResolvedSpread } from '../pricing/resolve-spread.ts';
import type { CustomerRate } from './price-text.ts';
import type { Trade } from './trade-request.ts';

interface Sides {
  bid: CustomerRate | undefined;
  ask: CustomerRate | undefined;
}

/** Of a spread at which a price was asked for once, so that nothing is kept yet. */
const ASKED_ONCE = Symbol('asked once');
/** A frozen price may see the spreads of many rules. */
const SPREADS_OF_PRICE_MAX = 10_000; // limit: Spreads remembered of one price

/** Gone with the price, which the next tick replaces: a few times a second. */
const ratesOf = new WeakMap<BookPrice, Map<ResolvedSpread, Sides | typeof ASKED_ONCE>>();

/**
 * The rate of one side of a pair's price at a spread. From the second request on it is the same object for all: who asks
 * often is answered from what is written already, and of a thousand customers who ask once between two ticks nothing
 * outlives the request, which would cost more to collect than to make again.
 * @throws Problem price_unavailable, for a price that is nothing at the decimals of the pair
 */
export function customerRate(
  { pair, sell, buy }: Pick<Trade, 'pair' | 'sell' | 'buy'>,
  price: BookPrice,
  spread: ResolvedSpread,
): CustomerRate {
  let bySpread = ratesOf.get(price);
  if (bySpread === undefined) {
    bySpread = new Map();
    ratesOf.set(price, bySpread);
  }
  const side = buy.code === pair.base.code ? 'ask' : 'bid';
  let sides = bySpread.get(spread);
  if (typeof sides === 'object' && sides[side] !== undefined) return sides[side];
  const rate = {
    priced: usableRate({ pair, sell, buy, market: price, spreadBps: spread.totalBps }, price),
    texts: [],
  };
  if (sides === undefined) {
    if (bySpread.size >= SPREADS_OF_PRICE_MAX) bySpread.clear();
    bySpread.set(spread, ASKED_ONCE);
    return rate;
  }
  if (sides === ASKED_ONCE) {
    sides = { bid: undefined, ask: undefined };
    bySpread.set(spread, sides);
  }
  sides[side] = rate;
  return rate;
}

function usableRate(request: RateRequest, { asOf }: BookPrice): PricedRate {
  try {
    return priceRate(request);
  } catch (error) {
    if (error instanceof UnusablePrice) throw priceUnavailable(request.pair, isoInstant(asOf));
    throw error;
  }
}
