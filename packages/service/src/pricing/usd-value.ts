import { add, type Currency, divRound, findCurrency, pairOf, powerOfTen } from '@firmquote/fx';
import type { RateBook } from '../market/rate-book.ts';

const USD = 'USD';

/**
 * Value of an amount in US dollar cents at the mid, rounded up: limits are never undercounted. Undefined without a
 * price of the currency against the dollar; an old price is better than none for that.
 * @param minor not negative
 */
export function usdValueAt(book: RateBook, currency: Currency, minor: bigint): bigint | undefined {
  const dollar = usDollar();
  if (currency === dollar) return minor;
  const pair = pairOf(currency, dollar);
  const reading = book.read(pair);
  if (reading.status === 'missing') return undefined;
  const { bid, ask } = reading.price;
  const sum = add(bid, ask);
  // minor / 10^minorUnits × mid, in cents; the mid is half of the sum.
  const scale = powerOfTen(sum.scale) * 2n;
  const [numerator, denominator] =
    pair.base === currency
      ? [minor * sum.units * powerOfTen(dollar.minorUnits), scale * powerOfTen(currency.minorUnits)]
      : [minor * scale * powerOfTen(dollar.minorUnits), sum.units * powerOfTen(currency.minorUnits)];
  return divRound(numerator, denominator, 'ceil');
}

export function usDollar(): Currency {
  const currency = findCurrency(USD);
  if (currency === undefined) throw new Error('the currency table has no US dollar');
  return currency;
}
