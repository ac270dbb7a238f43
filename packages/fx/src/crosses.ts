import type { Decimal, Rounding } from './decimal.ts';
import type { Pair } from './pair.ts';
import { type ExactPrice, isValidMarketPrice, type QuotedTick } from './pricing.ts';
import { asFraction, type Fraction } from './pricing-formulas.ts';
import { type Rounder, type RoundingName, roundedUnits } from './rounding-step.ts';

/**
 * The price of a pair without a feed of its own, from two pairs that share a third currency: the bid is what
 * selling the base through both bids brings, the ask what buying it through both asks costs. Each side is
 * rounded outwards to the pair's decimals, to be shown; `exact` has it as it is, to be priced on, so that a customer's
 * rate is rounded once. The legs may come in either order and either direction. Throws RangeError when they do not connect the pair or a price is unusable.
 * @param round told of both roundings; for explaining a price
 */
export function crossThrough(
  pair: Pair,
  legA: QuotedTick,
  legB: QuotedTick,
  round: Rounder = roundedUnits,
): ExactPrice {
  if (!isValidMarketPrice(legA.price) || !isValidMarketPrice(legB.price)) {
    throw new RangeError('a market price is positive and not crossed');
  }
  const aHoldsBase = holds(legA.pair, pair.base.code);
  const baseLeg = aHoldsBase ? legA : legB;
  const quoteLeg = aHoldsBase ? legB : legA;
  if (crossCurrency(pair, legA.pair, legB.pair) === undefined) {
    throw new RangeError(`${legA.pair.code} and ${legB.pair.code} do not make ${pair.code}`);
  }
  const toCommon = baseLeg.pair.base.code === pair.base.code;
  const fromCommon = quoteLeg.pair.quote.code === pair.quote.code;
  const chain = (side: 'bid' | 'ask'): Fraction => {
    const first = sideOf(baseLeg, toCommon, side);
    const second = sideOf(quoteLeg, fromCommon, side);
    return {
      numerator: first.numerator * second.numerator,
      denominator: first.denominator * second.denominator,
    };
  };
  const shown = (name: RoundingName, exact: Fraction, rounding: Rounding): Decimal => {
    const scale = pair.decimals;
    return { units: round({ name, ...exact, scale, increment: 1n, rounding }), scale };
  };
  const exact = { bid: chain('bid'), ask: chain('ask') };
  return {
    bid: shown('cross_bid', exact.bid, 'floor'),
    ask: shown('cross_ask', exact.ask, 'ceil'),
    exact,
  };
}

/** A leg quoted the other way round is inverted, and its bid is then one over the ask. */
function sideOf(leg: QuotedTick, direct: boolean, side: 'bid' | 'ask'): Fraction {
  if (direct) return asFraction(leg.price[side]);
  const { numerator, denominator } = asFraction(leg.price[side === 'bid' ? 'ask' : 'bid']);
  return { numerator: denominator, denominator: numerator };
}

function holds(pair: Pair, code: string): boolean {
  return pair.base.code === code || pair.quote.code === code;
}

/** The currency that a cross goes through, of the pairs of its legs; undefined when they share none. */
export function crossCurrency(pair: Pair, legA: Pair, legB: Pair): string | undefined {
  const [baseLeg, quoteLeg] = holds(legA, pair.base.code) ? [legA, legB] : [legB, legA];
  const common = otherOf(baseLeg, pair.base.code);
  return common !== undefined && common === otherOf(quoteLeg, pair.quote.code) ? common : undefined;
}

function otherOf(pair: Pair, code: string): string | undefined {
  if (pair.base.code === code) return pair.quote.code;
  return pair.quote.code === code ? pair.base.code : undefined;
}
