import type { IndicativeRequest } from '@firmquote/api/operations/quotes';
import { type DateRules, formatAmount } from '@firmquote/fx';
import { readAmount } from '../http/amounts.ts';
import { readPrice } from '../market/current-price.ts';
import { type MarketState, stateMembers } from '../market/market.ts';
import { asDealt } from '../pricing/policy.ts';
import {
  defaultValidity,
  type FixedAmount,
  type PricingTerms,
  pricingTerms,
  spreadOf,
} from '../pricing/pricing-terms.ts';
import { priceForDate } from '../swap-points/outright.ts';
import { customerRate } from './customer-rate.ts';
import { estimatedJson, type PriceJson, priceJson } from './price-text.ts';
import { pricedAmounts } from './priced-amounts.ts';
import type { QuotesRoom } from './room.ts';
import { resolveTrade, type Trade } from './trade-request.ts';

/**
 * An estimate from the in-memory rate book (docs/interface.md#indicative-prices): no I/O, nothing reserved. While the market is closed or
 * the price is old it is still given, marked as not tradable. Answers JSON text, and at once (without a promise) when
 * the customer is known, which is the rule.
 */
export function requestIndicative(
  room: QuotesRoom,
  customerId: string,
  request: IndicativeRequest,
): string | Promise<string> {
  const now = room.clock.now();
  const dates = room.dates.current;
  const trade = resolveTrade(request, room.market.book, dates, now);
  const terms = pricingTerms(room, customerId, trade.pair.code);
  if (terms instanceof Promise)
    return terms.then((loaded) => estimate(room, trade, dates, request, loaded, now));
  return estimate(room, trade, dates, request, terms, now);
}

function estimate(
  room: QuotesRoom,
  asked: Trade,
  dates: DateRules,
  request: IndicativeRequest,
  terms: PricingTerms,
  now: number,
): string {
  const { market } = room;
  const { profile } = terms;
  const trade = asDealt(asked, terms.settings.policy);
  const reading = readPrice(market.book, trade.pair);
  const price = priceForDate(room.swapPoints, trade, reading.price, dates, now);
  const fixed = fixedAmount(trade, request);
  // As for a firm quote that names no validity, so that the estimate is what such a quote would be.
  const spread = spreadOf(room, terms, trade, fixed, defaultValidity(profile), now);
  const rate = customerRate(trade, price, spread);
  let amounts = '"fixedSide":null,"sellAmount":null,"buyAmount":null';
  let markup: Parameters<typeof priceJson>[1];
  if (fixed !== undefined && request.fixedSide !== undefined) {
    const { pair, sell, buy } = trade;
    const { fixedSide } = request;
    const { amountRounding } = profile.settings;
    const wanted = { pair, sell, buy, amountRounding, fixedSide, amountMinor: fixed.minor };
    const result = pricedAmounts(wanted, rate);
    markup = result.markup;
    amounts = `"fixedSide":"${request.fixedSide}","sellAmount":"${formatAmount(result.sellMinor, trade.sell)}","buyAmount":"${formatAmount(result.buyMinor, trade.buy)}"`;
  }
  const shown = {
    pair: trade.pair,
    rate,
    price,
    spread,
    disclosure: profile.settings.pricingDisclosure,
    reference: market.reference.rate(trade.pair),
  };
  const texts = priceJson(shown, markup, reading.ageMs);
  return render(trade, amounts, texts, reading.fresh, market.stateOf(trade.pair, profile.id));
}

function fixedAmount(trade: Trade, request: IndicativeRequest): FixedAmount | undefined {
  if (request.amount === undefined || request.fixedSide === undefined) return undefined;
  const currency = request.fixedSide === 'sell' ? trade.sell : trade.buy;
  return { currency, minor: readAmount(request.amount, currency) };
}

function render(trade: Trade, amounts: string, texts: PriceJson, fresh: boolean, state: MarketState): string {
  const open = state.state === 'open';
  const estimated = estimatedJson(trade.estimatedCurrencies);
  const reason = open ? (fresh ? '' : ',"reason":"stale"') : ',"reason":"market_closed"';
  return `{"type":"indicative","sellCurrency":"${trade.sell.code}","buyCurrency":"${trade.buy.code}",${amounts},"tradable":${open && fresh}${reason},"rate":${texts.rate},"pricing":${texts.pricing},"settlement":{"tenor":"${trade.tenor}","tradeDate":"${trade.tradeDate}","valueDate":"${trade.valueDate}"${estimated === '' ? '' : `,${estimated}`}},"market":{${stateMembers(state)}}}`;
}
