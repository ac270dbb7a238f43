import type { Currency } from './currency.ts';
import { formatUnits, parseDecimal, powerOfTen } from './decimal.ts';

/** `amount_invalid`: not an amount at all; `amount_precision_invalid`: more decimals than the currency has. */
export type AmountError = 'amount_invalid' | 'amount_precision_invalid';

export type ParsedAmount =
  | { readonly ok: true; readonly minor: bigint }
  | { readonly ok: false; readonly error: AmountError };

/** Digits before the point. */
const WHOLE_DIGITS_MAX = 15;

/** The text of an amount: up to 15 digits, no sign, no leading zeros, up to 4 decimals. */
export const AMOUNT_PATTERN = '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$';

const amountText = new RegExp(AMOUNT_PATTERN);

/** The largest amount that has a text, in minor units. */
export function largestAmount({ minorUnits }: Currency): bigint {
  return powerOfTen(WHOLE_DIGITS_MAX + minorUnits) - 1n;
}

/**
 * Reads an amount such as `100000.00` into minor units of the currency. Decimals may be left out, but not
 * exceed the currency's own, zeros included: `100.0` is not an amount of yen. Zero is an amount.
 */
export function parseAmount(text: string, currency: Currency): ParsedAmount {
  if (!amountText.test(text)) return { ok: false, error: 'amount_invalid' };
  const point = text.indexOf('.');
  if (point === -1) return { ok: true, minor: BigInt(text + '0'.repeat(currency.minorUnits)) };
  const decimals = text.length - point - 1;
  if (decimals > currency.minorUnits) return { ok: false, error: 'amount_precision_invalid' };
  const padding = '0'.repeat(currency.minorUnits - decimals);
  return { ok: true, minor: BigInt(text.slice(0, point) + text.slice(point + 1) + padding) };
}

/** Minor units as text, padded to exactly the currency's decimals: `100000.00`, `1510090`, `-306.340`. */
export function formatAmount(minor: bigint, currency: Currency): string {
  return formatUnits(minor, currency.minorUnits);
}

/**
 * Minor units of what {@link formatAmount} has written, however many digits it has: sums and what banks report may have more than a
 * caller can name. Throws RangeError on any other text.
 */
export function writtenMinor(text: string, currency: Currency): bigint {
  const minor = parseDecimal(text);
  if (minor?.scale === currency.minorUnits) return minor.units;
  throw new RangeError(`${text} was not written as an amount of ${currency.code}`);
}

/** US dollar cents as text: `100000.00`. */
export function formatUsd(minor: bigint): string {
  return formatUnits(minor, 2);
}
