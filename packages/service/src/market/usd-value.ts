import { add, type Currency, divRound, pairOf, powerOfTen, US_DOLLAR } from '@firmquote/fx';
import type { RateBook } from './rate-book.ts';

/** US dollar cents of one minor unit, as an exact fraction of whole numbers. */
interface UsdFraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * Value of an amount in US dollar cents at the mid, rounded up: limits are never undercounted. Undefined without a
 * price of the currency against the dollar; an old price is better than none for that.
 * @param minor not negative
 */
export function usdValueAt(book: RateBook, currency: Currency, minor: bigint): bigint | undefined {
  if (currency === US_DOLLAR) return minor;
  const fraction = usdFractionAt(book, currency);
  return fraction && divRound(minor * fraction.numerator, fraction.denominator, 'ceil');
}

/** The same for one minor unit, not rounded. */
export function usdFractionAt(book: RateBook, currency: Currency): UsdFraction | undefined {
  if (currency === US_DOLLAR) return { numerator: 1n, denominator: 1n };
  const pair = pairOf(currency, US_DOLLAR);
  const reading = book.read(pair);
  if (reading.status === 'missing') return undefined;
  const { bid, ask } = reading.price;
  const sum = add(bid, ask);
  // 1 / 10^minorUnits × mid, in cents; the mid is half of the sum.
  const scale = powerOfTen(sum.scale) * 2n;
  return pair.base === currency
    ? {
        numerator: sum.units * powerOfTen(US_DOLLAR.minorUnits),
        denominator: scale * powerOfTen(currency.minorUnits),
      }
    : {
        numerator: scale * powerOfTen(US_DOLLAR.minorUnits),
        denominator: sum.units * powerOfTen(currency.minorUnits),
      };
}
