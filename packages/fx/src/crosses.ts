import { type Decimal, divRound, powerOfTen } from './decimal.ts';
import type { Pair } from './pair.ts';
import { isValidMarketPrice, type MarketPrice, type QuotedTick } from './pricing.ts';

/**
 * The price of a pair without a feed of its own, from two pairs that share a third currency: the bid is what
 * selling the base through both bids brings, the ask what buying it through both asks costs. Each side is
 * rounded once, at the end, outwards to the pair's decimals. The legs may come in either order and either
 * direction. Throws RangeError when they do not connect the pair or a price is unusable.
 */
export function crossThrough(pair: Pair, legA: QuotedTick, legB: QuotedTick): MarketPrice {
  if (!isValidMarketPrice(legA.price) || !isValidMarketPrice(legB.price)) {
    throw new RangeError('a market price is positive and not crossed');
  }
  const aHoldsBase = holds(legA.pair, pair.base.code);
  const baseLeg = aHoldsBase ? legA : legB;
  const quoteLeg = aHoldsBase ? legB : legA;
  const common = otherOf(baseLeg.pair, pair.base.code);
  if (common === undefined || common !== otherOf(quoteLeg.pair, pair.quote.code)) {
    throw new RangeError(`${legA.pair.code} and ${legB.pair.code} do not make ${pair.code}`);
  }
  const toCommon = baseLeg.pair.base.code === pair.base.code;
  const fromCommon = quoteLeg.pair.quote.code === pair.quote.code;
  const decimals = pair.decimals;
  return {
    bid: chain(sideOf(baseLeg, toCommon, 'bid'), sideOf(quoteLeg, fromCommon, 'bid'), decimals, 'floor'),
    ask: chain(sideOf(baseLeg, toCommon, 'ask'), sideOf(quoteLeg, fromCommon, 'ask'), decimals, 'ceil'),
  };
}

/** A rate as an exact fraction. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A leg quoted the other way round is inverted, and its bid is then one over the ask. */
function sideOf(leg: QuotedTick, direct: boolean, side: 'bid' | 'ask'): Fraction {
  if (direct) return asFraction(leg.price[side]);
  const { numerator, denominator } = asFraction(leg.price[side === 'bid' ? 'ask' : 'bid']);
  return { numerator: denominator, denominator: numerator };
}

function asFraction(value: Decimal): Fraction {
  return { numerator: value.units, denominator: powerOfTen(value.scale) };
}

function chain(first: Fraction, second: Fraction, decimals: number, rounding: 'floor' | 'ceil'): Decimal {
  const numerator = first.numerator * second.numerator * powerOfTen(decimals);
  return { units: divRound(numerator, first.denominator * second.denominator, rounding), scale: decimals };
}

function holds(pair: Pair, code: string): boolean {
  return pair.base.code === code || pair.quote.code === code;
}

function otherOf(pair: Pair, code: string): string | undefined {
  if (pair.base.code === code) return pair.quote.code;
  return pair.quote.code === code ? pair.base.code : undefined;
}
