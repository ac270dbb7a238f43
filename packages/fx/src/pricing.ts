import type { Currency } from './currency.ts';
import { compare, type Decimal, divRound, powerOfTen, type Rounding, rescaleUnits } from './decimal.ts';
import type { Pair } from './pair.ts';

/** A two-sided price of a pair, at any scale. */
export interface MarketPrice {
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** A price together with the pair that it is a price of. */
export interface QuotedTick {
  readonly pair: Pair;
  readonly price: MarketPrice;
}

/** The leg whose amount the customer names; the other one is derived. */
export type FixedSide = 'sell' | 'buy';

/** `house`: what the customer receives is rounded down, what the customer pays is rounded up. */
export type AmountRounding = 'half_up' | 'house';

export interface RateRequest {
  readonly pair: Pair;
  /** What the customer gives. */
  readonly sell: Currency;
  /** What the customer gets. */
  readonly buy: Currency;
  readonly market: MarketPrice;
  /** All spread components together, in basis points of the rate: from 0 to below 10,000. */
  readonly spreadBps: Decimal;
  readonly amountRounding?: AmountRounding;
}

export interface PriceRequest extends RateRequest {
  readonly fixedSide: FixedSide;
  /** Minor units of the fixed leg, from 0. */
  readonly amountMinor: bigint;
}

export interface ClientRate {
  /** The house's side: the customer buys the base currency at the ask and sells it at the bid. */
  readonly side: 'bid' | 'ask';
  /** What the customer trades at, at the pair's decimals. */
  readonly rate: Decimal;
  /** 1 / rate, half-up to 10 decimals; information only. */
  readonly inverse: Decimal;
  /** Halfway between bid and ask, half-up to the pair's decimals. */
  readonly mid: Decimal;
  /** The market's own side at the pair's decimals; a finer price is rounded away from the mid. */
  readonly market: Decimal;
}

export interface PricedRate extends ClientRate {
  /** Distance of the rate from the mid, both as shown, in basis points of the mid, half-up to 2 decimals. */
  readonly costVsMidBps: Decimal;
}

export interface PricedTrade extends PricedRate {
  readonly sellMinor: bigint;
  readonly buyMinor: bigint;
  /** What the derived leg would be at `market`, rounded by the same rule. */
  readonly marketMinor: bigint;
  /** What the house earns: the derived leg at market against the derived leg booked; never negative. */
  readonly markup: { readonly minor: bigint; readonly currency: Currency };
}

export type PriceTradeResult =
  | ({ readonly ok: true } & PricedTrade)
  | { readonly ok: false; readonly error: 'amount_below_minimum' };

const INVERSE_DECIMALS = 10;
const COST_DECIMALS = 2;
const BPS_DECIMALS = 4;

/** Both sides positive and not crossed. Whoever takes in prices checks this; pricing refuses the others. */
export function isValidMarketPrice(price: MarketPrice): boolean {
  return price.bid.units > 0n && compare(price.bid, price.ask) <= 0;
}

/**
 * The rate that a customer gets. The spread is applied to the market's rate, not to an amount, and rounded
 * away from the market at the pair's decimals: it is never undershot and costs at most one unit of the last
 * digit more. Throws RangeError on currencies that are not the pair's, an unusable price or spread.
 */
export function priceRate(request: RateRequest): PricedRate {
  const { pair, market } = request;
  assertPriceable(market, request.spreadBps);
  const side = sideOf(pair, request.sell, request.buy);
  const ownSide = side === 'ask' ? market.ask : market.bid;
  const rateUnits = clientUnits(ownSide, request.spreadBps, side, pair.decimals);
  const marketUnits = rescaleUnits(ownSide.units, ownSide.scale, pair.decimals, OUTWARDS[side]);
  const midUnits = midOf(market, pair.decimals);
  const distance = side === 'ask' ? rateUnits - midUnits : midUnits - rateUnits;
  return {
    side,
    rate: { units: rateUnits, scale: pair.decimals },
    inverse: {
      units: divRound(powerOfTen(INVERSE_DECIMALS + pair.decimals), rateUnits, 'half_up'),
      scale: INVERSE_DECIMALS,
    },
    mid: { units: midUnits, scale: pair.decimals },
    market: { units: marketUnits, scale: pair.decimals },
    costVsMidBps: {
      units: divRound(distance * powerOfTen(BPS_DECIMALS + COST_DECIMALS), midUnits, 'half_up'),
      scale: COST_DECIMALS,
    },
  };
}

/**
 * Prices a trade. The derived amount comes from the rounded client rate, half-up to the minor unit (or to
 * the currency's settlement increment), or by the house rule. A derived amount of zero is
 * `amount_below_minimum`. Throws RangeError as `priceRate` does, and on a negative amount.
 */
export function priceTrade(request: PriceRequest): PriceTradeResult {
  const { pair, sell, buy, fixedSide, amountMinor } = request;
  if (amountMinor < 0n) throw new RangeError('an amount to price is not negative');
  const priced = priceRate(request);
  const sellIsFixed = fixedSide === 'sell';
  const derived = sellIsFixed ? buy : sell;
  const rounding = derivedRounding(request.amountRounding, sellIsFixed);
  const derivedMinor = deriveAmount(pair, priced.rate, amountMinor, derived, rounding);
  if (derivedMinor === 0n) return { ok: false, error: 'amount_below_minimum' };
  const marketMinor = deriveAmount(pair, priced.market, amountMinor, derived, rounding);
  // Not negative: the client rate is never better than `market`, and equal rounding keeps that order.
  const markupMinor = sellIsFixed ? marketMinor - derivedMinor : derivedMinor - marketMinor;
  return {
    ok: true,
    side: priced.side,
    rate: priced.rate,
    inverse: priced.inverse,
    mid: priced.mid,
    market: priced.market,
    costVsMidBps: priced.costVsMidBps,
    sellMinor: sellIsFixed ? amountMinor : derivedMinor,
    buyMinor: sellIsFixed ? derivedMinor : amountMinor,
    marketMinor,
    markup: { minor: markupMinor, currency: derived },
  };
}

/** Both sides as a customer sees them in a price stream: the spread is inside bid and ask. */
export function priceTwoWay(
  pair: Pair,
  market: MarketPrice,
  spreadBps: Decimal,
): MarketPrice & { readonly mid: Decimal } {
  assertPriceable(market, spreadBps);
  return {
    bid: { units: clientUnits(market.bid, spreadBps, 'bid', pair.decimals), scale: pair.decimals },
    ask: { units: clientUnits(market.ask, spreadBps, 'ask', pair.decimals), scale: pair.decimals },
    mid: { units: midOf(market, pair.decimals), scale: pair.decimals },
  };
}

const OUTWARDS: Readonly<Record<'bid' | 'ask', Rounding>> = { bid: 'floor', ask: 'ceil' };

function sideOf(pair: Pair, sell: Currency, buy: Currency): 'bid' | 'ask' {
  if (buy.code === pair.base.code && sell.code === pair.quote.code) return 'ask';
  if (sell.code === pair.base.code && buy.code === pair.quote.code) return 'bid';
  throw new RangeError(`${sell.code} for ${buy.code} is not a trade in ${pair.code}`);
}

function assertPriceable(market: MarketPrice, spreadBps: Decimal): void {
  if (!isValidMarketPrice(market)) throw new RangeError('a market price is positive and not crossed');
  // A negative spread would pay customers to trade; one of 100 percent would leave no bid.
  if (spreadBps.units < 0n || spreadBps.units >= powerOfTen(BPS_DECIMALS + spreadBps.scale)) {
    throw new RangeError('a spread is from 0 to below 10000 basis points');
  }
}

function clientUnits(price: Decimal, spreadBps: Decimal, side: 'bid' | 'ask', decimals: number): bigint {
  const spreadScale = BPS_DECIMALS + spreadBps.scale;
  const one = powerOfTen(spreadScale);
  const factor = side === 'ask' ? one + spreadBps.units : one - spreadBps.units;
  const units = rescaleUnits(price.units * factor, price.scale + spreadScale, decimals, OUTWARDS[side]);
  if (units <= 0n) throw new RangeError(`the client rate rounds to zero at ${decimals} decimals`);
  return units;
}

function midOf(market: MarketPrice, decimals: number): bigint {
  const { bid, ask } = market;
  const scale = Math.max(bid.scale, ask.scale);
  const sum = bid.units * powerOfTen(scale - bid.scale) + ask.units * powerOfTen(scale - ask.scale);
  // Half of the sum is five times it with one decimal more.
  return rescaleUnits(sum * 5n, scale + 1, decimals, 'half_up');
}

function derivedRounding(rule: AmountRounding | undefined, derivedIsReceived: boolean): Rounding {
  if (rule !== 'house') return 'half_up';
  return derivedIsReceived ? 'floor' : 'ceil';
}

function deriveAmount(
  pair: Pair,
  rate: Decimal,
  amountMinor: bigint,
  derived: Currency,
  rounding: Rounding,
): bigint {
  const perBase = rate.units * powerOfTen(pair.quote.minorUnits);
  const perUnit = powerOfTen(pair.base.minorUnits + rate.scale);
  const derivedIsQuote = derived.code === pair.quote.code;
  const numerator = amountMinor * (derivedIsQuote ? perBase : perUnit);
  const denominator = derivedIsQuote ? perUnit : perBase;
  const increment = derived.settlementIncrementMinor;
  if (increment === 1n) return divRound(numerator, denominator, rounding);
  return divRound(numerator, denominator * increment, rounding) * increment;
}
