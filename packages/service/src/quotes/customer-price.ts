import { findPair, type MarketPrice, priceTwoWay } from '@firmquote/fx';
import type { PricingDisclosure } from '../customers/profile.ts';
import {
  defaultValidity,
  type FixedAmount,
  type PricingTerms,
  pricingTerms,
  spreadOf,
} from './pricing-terms.ts';
import type { QuoteServices } from './service.ts';
import type { ResolvedSpread } from './spread.ts';
import { readPrice, resolveTrade } from './terms.ts';

/** Both sides of a pair as a customer would trade them at this moment, for `spot` and the default validity. */
export interface CustomerPrice {
  readonly pair: string;
  /** With the customer's spread, at the pair's decimals. */
  readonly bid: MarketPrice['bid'];
  readonly ask: MarketPrice['ask'];
  readonly mid: MarketPrice['bid'];
  /** The whole spread in basis points; to be shown as far as `disclosure` goes: not with `none`. */
  readonly spreadBps: ResolvedSpread['totalBps'];
  readonly disclosure: PricingDisclosure;
  /** Epoch milliseconds of the market's price; of a cross, the older leg's. */
  readonly asOf: number;
  /** False when the price is too old for a firm quote. */
  readonly fresh: boolean;
  /** The spot date, `YYYY-MM-DD`. */
  readonly spotDate: string;
  /**
   * What the price is made of: two customers with the same spread object on the same market price have the same bid
   * and ask, so that what is written from it can be written once.
   */
  readonly spread: ResolvedSpread;
}

/**
 * The customer's two-way price of a pair, with the amount where tiers and limits ask for it. Answered without a promise
 * when customer, rules and settings are in memory, which is the rule; no I/O then. Whether the market is open is not
 * looked at.
 * @param pair code in market order
 * @param amount in either of the pair's currencies; without one, the tiers from any amount apply
 * @throws Problem pair_not_supported, customer_not_found, pricing_not_configured, amount_below_minimum,
 * amount_above_maximum, price_unavailable, and what stands against spot; by rejection where it has to wait
 */
export function customerPrice(
  services: Pick<QuoteServices, 'clock' | 'market' | 'customers' | 'dates' | 'pricing'>,
  customerId: string,
  pair: string,
  amount?: FixedAmount,
): CustomerPrice | Promise<CustomerPrice> {
  const terms = pricingTerms(services, customerId, pair);
  if (terms instanceof Promise) return terms.then((loaded) => priceFor(services, loaded, pair, amount));
  return priceFor(services, terms, pair, amount);
}

function priceFor(
  services: Pick<QuoteServices, 'clock' | 'market' | 'customers' | 'dates' | 'pricing'>,
  terms: PricingTerms,
  code: string,
  amount: FixedAmount | undefined,
): CustomerPrice {
  const { clock, market } = services;
  const now = clock.now();
  const found = findPair(code);
  const trade = resolveTrade(
    { sellCurrency: found?.base.code ?? code.slice(0, 3), buyCurrency: found?.quote.code ?? code.slice(3) },
    market.book,
    services.dates.current,
    now,
  );
  const { price, fresh } = readPrice(market.book, trade.pair);
  const spread = spreadOf(services, terms, trade, amount, defaultValidity(terms.profile), now);
  return {
    pair: trade.pair.code,
    ...priceTwoWay(trade.pair, price, spread.totalBps),
    spreadBps: spread.totalBps,
    disclosure: terms.profile.settings.pricingDisclosure,
    asOf: price.asOf,
    fresh,
    spotDate: trade.valueDate,
    spread,
  };
}
