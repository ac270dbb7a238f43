import { CURRENCY_ROWS, type CurrencyRow } from './currency-table.ts';
import { type Decimal, parseDecimal } from './decimal.ts';

/** A currency that can be, or could once be, traded. */
export interface Currency {
  /** Three letters: the ISO 4217 code, or CNH. */
  readonly code: string;
  /** Three digits of ISO 4217; undefined for CNH, which ISO does not list (it settles as offshore CNY). */
  readonly numeric: string | undefined;
  /** The name in ISO 4217. */
  readonly name: string;
  /** Digits of an amount after the point, by ISO 4217. */
  readonly minorUnits: number;
  /** Decimals of a pip when this currency is the quote currency. */
  readonly rateDigits: number;
  /** How many of it make a US dollar, to two digits: only its order of magnitude is used, for precision. */
  readonly typicalPerUsd: Decimal;
  /** First date on which it can be traded, when it is younger than this table's users may ask for. */
  readonly validFrom?: string;
  /** Last date on which it could be traded, for a withdrawn currency. */
  readonly validTo?: string;
  /** Amounts that the service derives are multiples of this many minor units; at least 1. */
  readonly settlementIncrementMinor: bigint;
}

/** Every currency of the table, withdrawn ones too, sorted by code as the table is. */
export const CURRENCIES: readonly Currency[] = CURRENCY_ROWS.map(toCurrency);

const byCode: ReadonlyMap<string, Currency> = new Map(
  CURRENCIES.map((currency) => [currency.code, currency]),
);

/** The currency with this upper-case code, also when it is withdrawn. */
export function findCurrency(code: string): Currency | undefined {
  return byCode.get(code);
}

/** The currency of a code that the program itself wrote; not finding it is a fault, not a caller's mistake. */
export function knownCurrency(code: string): Currency {
  const currency = byCode.get(code);
  if (currency === undefined) throw new Error(`currency ${code} is not in the table`);
  return currency;
}

/** The currency as it is where derived amounts are multiples of more than a minor unit, such as whole forints. */
export function inMultiplesOf(currency: Currency, minor: bigint): Currency {
  return Object.freeze({ ...currency, settlementIncrementMinor: minor });
}

/** What limits are counted in, and what positions and the sizes of trades are valued in. */
export const US_DOLLAR: Currency = knownCurrency('USD');

/** Whether the code can be traded on a date (`YYYY-MM-DD`). Before its first day a currency is unknown. */
export function currencyStatus(code: string, onDate: string): 'tradable' | 'withdrawn' | 'unknown' {
  const currency = byCode.get(code);
  if (currency === undefined) return 'unknown';
  // ISO dates of four-digit years sort as text.
  if (currency.validFrom !== undefined && onDate < currency.validFrom) return 'unknown';
  if (currency.validTo !== undefined && onDate > currency.validTo) return 'withdrawn';
  return 'tradable';
}

function toCurrency(row: CurrencyRow): Currency {
  const [code, numeric, name, minorUnits, rateDigits, perUsd, validity] = row;
  const typicalPerUsd = parseDecimal(perUsd);
  if (typicalPerUsd === undefined || typicalPerUsd.units <= 0n) {
    throw new RangeError(`${code}: typical level '${perUsd}' is not a positive decimal`);
  }
  return Object.freeze({
    code,
    numeric,
    name,
    minorUnits,
    rateDigits,
    typicalPerUsd: Object.freeze(typicalPerUsd),
    settlementIncrementMinor: 1n,
    ...(validity?.from === undefined ? {} : { validFrom: validity.from }),
    ...(validity?.to === undefined ? {} : { validTo: validity.to }),
  });
}
