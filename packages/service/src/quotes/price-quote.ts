import type { NewQuoteRequest } from '@firmquote/api/operations/quotes';
import type { Currency, DateRules, PricedTrade } from '@firmquote/fx';
import { requireRoomInLimits, requireWithinTradeLimit } from '../customers/limits.ts';
import type { CustomerProfile } from '../customers/profile.ts';
import { readAmount } from '../http/amounts.ts';
import { priceUnavailable, readPrice, usdValue } from '../market/current-price.ts';
import { marketClosed } from '../market/market.ts';
import type { BookPrice } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { asDealt } from '../pricing/policy.ts';
import { defaultValidity, type PricingTerms, spreadOf } from '../pricing/pricing-terms.ts';
import type { ResolvedSpread } from '../pricing/resolve-spread.ts';
import { Problem } from '../problems/problem.ts';
import { priceForDate } from '../swap-points/outright.ts';
import { customerRate } from './customer-rate.ts';
import { type CustomerRate, type PriceSnapshot, priceSnapshot, pricingOf } from './price-text.ts';
import { pricedAmounts } from './priced-amounts.ts';
import type { QuoteRecord } from './record.ts';
import { type QuotesRoom, SCENARIO_PRICE_UNAVAILABLE, SCENARIO_SHORT_LIFE } from './room.ts';
import { fundingCutoff, quoteDeadline, requireSettlementRoute, type Trade } from './trade-request.ts';

const SHORTEST_LIFE_MS = 1_000;

/** A quote that is not kept yet, with the price that it names. */
export interface PricedQuote {
  readonly record: QuoteRecord;
  readonly price: PriceSnapshot;
}

/** What a quote is made of, all of it known. */
interface QuoteInputs {
  readonly request: NewQuoteRequest;
  readonly customerId: string;
  readonly clientId: string;
  readonly profile: CustomerProfile;
  readonly trade: Trade;
  readonly dates: DateRules;
  readonly now: number;
  readonly collectionCurrencies: ReadonlySet<string>;
  readonly terms: PricingTerms;
}

/** Prices what was asked for, or throws the problem that stands against it. */
export function priceQuote(room: QuotesRoom, asked: QuoteInputs): PricedQuote {
  const { request, profile, dates, now, terms } = asked;
  const { market } = room;
  const trade = asDealt(asked.trade, terms.settings.policy);
  const fixed = request.fixedSide === 'sell' ? trade.sell : trade.buy;
  const amountMinor = readAmount(request.amount, fixed);
  const scenario = room.scenarios?.of(amountMinor, fixed.minorUnits) ?? null;
  requireSettlementRoute(trade, profile, asked.collectionCurrencies);
  const validitySeconds = permittedValidity(request.validitySeconds, profile);

  // A closed market says when it opens; without a price, or with an old one, nobody could know.
  const { expiresAt, truncated } = expiry(room, asked, validitySeconds, scenario);
  const { price: spot, fresh } = readPrice(market.book, trade.pair);
  if (!fresh || scenario === SCENARIO_PRICE_UNAVAILABLE)
    throw priceUnavailable(trade.pair, isoInstant(spot.asOf));
  const price = priceForDate(room.swapPoints, trade, spot, dates, now);
  const spread = spreadOf(room, terms, trade, { currency: fixed, minor: amountMinor }, validitySeconds, now);
  const { amountRounding, fundingMode } = profile.settings;
  const rate = customerRate(trade, price, spread);
  const { pair, sell, buy } = trade;
  const { fixedSide } = request;
  const priced = pricedAmounts({ pair, sell, buy, amountRounding, fixedSide, amountMinor }, rate);
  const usdMinor = usdValue(market.book, trade.sell, priced.sellMinor);
  requireWithinTradeLimit(usdMinor, profile);
  requireRoomInLimits(usdMinor, profile, now);
  const { markup } = priced;
  const kept = snapshotOf(room, asked, price, spread, rate, markup.currency);
  const record: QuoteRecord = {
    ...openQuote(asked, priced),
    fundingCutoffAt: fundingCutoff(trade, dates),
    usdMinor,
    spreadRuleId: kept.spread.ruleId,
    spreadRuleVersion: kept.spread.ruleVersion,
    rate: kept.rate,
    pricing: pricingOf(kept, markup),
    evidence: kept.evidence,
    id: newUuid(now),
    validitySeconds,
    validityTruncated: truncated,
    createdAt: now,
    expiresAt,
    scenario,
    preFunded: fundingMode === 'pre_funded',
  };
  return { record, price: kept };
}

/** The price as the quote keeps it, with all that it is made of. */
function snapshotOf(
  room: QuotesRoom,
  { profile, trade, terms, now }: QuoteInputs,
  price: BookPrice,
  spread: ResolvedSpread,
  rate: CustomerRate,
  currency: Currency,
): PriceSnapshot {
  const { amountRounding, pricingDisclosure } = profile.settings;
  return priceSnapshot(
    {
      pair: trade.pair,
      rate,
      price,
      spread,
      disclosure: pricingDisclosure,
      reference: room.market.reference.rate(trade.pair),
    },
    {
      currency,
      policyVersion: terms.settings.policy.version,
      rounding: amountRounding,
      estimatedCurrencies: trade.estimatedCurrencies,
    },
    now,
  );
}

/** What a new quote has from its request and its price, before anything has happened to it. */
function openQuote({ customerId, clientId, request, trade }: QuoteInputs, priced: PricedTrade) {
  return {
    customerId,
    clientId,
    status: 'open',
    version: 1,
    pair: trade.pair.code,
    sellCurrency: trade.sell.code,
    buyCurrency: trade.buy.code,
    fixedSide: request.fixedSide,
    sellMinor: priced.sellMinor,
    buyMinor: priced.buyMinor,
    marketMinor: priced.marketMinor,
    markupMinor: priced.markup.minor,
    tenor: trade.tenor,
    tradeDate: trade.tradeDate,
    valueDate: trade.valueDate,
    metadata: request.metadata === undefined ? '{}' : JSON.stringify(request.metadata),
    clientReference: request.clientReference ?? null,
    closedAt: null,
    statusReason: null,
    transactionId: null,
  } as const;
}

function permittedValidity(asked: number | undefined, profile: CustomerProfile): number {
  const permitted = profile.settings.permittedValidities;
  if (asked === undefined) return defaultValidity(profile);
  if (permitted.includes(asked)) return asked;
  const choice = `Permitted seconds: ${permitted.join(', ')}.`;
  throw new Problem('validity_not_permitted', `A validity of ${asked} s is not permitted. ${choice}`, {
    field: '/validitySeconds',
    members: { permitted },
  });
}

/** Cut at the market's close and at the tenor's cut-off, and honest about it: `expiresAt` is absolute. */
function expiry(
  room: QuotesRoom,
  { customerId, trade, dates, now }: QuoteInputs,
  validitySeconds: number,
  scenario: number | null,
): { expiresAt: number; truncated: boolean } {
  const state = room.market.stateOf(trade.pair, customerId);
  if (state.state !== 'open')
    throw marketClosed(state, state.reason === 'halt' ? 'Trading is halted.' : 'The market is closed.');
  const asked = now + (scenario === SCENARIO_SHORT_LIFE ? SHORTEST_LIFE_MS : validitySeconds * 1_000);
  const end = Math.min(asked, state.closesAt ?? Number.POSITIVE_INFINITY, quoteDeadline(trade, dates));
  // Both ends are in the future: a closed market and a passed cut-off were refused before.
  return { expiresAt: Math.max(end, now + 1), truncated: end < asked || scenario === SCENARIO_SHORT_LIFE };
}
