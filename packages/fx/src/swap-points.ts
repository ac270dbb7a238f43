import type { CalendarSet } from './dates/calendar.ts';
import { spotDate, tomDate } from './dates/spot.ts';
import { DEFAULT_SPOT_RULES, type SpotRules } from './dates/spot-rules.ts';
import { daysBetween, type IsoDate } from './dates/time.ts';
import { add, type Decimal, powerOfTen, type Rounding, subtract } from './decimal.ts';
import type { Pair } from './pair.ts';
import type { MarketPrice } from './pricing.ts';
import { BPS_DECIMALS, type Fraction } from './pricing-formulas.ts';
import { type Rounder, type RoundingName, roundedUnits } from './rounding-step.ts';

/**
 * Prices for value before spot. A rate of the market is for spot; what is exchanged earlier is exchanged at the rate from
 * which interest leads to spot, and swap points are the difference: the rate of the later date less that of the earlier.
 *
 * Points are quoted in pips, two-sided, for the step from today to tomorrow (overnight) and from tomorrow to spot
 * (tom-next). For value before spot they are subtracted, and the sides change: the bid of the outright is the spot's bid
 * less the points' ask, and its ask the spot's ask less the points' bid, because the house that buys for value tomorrow
 * and covers itself at spot sells and buys back (Bloomberg's FRD: "ON bid outright: spot bid - TN ask points - ON ask
 * points").
 */

/** `on`: overnight, `tn`: tom-next, `broken`: from a date between tom and spot. */
export type SwapLegName = 'on' | 'tn' | 'broken';

