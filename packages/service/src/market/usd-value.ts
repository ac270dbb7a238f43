import {
  add,
  type Currency,
  type DollarFraction,
  divRound,
  dollarFraction,
  pairOf,
  US_DOLLAR,
} from '@firmquote/fx';
import type { RateBook } from './rate-book.ts';

/**
 * Value of an amount in US dollar cents at the mid, rounded up: limits are never undercounted. Undefined without a
 * price of the currency against the dollar; an old price is better than none for that.
 * @param minor not negative
 */
export function usdValueAt(book: RateBook, currency: Currency, minor: bigint): bigint | undefined {
  if (currency.code === US_DOLLAR.code) return minor;
  const fraction = usdFractionAt(book, currency);
  return fraction && divRound(minor * fraction.numerator, fraction.denominator, 'ceil');
}

/** What a minor unit is worth, and whether the price that says so is no older than its pair permits. */
interface DollarValue extends DollarFraction {
  readonly isRecent: boolean;
}

/** The same for one minor unit, not rounded. */
export function usdFractionAt(book: RateBook, currency: Currency): DollarValue | undefined {
  if (currency.code === US_DOLLAR.code) return { numerator: 1n, denominator: 1n, isRecent: true };
  const pair = pairOf(currency, US_DOLLAR);
  const reading = book.read(pair);
  if (reading.status === 'missing') return undefined;
  const { status, price, ageMs } = reading;
  return {
    ...dollarFraction(currency, pair, add(price.bid, price.ask)),
    // A cross over a leg that is halted is not fresh however new it is.
    isRecent: status === 'fresh' || ageMs <= book.settingsOf(pair).stalenessMs,
  };
}
