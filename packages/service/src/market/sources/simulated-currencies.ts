import { CURRENCIES, type Decimal, findCurrency, marketOrder, multiply, parseDecimal } from '@firmquote/fx';
import { ECB_UNITS_PER_EURO } from '../ecb-reference.ts';

/** How the simulator moves a currency. */
export interface CurrencyProfile {
  readonly code: string;
  /** What its value moves with: a krone with the euro, a riyal with the dollar. */
  readonly anchor: 'USD' | 'EUR';
  /** Volatility against the anchor, basis points a year. */
  readonly volatilityBps: number;
  /** Its share of a pair's bid-ask spread, hundredths of a basis point; the pair's is the sum of both. */
  readonly costCentiBps: number;
}

/**
 * Chosen to look right, not measured: EUR/USD comes out at 0.4 pips, USD/JPY and GBP/USD at 0.5 and 0.7,
 * the large crosses at 1 to 3, emerging currencies wider; pegged currencies hardly move.
 */
const PROFILES: readonly (readonly [
  code: string,
  anchor: 'USD' | 'EUR',
  volatility: number,
  cost: number,
])[] = [
  ['AED', 'USD', 10, 50],
  ['ARS', 'USD', 1200, 5000],
  ['AUD', 'USD', 950, 70],
  ['BHD', 'USD', 15, 200],
  ['BRL', 'USD', 1300, 250],
  ['CAD', 'USD', 600, 58],
  ['CHF', 'EUR', 450, 75],
  ['CLP', 'USD', 1100, 500],
  ['CNH', 'USD', 400, 80],
  ['CNY', 'USD', 350, 150],
  ['COP', 'USD', 1200, 600],
  ['CZK', 'EUR', 350, 300],
  ['DKK', 'EUR', 20, 60],
  ['EGP', 'USD', 600, 3000],
  ['EUR', 'USD', 700, 34],
  ['GBP', 'USD', 750, 52],
  ['GEL', 'USD', 500, 2500],
  ['GHS', 'USD', 1000, 6000],
  ['HKD', 'USD', 60, 40],
  ['HUF', 'EUR', 700, 350],
  ['IDR', 'USD', 500, 400],
  ['ILS', 'USD', 850, 500],
  ['INR', 'USD', 350, 200],
  ['ISK', 'EUR', 500, 1500],
  ['JOD', 'USD', 10, 300],
  ['JPY', 'USD', 950, 31],
  ['KES', 'USD', 300, 3000],
  ['KRW', 'USD', 850, 250],
  ['KWD', 'USD', 150, 200],
  ['KZT', 'USD', 800, 2500],
  ['LKR', 'USD', 300, 2500],
  ['MAD', 'EUR', 300, 1500],
  ['MUR', 'USD', 450, 2500],
  ['MXN', 'USD', 1100, 180],
  ['MYR', 'USD', 500, 350],
  ['NGN', 'USD', 1000, 6000],
  ['NOK', 'EUR', 700, 200],
  ['NZD', 'USD', 950, 78],
  ['OMR', 'USD', 15, 200],
  ['PEN', 'USD', 500, 500],
  ['PHP', 'USD', 500, 350],
  ['PKR', 'USD', 200, 1500],
  ['PLN', 'EUR', 550, 300],
  ['QAR', 'USD', 10, 120],
  ['RON', 'EUR', 150, 500],
  ['RSD', 'EUR', 50, 800],
  ['SAR', 'USD', 15, 60],
  ['SEK', 'EUR', 600, 180],
  ['SGD', 'USD', 450, 120],
  ['THB', 'USD', 700, 300],
  ['TND', 'EUR', 300, 2500],
  ['TRY', 'USD', 900, 1200],
  ['TWD', 'USD', 500, 300],
  ['UAH', 'USD', 400, 2000],
  ['UGX', 'USD', 400, 3000],
  ['USD', 'USD', 0, 0],
  ['UYU', 'USD', 700, 2000],
  ['VND', 'USD', 200, 600],
  ['XAF', 'EUR', 10, 1500],
  ['XOF', 'EUR', 10, 1500],
  ['ZAR', 'USD', 1300, 350],
];

