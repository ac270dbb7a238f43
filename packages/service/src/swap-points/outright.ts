import {
  beforeLeg,
  type DateRules,
  type EvidencePoints,
  type EvidenceRate,
  formatDecimal,
  type MarketPrice,
  type Pair,
  pointsAtWorseSide,
  pointsFromRates,
  type SwapPoints,
} from '@firmquote/fx';
import type { BookPrice } from '../market/rate-book.ts';
import { Problem } from '../problems/problem.ts';
import type { KnownLeg, PointsOrigin, PointsWay, SwapPointDesk } from './desk.ts';
import type { KnownRate } from './policy.ts';

/** The points of a leg with who says so, as quotes keep them. */
export interface KeptPoints extends EvidencePoints {
  readonly origin: PointsOrigin;
  readonly source?: string;
  readonly asOf?: string;
}

/** The price of a pair for a value date before spot. */
interface OutrightPrice extends BookPrice {
  /** What it was made from. */
  readonly spot: BookPrice;
  /** From spot back to the date. */
  readonly swapPoints: readonly KeptPoints[];
  readonly swapPointPolicyVersion: number;
}

export function isOutright(price: BookPrice): price is OutrightPrice {
  return 'spot' in price;
}

/** What is to be priced: a pair on a trade date for a value date. */
interface DatedPair {
  readonly pair: Pair;
  readonly tradeDate: string;
  readonly valueDate: string;
}

/** Gone with the price and with the points: computed once for all requests between two changes. */
const outrights = new WeakMap<BookPrice, WeakMap<PointsWay, OutrightPrice>>();

/**
 * The price for a value date: that of spot itself, or of an earlier date by the points that lead to it.
 * @throws Problem tenor_not_supported, reason points_missing
 */
export function priceForDate(
  desk: SwapPointDesk,
  { pair, tradeDate, valueDate }: DatedPair,
  price: BookPrice,
  dates: DateRules,
  now: number,
): BookPrice {
  const way = desk.way(pair, tradeDate, valueDate, dates, now);
  if (way.missing !== undefined) throw pointsMissing(pair, valueDate);
  return outrightBy(way, price);
}

/** The price at the end of a way that is known as a whole. */
export function outrightBy(way: PointsWay, price: BookPrice): BookPrice {
  if (way.legs.length === 0) return price;
  let byWay = outrights.get(price);
  if (byWay === undefined) {
    byWay = new WeakMap();
    outrights.set(price, byWay);
  }
  let outright = byWay.get(way);
  if (outright === undefined) {
    outright = makeOutright(way, price);
    byWay.set(way, outright);
  }
  return outright;
}

export const POINTS_MISSING = 'points_missing';

function pointsMissing(pair: Pair, valueDate: string): Problem {
  return new Problem(
    'tenor_not_supported',
    `${pair.code} has no swap points that lead from spot to ${valueDate}.`,
    { members: { reasons: [POINTS_MISSING] } },
  );
}

function makeOutright({ legs, pair, policyVersion }: PointsWay, spot: BookPrice): OutrightPrice {
  let price: MarketPrice = spot;
  const swapPoints: KeptPoints[] = [];
  for (const leg of legs) {
    const points = pointsOf(leg, price, pair);
    swapPoints.push(keptPoints(leg, points));
    price = beforeLeg(price, points, pair);
  }
  return { ...spot, ...price, spot, swapPoints, swapPointPolicyVersion: policyVersion };
}

function pointsOf(leg: KnownLeg, later: MarketPrice, pair: Pair): SwapPoints {
  if (leg.points !== undefined) return leg.points;
  if (leg.rates !== undefined) return pointsFromRates(later, leg, leg.rates.base, leg.rates.quote, pair);
  if (leg.bpsPerDay !== undefined) return pointsAtWorseSide(later, leg, leg.bpsPerDay, pair);
  throw new Error('a known leg has points, or what they follow from');
}

function keptPoints(leg: KnownLeg, { bid, ask }: SwapPoints): KeptPoints {
  const { rates, bpsPerDay, source, asOf } = leg;
  return {
    leg: leg.leg,
    from: leg.from,
    to: leg.to,
    bid: formatDecimal(bid),
    ask: formatDecimal(ask),
    origin: leg.origin,
    ...(source === undefined ? {} : { source }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(rates === undefined ? {} : { rates: { base: rateText(rates.base), quote: rateText(rates.quote) } }),
    ...(bpsPerDay === undefined ? {} : { bpsPerDay: formatDecimal(bpsPerDay) }),
  };
}

function rateText({ currency, bid, ask, dayCount, asOf, source }: KnownRate): EvidenceRate {
  const rate = { currency, bid: formatDecimal(bid), ask: formatDecimal(ask), dayCount, asOf, source };
  return rate;
}
