import { largestAmount, type PricedTrade, type PriceRequest, priceAmounts } from '@firmquote/fx';
import { aboveMaximum, belowMinimum } from '../http/amounts.ts';
import type { CustomerRate } from './price-text.ts';

/**
 * Both amounts of a trade at a rate. The derived one can be named again, as in `expect`: it is something, and has no more digits
 * than an amount may have.
 * @throws Problem amount_below_minimum, amount_above_maximum
 */
export function pricedAmounts(
  request: Omit<PriceRequest, 'market' | 'spreadBps'>,
  { priced }: CustomerRate,
): PricedTrade {
  const result = priceAmounts(request, priced);
  const isSellFixed = request.fixedSide === 'sell';
  const derived = isSellFixed ? request.buy : request.sell;
  if (!result.ok) throw belowMinimum(derived);
  if ((isSellFixed ? result.buyMinor : result.sellMinor) > largestAmount(derived))
    throw aboveMaximum(derived);
  return result;
}
