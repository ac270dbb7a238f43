import { type Decimal, parseDecimal } from '@firmquote/fx';
import { ReferenceTable } from './reference-rates.ts';

/**
 * Euro foreign exchange reference rates: units of the currency for one euro.
 *
 * Source: European Central Bank (ECB statistics), the rates of 13 April 2026, published at
 * https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/ (file
 * https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip). The ECB allows re-use when it is named as
 * the source, and publishes the rates for information only: nothing is traded on them.
 */
export const ECB_REFERENCE_DATE = '2026-04-13';

const UNITS_PER_EURO: Readonly<Record<string, string>> = {
  AUD: '1.6610',
  BRL: '5.8740',
  CAD: '1.6177',
  CHF: '0.9242',
  CNY: '7.9827',
  CZK: '24.378',
  DKK: '7.4727',
  EUR: '1',
  GBP: '0.87058',
  HKD: '9.1507',
  HUF: '366.90',
  IDR: '20082.05',
  ILS: '3.5787',
  INR: '109.0470',
  ISK: '143.20',
  JPY: '186.75',
  KRW: '1740.86',
  MXN: '20.3203',
  MYR: '4.6444',
  NOK: '11.0980',
  NZD: '2.0081',
  PHP: '70.356',
  PLN: '4.2543',
  RON: '5.0920',
  SEK: '10.8920',
  SGD: '1.4912',
  THB: '37.728',
  TRY: '52.2478',
  USD: '1.1684',
  ZAR: '19.3849',
};

/** Every currency of the table with its units for one euro, the euro itself included. */
export const ECB_UNITS_PER_EURO: ReadonlyMap<string, Decimal> = new Map(
  Object.entries(UNITS_PER_EURO).map(([code, text]) => {
    const units = parseDecimal(text);
    if (units === undefined || units.units <= 0n) throw new RangeError(`${code}: '${text}' is not a rate`);
    return [code, Object.freeze(units)];
  }),
);

/** The table that ships with the service, for where no newer one is had. */
export const BUILT_IN_REFERENCE = new ReferenceTable(ECB_REFERENCE_DATE, ECB_UNITS_PER_EURO);
