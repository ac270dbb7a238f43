import { crossCurrency, crossThrough } from './crosses.ts';
import { type Currency, findCurrency, inMultiplesOf } from './currency.ts';
import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import { type EvidencePoints, type Outright, outrightOf, recordedPoints } from './evidence-points.ts';
import { formatAmount, parseAmount } from './money.ts';
import { findPair, type Pair } from './pair.ts';
import {
  type AmountRounding,
  type FixedSide,
  type MarketPrice,
  priceTrade,
  type QuotedTick,
  referenceDifference,
} from './pricing.ts';
import { type Rounder, recordingRounder, type TakenStep } from './rounding-step.ts';
import { type SpreadComponentType, totalOfComponents } from './spread.ts';

/**
 * All that the price of a firm quote was made from, as texts, so that it can travel as JSON and be checked by whoever
 * holds it. Optional members are those that not every price has, or that older quotes were kept without.
 */
export interface QuoteEvidence {
  /** Six letters in market order. */
  readonly pair: string;
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly fixedSide: FixedSide;
  /** What the customer named, in the currency of the fixed side. */
  readonly fixedAmount: string;
  /** Digits of the pair's rates after the point, as they were then. */
  readonly rateDecimals: number;
  readonly amountRounding: AmountRounding;
  /** What the derived amount is a multiple of, in its currency. Absent: a minor unit. */
  readonly settlementIncrement?: string;
  /** The market's price; of a cross what its legs come to. */
  readonly bid: string;
  readonly ask: string;
  /** The two prices that a cross was made of. */
  readonly legs?: readonly EvidenceLeg[];
  /**
   * Of a cross. `once`: the customer's rate is rounded from what the legs come to exactly. Absent in older quotes, whose
   * cross was rounded to the pair's decimals before the spread, and the rate after it.
   */
  readonly crossRounding?: 'once';
  /** What lies between spot and an earlier value date, the leg that ends at spot first. */
  readonly swapPoints?: readonly EvidencePoints[];
  /** Digits of a pip after the point, as they were then; there with `swapPoints`. */
  readonly pipDecimals?: number;
  /** The whole spread in basis points: the sum of the components. */
  readonly spreadBps: string;
  readonly components?: readonly { readonly type: SpreadComponentType; readonly bps: string }[];
  /** The reference rate that the customer's rate was compared with. */
  readonly referenceRate?: string;
}

export interface EvidenceLeg {
  readonly pair: string;
  readonly bid: string;
  readonly ask: string;
}

/** Numbers of a quote, in the form in which quotes show them. */
export interface QuoteNumbers {
  readonly bid: string;
  readonly ask: string;
  /** The swap points of all legs, in pips, and the price for the value date; absent for spot. */
  readonly pointsBid?: string;
  readonly pointsAsk?: string;
  readonly outrightBid?: string;
  readonly outrightAsk?: string;
  readonly spreadBps: string;
  readonly side: 'bid' | 'ask';
  readonly rate: string;
  readonly inverse: string;
  readonly mid: string;
  /** The market's own side at the pair's decimals. */
  readonly market: string;
  readonly costVsMidBps: string;
  readonly sellAmount: string;
  readonly buyAmount: string;
  /** The derived amount at `market`. */
  readonly marketAmount: string;
  /** In the currency of the derived amount. */
  readonly markup: string;
  /** Absent without a reference rate. */
  readonly differencePercent?: string;
}

export interface RecomputedQuote {
  readonly numbers: QuoteNumbers;
  /** Every rounding in the order in which it was made. */
  readonly steps: readonly TakenStep[];
  /** The currency that a cross went through. */
  readonly through: string | undefined;
}

/** A number that is not what the evidence comes to. */
export interface EvidenceDifference {
  readonly member: keyof QuoteNumbers;
  readonly recorded: string;
  /** Undefined when the evidence has no such number. */
  readonly recomputed: string | undefined;
}

/**
 * Computes a quote again from its evidence alone, by the functions that price quotes. What can be derived is derived:
 * a cross from its legs, the spread from its components.
 * @throws RangeError naming the member, when the evidence is not one: a text that is no number, currencies that are
 * not the pair's, a price that is crossed, an amount that comes to nothing
 */
export function recomputeQuote(evidence: QuoteEvidence): RecomputedQuote {
  const { round, steps } = recordingRounder();
  const pair = pairAt(evidence);
  const [sell, buy] = currenciesOf(evidence);
  const [base, quote] = legsOf(evidence);
  const spot: MarketPrice =
    base !== undefined && quote !== undefined
      ? crossOf(pair, base, quote, evidence, round)
      : { bid: decimalOf('bid', evidence.bid), ask: decimalOf('ask', evidence.ask) };
  const { swapPoints } = evidence;
  const outright = swapPoints && outrightOf(spot, swapPoints, pair, round);
  const market = outright?.price ?? spot;
  const spreadBps = spreadOf(evidence);
  const priced = priceTrade(
    {
      pair,
      sell,
      buy,
      market,
      spreadBps,
      amountRounding: evidence.amountRounding,
      fixedSide: evidence.fixedSide,
      amountMinor: minorOf(evidence.fixedAmount, evidence.fixedSide === 'sell' ? sell : buy),
    },
    round,
  );
  if (!priced.ok) throw new RangeError('the derived amount comes to nothing');
  const derived = evidence.fixedSide === 'sell' ? buy : sell;
  const { referenceRate } = evidence;
  const difference =
    referenceRate === undefined
      ? undefined
      : referenceDifference(priced.rate, decimalOf('referenceRate', referenceRate), round);
  return {
    steps,
    through: base && quote && crossCurrency(pair, base.pair, quote.pair),
    numbers: {
      bid: formatDecimal(spot.bid),
      ask: formatDecimal(spot.ask),
      ...(outright === undefined ? {} : outrightNumbers(outright)),
      spreadBps: formatDecimal(spreadBps),
      side: priced.side,
      rate: formatDecimal(priced.rate),
      inverse: formatDecimal(priced.inverse),
      mid: formatDecimal(priced.mid),
      market: formatDecimal(priced.market),
      costVsMidBps: formatDecimal(priced.costVsMidBps),
      sellAmount: formatAmount(priced.sellMinor, sell),
      buyAmount: formatAmount(priced.buyMinor, buy),
      marketAmount: formatAmount(priced.marketMinor, derived),
      markup: formatAmount(priced.markup.minor, priced.markup.currency),
      ...(difference === undefined ? {} : { differencePercent: formatDecimal(difference) }),
    },
  };
}

