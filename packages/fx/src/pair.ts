import { type Currency, findCurrency } from './currency.ts';
import { powerOfTen } from './decimal.ts';

/** Two currencies in market order; a rate is units of the quote currency for one of the base. */
export interface Pair {
  /** Six letters, base first: `EURUSD`. */
  readonly code: string;
  readonly base: Currency;
  readonly quote: Currency;
  /** Digits of a rate after the point. */
  readonly decimals: number;
  /** Digits of a pip after the point, normally one fewer. */
  readonly pipDecimals: number;
}

// Whichever of two currencies comes first here is the base; one that is here is the base of one that is not.
const BASE_PRIORITY: readonly string[] = ['XAU', 'XAG', 'EUR', 'GBP', 'AUD', 'NZD', 'USD', 'CAD', 'CHF'];

// Where the market's order is neither the priority nor the alphabet.
const ORDER_OVERRIDES: ReadonlySet<string> = new Set([
  // The textbook puts CHF before everything outside the list, and the alphabet HKD before SGD, but venues
  // list SGD/CHF and SGD/HKD (OANDA).
  'SGDCHF',
  'SGDHKD',
  // The yen is quoted per unit of any currency that is worth more than a yen. The first eight are listed by
  // venues, the rest are how banks in Tokyo publish their rates. Those before J need no entry.
  ...['SGD', 'HKD', 'ZAR', 'NOK', 'SEK', 'TRY', 'MXN', 'CNH'].map((base) => `${base}JPY`),
  ...['KWD', 'MAD', 'MYR', 'OMR', 'PEN', 'PHP', 'PLN', 'QAR', 'RON', 'SAR', 'THB', 'TND', 'TWD'].map(
    (base) => `${base}JPY`,
  ),
  'DKKNOK',
  'DKKSEK',
  'NOKSEK',
]);

// Rates of these quote currencies end at the pip: a further digit would be below 0.0001 percent.
const NO_EXTRA_DIGIT: ReadonlySet<string> = new Set(['VND', 'IDR']);

// Venues quote HKD/JPY with five decimals, unlike any other yen pair (OANDA's price step is 0.00001).
const DECIMALS_OVERRIDES: ReadonlyMap<string, number> = new Map([['HKDJPY', 5]]);

/** The two codes in market order, base first. Also knows XAU and XAG. */
export function marketOrder(a: string, b: string): readonly [base: string, quote: string] {
  if (ORDER_OVERRIDES.has(a + b)) return [a, b];
  if (ORDER_OVERRIDES.has(b + a)) return [b, a];
  const rankA = BASE_PRIORITY.indexOf(a);
  const rankB = BASE_PRIORITY.indexOf(b);
  if (rankA !== rankB) {
    if (rankA === -1) return [b, a];
    if (rankB === -1) return [a, b];
    return rankA < rankB ? [a, b] : [b, a];
  }
  return a < b ? [a, b] : [b, a];
}

// By identity, not by code: a currency with an operator's own settlement increment makes its own pair.
const pairsOf = new WeakMap<Currency, WeakMap<Currency, Pair>>();

/** The pair of two currencies given in any order. Throws RangeError when they are the same. */
export function pairOf(a: Currency, b: Currency): Pair {
  const known = pairsOf.get(a)?.get(b);
  if (known !== undefined) return known;
  if (a.code === b.code) throw new RangeError(`a pair needs two currencies, got ${a.code} twice`);
  const pair = marketOrder(a.code, b.code)[0] === a.code ? makePair(a, b) : pairOf(b, a);
  const pairsOfA = pairsOf.get(a) ?? new WeakMap<Currency, Pair>();
  pairsOf.set(a, pairsOfA.set(b, pair));
  return pair;
}

const pairsByCode = new Map<string, Pair>();

/** The pair with this code in market order: `EURUSD` is one, `USDEUR` is not. Withdrawn currencies count. */
export function findPair(code: string): Pair | undefined {
  const known = pairsByCode.get(code);
  if (known !== undefined || code.length !== 6) return known;
  const base = findCurrency(code.slice(0, 3));
  const quote = findCurrency(code.slice(3));
  if (base === undefined || quote === undefined || base === quote) return undefined;
  const pair = pairOf(base, quote);
  if (pair.code !== code) return undefined;
  // Only hits are kept, so that made-up codes cannot fill the memory.
  pairsByCode.set(code, pair);
  return pair;
}

function makePair(base: Currency, quote: Currency): Pair {
  const code = base.code + quote.code;
  const pipDecimals = quote.rateDigits;
  const usual = pipDecimals + (NO_EXTRA_DIGIT.has(quote.code) ? 0 : 1);
  const decimals = Math.max(DECIMALS_OVERRIDES.get(code) ?? usual, decimalsForFiveDigits(base, quote));
  return Object.freeze({ code, base, quote, decimals, pipDecimals });
}

/**
 * The fewest decimals that leave a rate five significant digits at four fifths of the pair's typical level:
 * the margin keeps the promise when the market falls by a fifth.
 */
function decimalsForFiveDigits(base: Currency, quote: Currency): number {
  const level = quote.typicalPerUsd.units * powerOfTen(base.typicalPerUsd.scale) * 4n;
  const fiveDigits = base.typicalPerUsd.units * powerOfTen(quote.typicalPerUsd.scale) * 5n * 10_000n;
  let decimals = 0;
  while (level * powerOfTen(decimals) < fiveDigits) decimals += 1;
  return decimals;
}
