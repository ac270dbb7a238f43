import { formatAmount, priceRate, priceTrade } from '@firmquote/fx';
import type { CustomerProfile, SpreadRule } from '../customers/profile.ts';
import type { MarketState } from '../market/market.ts';
import type { BookPrice } from '../market/rate-book.ts';
import type { ReferenceRate } from '../market/reference-rates.ts';
import { isoInstant } from '../platform/clock.ts';
import { priceJson } from './price-text.ts';
import type { IndicativeRequest } from './schema.ts';
import type { QuoteServices } from './service.ts';
import { belowMinimum, readAmount, readPrice, requireSpreadRule, resolveTrade, type Trade } from './terms.ts';

/**
 * An estimate from the in-memory rate book (contract §2): no I/O, nothing reserved. While the market is closed or
 * the price is old it is still given, marked as not tradable. Answers JSON text, and at once (without a promise) when
 * the customer is known, which is the rule.
 */
export function requestIndicative(
  services: QuoteServices,
  customerId: string,
  request: IndicativeRequest,
): string | Promise<string> {
  const now = services.clock.now();
  const trade = resolveTrade(request, services.market.book, now);
  const profile = services.customers.profile(customerId);
  if (!(profile instanceof Promise)) {
    const rule = services.customers.spreadRule(profile, trade.pair.code, now);
    if (rule !== undefined && !(rule instanceof Promise))
      return estimate(services, trade, request, profile, rule);
  }
  return estimateLater(services, trade, request, profile, now);
}

async function estimateLater(
  services: QuoteServices,
  trade: Trade,
  request: IndicativeRequest,
  loading: CustomerProfile | Promise<CustomerProfile>,
  now: number,
): Promise<string> {
  const profile = await loading;
  const rule = await requireSpreadRule(services.customers, profile, trade.pair, now);
  return estimate(services, trade, request, profile, rule);
}

function estimate(
  { market }: QuoteServices,
  trade: Trade,
  request: IndicativeRequest,
  profile: CustomerProfile,
  rule: SpreadRule,
): string {
  const { price, ageMs, fresh } = readPrice(market.book, trade.pair);
  const reference = market.reference.rate(trade.pair);
  return render(trade, request, profile, rule, price, ageMs, fresh, market.stateNow(), reference);
}

function render(
  trade: Trade,
  request: IndicativeRequest,
  profile: CustomerProfile,
  rule: SpreadRule,
  price: BookPrice,
  ageMs: number,
  fresh: boolean,
  state: MarketState,
  reference: ReferenceRate | undefined,
): string {
  const disclosure = profile.settings.pricingDisclosure;
  const input = {
    pair: trade.pair,
    sell: trade.sell,
    buy: trade.buy,
    market: price,
    spreadBps: rule.spreadBps,
    amountRounding: profile.settings.amountRounding,
  };
  let amounts = '"fixedSide":null,"sellAmount":null,"buyAmount":null';
  let priced: ReturnType<typeof priceRate>;
  let markup: Parameters<typeof priceJson>[5];
  if (request.amount === undefined || request.fixedSide === undefined) {
    priced = priceRate(input);
  } else {
    const fixed = request.fixedSide === 'sell' ? trade.sell : trade.buy;
    const result = priceTrade({
      ...input,
      fixedSide: request.fixedSide,
      amountMinor: readAmount(request.amount, fixed),
    });
    if (!result.ok) throw belowMinimum(request.fixedSide === 'sell' ? trade.buy : trade.sell);
    priced = result;
    markup = result.markup;
    amounts = `"fixedSide":"${request.fixedSide}","sellAmount":"${formatAmount(result.sellMinor, trade.sell)}","buyAmount":"${formatAmount(result.buyMinor, trade.buy)}"`;
  }
  const texts = priceJson(trade.pair, priced, price, rule, disclosure, markup, reference, ageMs);
  const open = state.state === 'open';
  const reason = open ? (fresh ? '' : ',"reason":"stale"') : ',"reason":"market_closed"';
  return `{"type":"indicative","sellCurrency":"${trade.sell.code}","buyCurrency":"${trade.buy.code}",${amounts},"tradable":${open && fresh}${reason},"rate":${texts.rate},"pricing":${texts.pricing},"settlement":{"tenor":"${trade.tenor}","tradeDate":"${trade.tradeDate}","valueDate":"${trade.valueDate}"},"market":${marketJson(state)}}`;
}

function marketJson(state: MarketState): string {
  const reason = state.reason === undefined ? '' : `,"reason":"${state.reason}"`;
  const closesAt = state.closesAt === undefined ? '' : `,"closesAt":"${isoInstant(state.closesAt)}"`;
  const reopensAt = state.reopensAt === undefined ? '' : `,"reopensAt":"${isoInstant(state.reopensAt)}"`;
  return `{"state":"${state.state}"${reason}${closesAt}${reopensAt}}`;
}
