import { type Currency, findCurrency, formatAmount } from '@firmquote/fx';
import { StatementRefusal, shown } from './refusal.ts';

/**
 * ISO 20022 permits 18 digits; MT940 fills 15 up with zeros, some banks more. A sign of plus, nothing before or nothing
 * behind the point are legal (XML Schema, decimal): `+5.00`, `.09`, `5.`.
 */
const AMOUNT = /^\+?(?=\.?\d)(\d{0,24})(?:\.(\d{0,24}))?$/;
const DIGITS_MAX = 18;

/** @throws StatementRefusal currency_unknown: without the currency nobody can say what its minor unit is */
export function currencyOf(code: string, line: number): Currency {
  const currency = /^[A-Z]{3}$/.test(code) ? findCurrency(code) : undefined;
  if (currency === undefined) {
    throw new StatementRefusal(
      'currency_unknown',
      `"${shown(code)}" is not a currency that is known here`,
      line,
    );
  }
  return currency;
}

/** ISO 4217: no currency, and one for tests. */
const NO_CURRENCY = new Set(['XXX', 'XTS']);

/** A code of three letters that is no currency of ours: an account in it cannot be kept. */
export function isForeignCurrency(code: string | null | undefined): code is string {
  if (code === null || code === undefined || !/^[A-Z]{3}$/.test(code)) return false;
  return findCurrency(code) === undefined && !NO_CURRENCY.has(code);
}

/**
 * An unsigned amount with a decimal point, exactly. Zeros past the minor unit are accepted, because banks write
 * `8.850` EUR; any other digit there is money that cannot be booked.
 * @throws StatementRefusal amount_invalid, amount_precision_invalid
 */
export function amountOf(text: string, currency: Currency, line: number): bigint {
  const match = AMOUNT.exec(text);
  const whole = match?.[1]?.padStart(1, '0').replace(/^0+(?=\d)/, '');
  if (whole === undefined) {
    throw new StatementRefusal('amount_invalid', `"${shown(text)}" is not an amount`, line);
  }
  const decimals = match?.[2] ?? '';
  const kept = decimals.slice(0, currency.minorUnits).padEnd(currency.minorUnits, '0');
  if (/[1-9]/.test(decimals.slice(currency.minorUnits))) {
    throw new StatementRefusal(
      'amount_precision_invalid',
      `"${shown(text)}" has more decimals than ${currency.code}, which has ${currency.minorUnits}`,
      line,
    );
  }
  if (whole.length + kept.length > DIGITS_MAX) {
    throw new StatementRefusal('amount_invalid', `"${shown(text)}" has more than ${DIGITS_MAX} digits`, line);
  }
  return BigInt(whole + kept);
}

/** `-45.59 EUR`, for messages. */
export function shownAmount(minor: bigint, code: string): string {
  const currency = findCurrency(code);
  return currency === undefined ? `${minor} ${code}` : `${formatAmount(minor, currency)} ${code}`;
}
