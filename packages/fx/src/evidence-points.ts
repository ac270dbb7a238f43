import { type Decimal, formatDecimal, parseDecimal } from './decimal.ts';
import type { Pair } from './pair.ts';
import type { MarketPrice } from './pricing.ts';
import { type Rounder, roundedUnits } from './rounding-step.ts';
import {
  beforeLeg,
  type DayCount,
  type InterestRate,
  pointsAtWorseSide,
  pointsFromRates,
  type SwapLegName,
  type SwapPoints,
  totalPoints,
} from './swap-points.ts';

/** An interest rate as text, percent a year. */
export interface EvidenceRate {
  readonly currency: string;
  readonly bid: string;
  readonly ask: string;
  readonly dayCount: DayCount;
}

/** The swap points of one leg, and what they were computed from where nobody gave them. */
export interface EvidencePoints {
  readonly leg: SwapLegName;
  readonly from: string;
  readonly to: string;
  /** In pips. */
  readonly bid: string;
  readonly ask: string;
  /** Rates of the base and the quote currency, where the points follow from interest. */
  readonly rates?: { readonly base: EvidenceRate; readonly quote: EvidenceRate };
  /** Where no points were known, and the price is on the worse side. */
  readonly bpsPerDay?: string;
}

export interface Outright {
  readonly price: MarketPrice;
  /** All legs together, in pips. */
  readonly points: SwapPoints;
}

/**
 * The price for the value date, from that for spot and the points of each leg, spot's first. What follows from rates or
 * from the rule is computed again.
 * @throws RangeError naming the member
 */
export function outrightOf(
  spot: MarketPrice,
  legs: readonly EvidencePoints[],
  pair: Pair,
  round: Rounder = roundedUnits,
): Outright {
  let price: MarketPrice = spot;
  const points: SwapPoints[] = [];
  for (const leg of legs) {
    const ofLeg = pointsOf(price, leg, pair, round);
    points.push(ofLeg);
    price = beforeLeg(price, ofLeg, pair);
  }
  return { price, points: totalPoints(points) };
}

function pointsOf(later: MarketPrice, leg: EvidencePoints, pair: Pair, round: Rounder): SwapPoints {
  const { rates, bpsPerDay } = leg;
  const recorded = { bid: decimal(leg.bid), ask: decimal(leg.ask) };
  // They had fewer digits once.
  const { scale } = recorded.bid;
  if (rates !== undefined) {
    return pointsFromRates(later, leg, rateOf(rates.base), rateOf(rates.quote), pair, round, scale);
  }
  if (bpsPerDay !== undefined) return pointsAtWorseSide(later, leg, decimal(bpsPerDay), pair, round, scale);
  return recorded;
}

/** The points of all legs as they were written down. */
export function recordedPoints(legs: readonly EvidencePoints[]): { pointsBid: string; pointsAsk: string } {
  const sum = totalPoints(legs.map(({ bid, ask }) => ({ bid: decimal(bid), ask: decimal(ask) })));
  return { pointsBid: formatDecimal(sum.bid), pointsAsk: formatDecimal(sum.ask) };
}

function rateOf({ currency, bid, ask, dayCount }: EvidenceRate): InterestRate {
  return { currency, bid: decimal(bid), ask: decimal(ask), dayCount };
}

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`swapPoints: ${text} is not a decimal number`);
  return value;
}
