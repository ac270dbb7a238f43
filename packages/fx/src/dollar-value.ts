import { type Currency, US_DOLLAR } from './currency.ts';
import { type Decimal, divRound, powerOfTen } from './decimal.ts';
import type { Pair } from './pair.ts';

/** US dollar cents of one minor unit, as an exact fraction of whole numbers. */
export interface DollarFraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * Cents of one minor unit of a currency at the mid of its pair with the dollar, not rounded.
 * @param sum bid and ask together: the mid is half of it, and is not rounded by itself
 */
export function dollarFraction(currency: Currency, pair: Pair, sum: Decimal): DollarFraction {
  // 1 / 10^minorUnits × mid, in cents.
  const scale = powerOfTen(sum.scale) * 2n;
  const [dividend, divisor] = pair.base === currency ? [sum.units, scale] : [scale, sum.units];
  return {
    numerator: dividend * powerOfTen(US_DOLLAR.minorUnits),
    denominator: divisor * powerOfTen(currency.minorUnits),
  };
}

/** Dollars (cents) of an amount at the mid, half a cent away from zero. */
export function dollarsAtMid(minor: bigint, currency: Currency, pair: Pair, sum: Decimal): bigint {
  const { numerator, denominator } = dollarFraction(currency, pair, sum);
  return divRound(minor * numerator, denominator, 'half_up');
}