export const CURRENCY_PROFILES: ReadonlyMap<string, CurrencyProfile> = new Map(
  PROFILES.map(([code, anchor, volatilityBps, costCentiBps]) => [
    code,
    { code, anchor, volatilityBps, costCentiBps },
  ]),
);

/**
 * Official parities of currencies that the ECB does not list, for one dollar: Central Bank of the UAE (3.6725,
 * since 1997), Saudi Central Bank (3.75, since 1986), Qatar Central Bank (3.64, Decree 34 of 2001), Central
 * Bank of Bahrain (0.376), Central Bank of Oman (0.3845, since 1986), Central Bank of Jordan (0.708 to 0.710).
 * The Kuwaiti dinar is tied to an undisclosed basket, not to the dollar: its level is only a plausible one.
 */
const UNITS_PER_DOLLAR: Readonly<Record<string, string>> = {
  AED: '3.6725',
  BHD: '0.376',
  JOD: '0.709',
  KWD: '0.3070',
  OMR: '0.3845',
  QAR: '3.64',
  SAR: '3.75',
};

/** The CFA francs' parity with the euro (Council Decision 98/683/EC; BCEAO and BEAC). */
const CFA_FRANCS_PER_EURO = '655.957';

/**
 * Where a currency's simulated value starts, in units for one euro: the ECB's reference rate; else the official
 * parity; CNH at CNY; else the typical level in the currency table, which is right to two digits only.
 * @param rates the ECB's rates of a day; for a currency that they leave out, the built-in ones
 */
export function startingUnitsPerEuro(
  code: string,
  rates: ReadonlyMap<string, Decimal> = ECB_UNITS_PER_EURO,
): Decimal {
  const name = code === 'CNH' ? 'CNY' : code;
  const listed = rates.get(name) ?? ECB_UNITS_PER_EURO.get(name);
  if (listed !== undefined) return listed;
  if (code === 'XAF' || code === 'XOF') return decimal(CFA_FRANCS_PER_EURO);
  const parity = UNITS_PER_DOLLAR[code];
  const perDollar = parity === undefined ? findCurrency(code)?.typicalPerUsd : decimal(parity);
  const dollars = rates.get('USD') ?? ECB_UNITS_PER_EURO.get('USD');
  if (perDollar === undefined || dollars === undefined) throw new RangeError(`${code} has no starting level`);
  return multiply(perDollar, dollars);
}

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`'${text}' is not a decimal`);
  return value;
}

// Pairs without the dollar that venues list directly; every other cross is made by the rate book.
const DIRECT_CROSSES: Readonly<Record<string, string>> = {
  EUR: 'GBP JPY CHF AUD CAD NZD SEK NOK DKK PLN CZK HUF RON TRY ZAR SGD HKD MXN ILS ISK RSD XAF XOF',
  GBP: 'JPY CHF AUD CAD NZD SEK NOK PLN SGD HKD ZAR',
  AUD: 'JPY CHF CAD NZD SGD',
  NZD: 'JPY CHF CAD',
  CAD: 'JPY CHF',
  CHF: 'JPY',
  NOK: 'SEK',
};

/** Every pair the simulator can play: each tradable currency against the dollar, and the direct crosses. */
export const SIMULATED_PAIRS: readonly string[] = [
  ...CURRENCIES.filter((currency) => currency.validTo === undefined && currency.code !== 'USD')
    .filter((currency) => CURRENCY_PROFILES.has(currency.code))
    .map((currency) => marketOrder(currency.code, 'USD').join('')),
  ...Object.entries(DIRECT_CROSSES).flatMap(([base, others]) =>
    others.split(' ').map((other) => marketOrder(base, other).join('')),
  ),
].sort();