/** One step on the way from spot back to a value date; `to` is the later day. */
export interface SwapLeg {
  readonly leg: SwapLegName;
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/** Points of one leg in pips, with their sign. */
export interface SwapPoints {
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** What money costs in one currency, percent a year: the bid is paid for deposits, the ask for loans. */
export interface InterestRate {
  readonly currency: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly dayCount: DayCount;
}

export const DAY_COUNTS = ['ACT/360', 'ACT/365'] as const;
export type DayCount = (typeof DAY_COUNTS)[number];

/** Market makers quote two or three. */
const POINT_DECIMALS_MIN = 4;

/**
 * Digits after the point of points that are computed. Rates may have many digits behind their pip, as those of a rupiah in dinars have: points
 * are always finer than a rate, or rounding them would cost more than the interest of a day.
 */
export function pointDecimals({ decimals, pipDecimals }: Pair): number {
  return Math.max(POINT_DECIMALS_MIN, decimals - pipDecimals + 3);
}

const DAYS_OF_YEAR: Readonly<Record<DayCount, bigint>> = { 'ACT/360': 360n, 'ACT/365': 365n };

/** A price with both sides, at any scale. */
interface TwoSided {
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/**
 * The steps from spot back to a value date, the last one first; none for spot. Where tom is spot, as between dollar and
 * Canadian dollar, one step leads from today to spot.
 */
export function swapLegs(
  pair: readonly [string, string],
  tradeDate: IsoDate,
  valueDate: IsoDate,
  calendars: CalendarSet,
  rules: SpotRules = DEFAULT_SPOT_RULES,
): readonly SwapLeg[] {
  const spot = spotDate(pair, tradeDate, calendars, rules);
  if (valueDate === spot) return [];
  const tom = tomDate(pair, tradeDate, calendars, rules);
  const tomNext: SwapLeg[] = tom === spot ? [] : [{ leg: 'tn', from: tom, to: spot }];
  if (valueDate === tom) return tomNext;
  if (valueDate === tradeDate) return [...tomNext, { leg: 'on', from: tradeDate, to: tom }];
  return [{ leg: 'broken', from: valueDate, to: spot }];
}

/** The most pips, of either sign, by which points may move a price over a leg, where it may move by so many basis points a day. Rounded down. */
export function largestPoints(leg: SwapLeg, price: Decimal, bpsPerDay: Decimal, pair: Pair): Decimal {
  const days = BigInt(daysBetween(leg.from, leg.to));
  const scale = pointDecimals(pair);
  const pips = price.units * bpsPerDay.units * days * powerOfTen(pair.pipDecimals + scale);
  return { units: pips / powerOfTen(price.scale + bpsPerDay.scale + BPS_DECIMALS), scale };
}

/** The price for the earlier date of a leg, from that of the later one. Exact, and of a cross what it is exactly too. */
export function beforeLeg(later: MarketPrice, points: SwapPoints, pair: Pair): MarketPrice {
  const ofBid = inRate(points.ask, pair);
  const ofAsk = inRate(points.bid, pair);
  const { bid, ask, exact } = later;
  return {
    bid: subtract(bid, ofBid),
    ask: subtract(ask, ofAsk),
    ...(exact === undefined ? {} : { exact: { bid: less(exact.bid, ofBid), ask: less(exact.ask, ofAsk) } }),
  };
}

function less({ numerator, denominator }: Fraction, { units, scale }: Decimal): Fraction {
  const one = powerOfTen(scale);
  return { numerator: numerator * one - units * denominator, denominator: denominator * one };
}

function inRate({ units, scale }: Decimal, { pipDecimals }: Pair): Decimal {
  return { units, scale: scale + pipDecimals };
}

/**
 * Points that follow from what both currencies earn over the days of a leg (covered interest parity, simple interest):
 * later × (1 - (1 + base) / (1 + quote)). The house borrows at the ask and lends at the bid, and what does not end at
 * these digits is rounded against the customer.
 */
export function pointsFromRates(
  later: TwoSided,
  leg: SwapLeg,
  base: InterestRate,
  quote: InterestRate,
  pair: Pair,
  round: Rounder = roundedUnits,
  scale: number = pointDecimals(pair),
): SwapPoints {
  const days = BigInt(daysBetween(leg.from, leg.to));
  const pips = (
    name: RoundingName,
    price: Decimal,
    baseRate: Decimal,
    quoteRate: Decimal,
    rounding: Rounding,
  ): Decimal => {
    const earned = growth(baseRate, base.dayCount, days);
    const owed = growth(quoteRate, quote.dayCount, days);
    // 1 - earned / owed, as one fraction.
    const top = owed.numerator * earned.denominator - earned.numerator * owed.denominator;
    const bottom = owed.numerator * earned.denominator;
    const numerator = price.units * top * powerOfTen(pair.pipDecimals);
    const denominator = powerOfTen(price.scale) * bottom;
    return { units: round({ name, numerator, denominator, scale, increment: 1n, rounding }), scale };
  };
  return {
    bid: pips('swap_points_bid', later.ask, base.ask, quote.bid, 'floor'),
    ask: pips('swap_points_ask', later.bid, base.bid, quote.ask, 'ceil'),
  };
}

/** 1 + rate × days / year */
function growth(
  rate: Decimal,
  dayCount: DayCount,
  days: bigint,
): { readonly numerator: bigint; readonly denominator: bigint } {
  const denominator = 100n * DAYS_OF_YEAR[dayCount] * powerOfTen(rate.scale);
  return { numerator: denominator + rate.units * days, denominator };
}

/**
 * Points for a house that knows none and prices all the same: as far as `bpsPerDay` of the price for each day, to the side
 * that is worse for the customer, whichever way he deals.
 */
export function pointsAtWorseSide(
  later: TwoSided,
  leg: SwapLeg,
  bpsPerDay: Decimal,
  pair: Pair,
  round: Rounder = roundedUnits,
  scale: number = pointDecimals(pair),
): SwapPoints {
  const days = BigInt(daysBetween(leg.from, leg.to));
  const units = round({
    name: 'swap_points_ask',
    numerator: later.ask.units * bpsPerDay.units * days * powerOfTen(pair.pipDecimals),
    denominator: powerOfTen(later.ask.scale + bpsPerDay.scale + BPS_DECIMALS),
    scale,
    increment: 1n,
    rounding: 'ceil',
  });
  return {
    bid: { units: -units, scale },
    ask: { units, scale },
  };
}

/** The points of all legs together. */
export function totalPoints(points: readonly SwapPoints[]): SwapPoints {
  const zero: Decimal = { units: 0n, scale: 0 };
  return points.reduce((sum, each) => ({ bid: add(sum.bid, each.bid), ask: add(sum.ask, each.ask) }), {
    bid: zero,
    ask: zero,
  });
}
