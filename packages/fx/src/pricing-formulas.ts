import type { Currency } from './currency.ts';
import { type Decimal, powerOfTen, type Rounding } from './decimal.ts';
import type { Pair } from './pair.ts';
import type { RoundingStep } from './rounding-step.ts';

/** The formulas of a price, each as the exact number and how it is rounded. */

export type Side = 'bid' | 'ask';

const INVERSE_DECIMALS = 10;
const COST_DECIMALS = 2;
const PERCENT_DECIMALS = 2;
/** A basis point is 10^-4 of a rate. */
export const BPS_DECIMALS = 4;

/** Away from the mid: the house never gives a rate that is better than the exact one. */
const OUTWARDS: Readonly<Record<Side, Rounding>> = { bid: 'floor', ask: 'ceil' };

/** A rate as an exact fraction. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export function asFraction({ units, scale }: Decimal): Fraction {
  return { numerator: units, denominator: powerOfTen(scale) };
}

/** The market's own side × (1 ± spread). */
export function clientRateStep(
  price: Fraction,
  spreadBps: Decimal,
  side: Side,
  decimals: number,
): RoundingStep {
  const spreadScale = BPS_DECIMALS + spreadBps.scale;
  const one = powerOfTen(spreadScale);
  const factor = side === 'ask' ? one + spreadBps.units : one - spreadBps.units;
  return {
    name: 'client_rate',
    numerator: price.numerator * factor,
    denominator: price.denominator * powerOfTen(spreadScale),
    scale: decimals,
    increment: 1n,
    rounding: OUTWARDS[side],
  };
}

/** The market's own side at the pair's decimals. */
export function marketRateStep(price: Fraction, side: Side, decimals: number): RoundingStep {
  return {
    name: 'market_rate',
    ...price,
    scale: decimals,
    increment: 1n,
    rounding: OUTWARDS[side],
  };
}

/** (bid + ask) / 2 */
export function midStep(bid: Fraction, ask: Fraction, decimals: number): RoundingStep {
  const isCommon = bid.denominator === ask.denominator;
  return {
    name: 'mid',
    numerator: isCommon
      ? bid.numerator + ask.numerator
      : bid.numerator * ask.denominator + ask.numerator * bid.denominator,
    denominator: 2n * (isCommon ? bid.denominator : bid.denominator * ask.denominator),
    scale: decimals,
    increment: 1n,
    rounding: 'half_up',
  };
}

/** 1 / rate */
export function inverseStep(rate: Decimal): RoundingStep {
  return {
    name: 'inverse',
    numerator: powerOfTen(rate.scale),
    denominator: rate.units,
    scale: INVERSE_DECIMALS,
    increment: 1n,
    rounding: 'half_up',
  };
}

/** Distance of the rate from the mid in basis points of the mid, positive when it costs the customer. Equal scales. */
export function costVsMidStep(rateUnits: bigint, midUnits: bigint, side: Side): RoundingStep {
  const distance = side === 'ask' ? rateUnits - midUnits : midUnits - rateUnits;
  return {
    name: 'cost_vs_mid',
    numerator: distance * powerOfTen(BPS_DECIMALS),
    denominator: midUnits,
    scale: COST_DECIMALS,
    increment: 1n,
    rounding: 'half_up',
  };
}

/** The fixed amount × or ÷ the rate, in whole units of the derived currency. */
export function derivedAmountStep(
  name: 'derived_amount' | 'derived_amount_at_market',
  pair: Pair,
  rate: Decimal,
  amountMinor: bigint,
  derived: Currency,
  rounding: Rounding,
): RoundingStep {
  const derivedIsQuote = derived.code === pair.quote.code;
  return {
    name,
    numerator: amountMinor * (derivedIsQuote ? rate.units : powerOfTen(rate.scale)),
    denominator: derivedIsQuote
      ? powerOfTen(pair.base.minorUnits + rate.scale)
      : rate.units * powerOfTen(pair.quote.minorUnits),
    scale: derived.minorUnits,
    increment: derived.settlementIncrementMinor,
    rounding,
  };
}

/** Distance of the customer's rate from a reference rate, in percent of it, with its sign. */
export function referenceDifferenceStep(rate: Decimal, reference: Decimal): RoundingStep {
  const scale = Math.max(rate.scale, reference.scale);
  const base = reference.units * powerOfTen(scale - reference.scale);
  return {
    name: 'reference_difference',
    numerator: (rate.units * powerOfTen(scale - rate.scale) - base) * 100n,
    denominator: base,
    scale: PERCENT_DECIMALS,
    increment: 1n,
    rounding: 'half_up',
  };
}