/**
 * What of a quote does not follow from its evidence, member by member; empty when all of it does. Members that are not
 * given are not compared. The evidence is held against itself as well: its price against the legs, its swap points
 * against the rates, its spread against the components.
 * @throws RangeError as {@link recomputeQuote} does
 */
export function verifyEvidence(
  evidence: QuoteEvidence,
  recorded: Partial<QuoteNumbers>,
): EvidenceDifference[] {
  return differencesOf(recomputeQuote(evidence).numbers, evidence, recorded);
}

/** The same for who has recomputed already. */
export function differencesOf(
  numbers: QuoteNumbers,
  { bid, ask, spreadBps, swapPoints }: QuoteEvidence,
  recorded: Partial<QuoteNumbers>,
): EvidenceDifference[] {
  const differences: EvidenceDifference[] = [];
  const points = swapPoints === undefined ? {} : recordedPoints(swapPoints);
  for (const given of [{ bid, ask, spreadBps, ...points }, recorded]) {
    for (const member of Object.keys(given) as (keyof typeof given)[]) {
      const text: string | undefined = given[member];
      if (text === undefined || text === numbers[member]) continue;
      differences.push({ member, recorded: text, recomputed: numbers[member] });
    }
  }
  return differences;
}

function outrightNumbers({ points, price }: Outright) {
  return {
    pointsBid: formatDecimal(points.bid),
    pointsAsk: formatDecimal(points.ask),
    outrightBid: formatDecimal(price.bid),
    outrightAsk: formatDecimal(price.ask),
  };
}

function crossOf(
  pair: Pair,
  base: QuotedTick,
  quote: QuotedTick,
  { crossRounding }: QuoteEvidence,
  round: Rounder,
): MarketPrice {
  const cross = crossThrough(pair, base, quote, round);
  return crossRounding === 'once' ? cross : { bid: cross.bid, ask: cross.ask };
}

/** The pair with the decimals of its rates as they were when the quote was made. */
function pairAt({ pair: code, rateDecimals: decimals, pipDecimals }: QuoteEvidence): Pair {
  const pair = findPair(code);
  if (pair === undefined) throw new RangeError(`pair: ${code} is not a pair`);
  const pips = pipDecimals ?? pair.pipDecimals;
  if (pair.decimals === decimals && pair.pipDecimals === pips) return pair;
  return { ...pair, decimals, pipDecimals: pips };
}

function legsOf({ legs }: QuoteEvidence): readonly ReturnType<typeof quotedLeg>[] {
  if (legs === undefined) return [];
  if (legs.length !== 2) throw new RangeError('legs: a cross has two');
  return legs.map(quotedLeg);
}

function quotedLeg({ pair: code, bid, ask }: EvidenceLeg): { pair: Pair; price: MarketPrice } {
  const pair = findPair(code);
  if (pair === undefined) throw new RangeError(`legs: ${code} is not a pair`);
  return { pair, price: { bid: decimalOf('legs', bid), ask: decimalOf('legs', ask) } };
}

function spreadOf({ components, spreadBps }: QuoteEvidence): Decimal {
  if (components === undefined) return decimalOf('spreadBps', spreadBps);
  return totalOfComponents(components.map(({ type, bps }) => ({ type, bps: decimalOf('components', bps) })));
}

/** The sold and the bought one; the derived one of them in multiples of what it was then. */
function currenciesOf(evidence: QuoteEvidence): readonly [Currency, Currency] {
  const sell = currencyOf(evidence.sellCurrency);
  const buy = currencyOf(evidence.buyCurrency);
  const { settlementIncrement: text, fixedSide } = evidence;
  if (text === undefined) return [sell, buy];
  const derived = fixedSide === 'sell' ? buy : sell;
  const increment = parseAmount(text, derived);
  if (!increment.ok || increment.minor === 0n)
    throw new RangeError(`settlementIncrement: ${text} is not an amount of ${derived.code}`);
  const inMultiples = inMultiplesOf(derived, increment.minor);
  return fixedSide === 'sell' ? [sell, inMultiples] : [inMultiples, buy];
}

function currencyOf(code: string): Currency {
  const currency = findCurrency(code);
  if (currency === undefined) throw new RangeError(`${code} is not a currency`);
  return currency;
}

function minorOf(text: string, currency: Currency): bigint {
  const amount = parseAmount(text, currency);
  if (!amount.ok) throw new RangeError(`fixedAmount: ${text} is not an amount of ${currency.code}`);
  return amount.minor;
}

function decimalOf(member: string, text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`${member}: ${text} is not a decimal number`);
  return value;
}
