import type { Currency } from './currency.ts';
import { compare, type Decimal, powerOfTen, type Rounding } from './decimal.ts';
import type { Pair } from './pair.ts';
import {
  asFraction,
  BPS_DECIMALS,
  clientRateStep,
  costVsMidStep,
  derivedAmountStep,
  type Fraction,
  inverseStep,
  marketRateStep,
  midStep,
  referenceDifferenceStep,
  type Side,
} from './pricing-formulas.ts';
import { type Rounder, roundedUnits } from './rounding-step.ts';

/** A two-sided price of a pair, at any scale. */
export interface MarketPrice {
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** Both sides before they were rounded, of a price that was computed: what is priced on. */
  readonly exact?: { readonly bid: Fraction; readonly ask: Fraction };
}

export type ExactPrice = Required<MarketPrice>;

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
  readonly side: Side;
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

/** A price that nobody can trade at: crossed, not positive, or nothing at the decimals of its pair. */
export class UnusablePrice extends RangeError {}

/** Both sides positive and not crossed. Whoever takes in prices checks this; pricing refuses the others. */
export function isValidMarketPrice(price: MarketPrice): boolean {
  return price.bid.units > 0n && compare(price.bid, price.ask) <= 0;
}

/**
 * The rate that a customer gets. The spread is applied to the market's rate, not to an amount, and rounded
 * away from the market at the pair's decimals: it is never undershot and costs at most one unit of the last
 * digit more. Throws UnusablePrice, and RangeError on currencies that are not the pair's or an unusable spread.
 * @param round told of every rounding; for explaining a price
 */
export function priceRate(request: RateRequest, round: Rounder = roundedUnits): PricedRate {
  const { pair, market, spreadBps } = request;
  assertPriceable(market, spreadBps);
  const scale = pair.decimals;
  const side = sideOf(pair, request.sell, request.buy);
  const { bid, ask } = exactSides(market);
  const ownSide = side === 'ask' ? ask : bid;
  const rate = { units: clientUnits(ownSide, spreadBps, side, scale, round), scale };
  const marketUnits = round(marketRateStep(ownSide, side, scale));
  const midUnits = round(midStep(bid, ask, scale));
  if (midUnits <= 0n) throw new UnusablePrice(`the mid rounds to zero at ${scale} decimals`);
  const inverse = inverseStep(rate);
  const cost = costVsMidStep(rate.units, midUnits, side);
  return {
    side,
    rate,
    inverse: { units: round(inverse), scale: inverse.scale },
    mid: { units: midUnits, scale },
    market: { units: marketUnits, scale },
    costVsMidBps: { units: round(cost), scale: cost.scale },
  };
}

/**
 * Prices a trade. The derived amount comes from the rounded client rate, half-up to the minor unit (or to
 * the currency's settlement increment), or by the house rule. A derived amount of zero,
 * at the client rate or at the market, is `amount_below_minimum`. Throws as `priceRate` does, and RangeError on a
 * negative amount.
 */
export function priceTrade(request: PriceRequest, round: Rounder = roundedUnits): PriceTradeResult {
  return priceAmounts(request, priceRate(request, round), round);
}

/**
 * The same at a rate that is known already: what `priceRate` answers for a request with the same pair, sides, market and
 * spread. Callers who keep it need not compute it for each amount.
 */
export function priceAmounts(
  request: Omit<PriceRequest, 'market' | 'spreadBps'>,
  priced: PricedRate,
  round: Rounder = roundedUnits,
): PriceTradeResult {
  const { pair, sell, buy, fixedSide, amountMinor } = request;
  if (amountMinor < 0n) throw new RangeError('an amount to price is not negative');
  const sellIsFixed = fixedSide === 'sell';
  const derived = sellIsFixed ? buy : sell;
  const rounding = derivedRounding(request.amountRounding, sellIsFixed);
  const derivedMinor = round(
    derivedAmountStep('derived_amount', pair, priced.rate, amountMinor, derived, rounding),
  );
  if (derivedMinor === 0n) return { ok: false, error: 'amount_below_minimum' };
  const marketMinor = round(
    derivedAmountStep('derived_amount_at_market', pair, priced.market, amountMinor, derived, rounding),
  );
  if (marketMinor === 0n) return { ok: false, error: 'amount_below_minimum' };
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

/** Distance of a rate from a reference rate in percent of it, half-up to 2 decimals, with its sign. */
export function referenceDifference(
  rate: Decimal,
  reference: Decimal,
  round: Rounder = roundedUnits,
): Decimal {
  const step = referenceDifferenceStep(rate, reference);
  return { units: round(step), scale: step.scale };
}

/** Both sides as a customer sees them in a price stream: the spread is inside bid and ask. */
export function priceTwoWay(
  pair: Pair,
  market: MarketPrice,
  spreadBps: Decimal,
): MarketPrice & { readonly mid: Decimal } {
  assertPriceable(market, spreadBps);
  const { bid, ask } = exactSides(market);
  const scale = pair.decimals;
  return {
    bid: { units: clientUnits(bid, spreadBps, 'bid', scale), scale },
    ask: { units: clientUnits(ask, spreadBps, 'ask', scale), scale },
    mid: { units: roundedUnits(midStep(bid, ask, scale)), scale },
  };
}

function exactSides({ bid, ask, exact }: MarketPrice): { readonly bid: Fraction; readonly ask: Fraction } {
  return exact ?? { bid: asFraction(bid), ask: asFraction(ask) };
}

function sideOf(pair: Pair, sell: Currency, buy: Currency): Side {
  if (buy.code === pair.base.code && sell.code === pair.quote.code) return 'ask';
  if (sell.code === pair.base.code && buy.code === pair.quote.code) return 'bid';
  throw new RangeError(`${sell.code} for ${buy.code} is not a trade in ${pair.code}`);
}

function assertPriceable(market: MarketPrice, spreadBps: Decimal): void {
  if (!isValidMarketPrice(market)) throw new UnusablePrice('a market price is positive and not crossed');
  // A negative spread would pay customers to trade; one of 100 percent would leave no bid.
  if (spreadBps.units < 0n || spreadBps.units >= powerOfTen(BPS_DECIMALS + spreadBps.scale)) {
    throw new RangeError('a spread is from 0 to below 10000 basis points');
  }
}

function clientUnits(
  price: Fraction,
  spreadBps: Decimal,
  side: Side,
  decimals: number,
  round: Rounder = roundedUnits,
): bigint {
  const units = round(clientRateStep(price, spreadBps, side, decimals));
  if (units <= 0n) throw new UnusablePrice(`the client rate rounds to zero at ${decimals} decimals`);
  return units;
}

function derivedRounding(rule: AmountRounding | undefined, derivedIsReceived: boolean): Rounding {
  if (rule !== 'house') return 'half_up';
  return derivedIsReceived ? 'floor' : 'ceil';
}
