import { type DateRules, formatAmount, type PricedTrade, priceAmounts } from '@firmquote/fx';
import type { CustomerProfile } from '../customers/profile.ts';
import type { Held } from '../exposure/guard.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid, parseTypeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { findQuote } from './close-quotes.ts';
import { customerRate } from './customer-rate.ts';
import { type KeptPrice, keptPrice, pricingOf } from './price-text.ts';
import { defaultValidity, pricingTerms, spreadOf } from './pricing-terms.ts';
import { knownCurrency, type QuoteRecord } from './record.ts';
import { asCreated } from './render.ts';
import type { NewQuoteRequest, RequoteRequest } from './schema.ts';
import { type QuoteServices, SCENARIO_PRICE_UNAVAILABLE, SCENARIO_SHORT_LIFE } from './service.ts';
import { type NewQuote, type NewQuoteOutcome, QUOTE_OPERATION, type QuoteKey } from './store.ts';
import {
  belowMinimum,
  fundingCutoff,
  priceUnavailable,
  quoteDeadline,
  readAmount,
  readPrice,
  requireSettlementRoute,
  resolveTrade,
  type Trade,
  usdValue,
} from './terms.ts';

export interface RequestQuote {
  readonly customerId: string;
  readonly clientId: string;
  readonly body: NewQuoteRequest | RequoteRequest;
  readonly key: QuoteKey | undefined;
}

export interface RequestedQuote {
  readonly record: QuoteRecord;
  readonly replayed: boolean;
}

const SHORTEST_LIFE_MS = 1_000;
/** Up to here the number of open quotes is counted with every quote; above, the limit is far beyond any use. */
const COUNTED_OPEN_QUOTES = 1_000;

/**
 * Makes a firm quote: price, then one durable insert (contract §3). With an Idempotency-Key that is known, the
 * first quote is answered again, whatever has become of market, limits or the quote since.
 */
export function requestQuote(services: QuoteServices, command: RequestQuote): Promise<RequestedQuote> {
  if (command.key === undefined) return makeQuote(services, command);
  const id = `${command.customerId} ${QUOTE_OPERATION} ${command.key.key}`;
  return services.gate.run(id, () => makeQuote(services, command));
}

async function makeQuote(services: QuoteServices, command: RequestQuote): Promise<RequestedQuote> {
  let made: MadeQuote;
  let profile: CustomerProfile;
  let held: Held;
  try {
    const found = services.customers.profile(command.customerId);
    profile = found instanceof Promise ? await found : found;
    made = await priceQuote(services, command, profile);
    const holding = services.exposure.holdQuote(made.record);
    held = holding instanceof Promise ? await holding : holding;
  } catch (error) {
    // The key is looked up before anything that changes with time may refuse the request.
    const first = command.key && (await services.store.byKey(command.customerId, command.key.key));
    if (first === undefined) throw error;
    return replay(first, command.key as QuoteKey);
  }
  const { maxOpenQuotes } = profile.limits;
  const outcome = await insertHeld(services, held, {
    ...made,
    key: command.key,
    maxOpen: maxOpenQuotes <= COUNTED_OPEN_QUOTES ? maxOpenQuotes : undefined,
  });
  switch (outcome.outcome) {
    case 'created':
      return { record: made.record, replayed: false };
    case 'known':
      return replay(
        {
          fingerprint: outcome.fingerprint,
          record: await findQuote(services, command.customerId, outcome.quoteId),
        },
        command.key as QuoteKey,
      );
    case 'too_many_open_quotes':
      throw new Problem(
        'too_many_open_quotes',
        `${outcome.open} quotes are open; ${maxOpenQuotes} are permitted.`,
        {
          members: { limit: maxOpenQuotes, open: outcome.open },
          headers: { 'Retry-After': '1' },
        },
      );
  }
}

/** Room that was taken for the quote counts from now on, unless it is certain that it was not made. */
async function insertHeld(services: QuoteServices, held: Held, quote: NewQuote): Promise<NewQuoteOutcome> {
  try {
    const outcome = await services.store.insert(quote);
    if (outcome.outcome === 'created') held.settle();
    else held.release();
    return outcome;
  } catch (error) {
    held.settle();
    throw error;
  }
}

function replay(first: { fingerprint: string; record: QuoteRecord }, key: QuoteKey): RequestedQuote {
  if (first.fingerprint !== key.fingerprint) {
    throw new Problem('idempotency_key_reused', 'The key was used for a quote with other terms.');
  }
  return { record: asCreated(first.record), replayed: true };
}

interface MadeQuote {
  readonly record: QuoteRecord;
  readonly price: KeptPrice;
}

async function priceQuote(
  services: QuoteServices,
  command: RequestQuote,
  profile: CustomerProfile,
): Promise<MadeQuote> {
  const request =
    'requoteOf' in command.body ? await termsOf(services, command.customerId, command.body) : command.body;
  const { market, customers } = services;
  const now = services.clock.now();
  // Taken once: all dates of a quote are of the same calendars and cut-offs.
  const dates = services.dates.current;
  const trade = resolveTrade(request, market.book, dates, now);
  const fixed = request.fixedSide === 'sell' ? trade.sell : trade.buy;
  const amountMinor = readAmount(request.amount, fixed);
  const scenario = services.scenarios?.of(amountMinor, fixed.minorUnits) ?? null;
  // Known at once as a rule: every pause would be one more turn of the event loop for each of many requests.
  const currencies = customers.collectionCurrencies();
  requireSettlementRoute(trade, profile, currencies instanceof Promise ? await currencies : currencies);
  const held = pricingTerms(services, profile.id, trade.pair.code);
  const terms = held instanceof Promise ? await held : held;
  const validitySeconds = permittedValidity(request.validitySeconds, profile);

  const { price, fresh } = readPrice(market.book, trade.pair);
  const { expiresAt, truncated } = expiry(
    services,
    command.customerId,
    trade,
    dates,
    validitySeconds,
    scenario,
    now,
  );
  if (!fresh || scenario === SCENARIO_PRICE_UNAVAILABLE)
    throw priceUnavailable(trade.pair, isoInstant(price.asOf));
  const spread = spreadOf(
    services,
    terms,
    trade,
    { currency: fixed, minor: amountMinor },
    validitySeconds,
    now,
  );
  const { amountRounding, pricingDisclosure, fundingMode } = profile.settings;
  const rate = customerRate(trade, price, spread);
  const { pair, sell, buy } = trade;
  const { fixedSide } = request;
  const priced = priceAmounts({ pair, sell, buy, amountRounding, fixedSide, amountMinor }, rate);
  if (!priced.ok) throw belowMinimum(request.fixedSide === 'sell' ? trade.buy : trade.sell);
  const usdMinor = usdValue(market.book, trade.sell, priced.sellMinor);
  requireWithinTradeLimit(usdMinor, profile);
  const shown = {
    pair,
    priced: rate,
    price,
    spread,
    disclosure: pricingDisclosure,
    reference: market.reference.rate(trade.pair),
  };
  const { markup } = priced;
  const kept = keptPrice(shown, markup.currency, terms.settings.policy.version, amountRounding, now);
  const record: QuoteRecord = {
    ...openQuote(command, request, trade, priced),
    fundingCutoffAt: fundingCutoff(trade, dates),
    usdMinor,
    spreadRuleId: kept.spreadRuleId,
    spreadRuleVersion: kept.spreadRuleVersion,
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

/** What a new quote has from its request and its price, before anything has happened to it. */
function openQuote(command: RequestQuote, request: NewQuoteRequest, trade: Trade, priced: PricedTrade) {
  return {
    customerId: command.customerId,
    clientId: command.clientId,
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

/** The parameters of an earlier quote, to ask for the same again at today's price. */
async function termsOf(
  services: QuoteServices,
  customerId: string,
  body: RequoteRequest,
): Promise<NewQuoteRequest> {
  const id = parseTypeId('quote', body.requoteOf);
  const old = id === undefined ? undefined : await services.store.find(customerId, id);
  if (old === undefined) throw new Problem('quote_not_found', `There is no quote ${body.requoteOf}.`);
  const fixedMinor = old.fixedSide === 'sell' ? old.sellMinor : old.buyMinor;
  const fixedCurrency = old.fixedSide === 'sell' ? old.sellCurrency : old.buyCurrency;
  return {
    sellCurrency: old.sellCurrency,
    buyCurrency: old.buyCurrency,
    fixedSide: old.fixedSide,
    amount: formatAmount(fixedMinor, knownCurrency(fixedCurrency)),
    ...(old.tenor === 'broken' ? { valueDate: old.valueDate } : { tenor: old.tenor }),
    validitySeconds: old.validitySeconds,
    ...(old.clientReference === null ? {} : { clientReference: old.clientReference }),
    metadata: JSON.parse(old.metadata) as Record<string, string>,
  };
}

function permittedValidity(asked: number | undefined, profile: CustomerProfile): number {
  const permitted = profile.settings.permittedValidities;
  if (asked === undefined) return defaultValidity(profile);
  if (permitted.includes(asked)) return asked;
  throw new Problem('validity_not_permitted', `A validity of ${asked} s is not permitted.`, {
    members: { permitted },
  });
}

/** Cut at the market's close and at the tenor's cut-off, and honest about it: `expiresAt` is absolute. */
function expiry(
  services: QuoteServices,
  customerId: string,
  trade: Trade,
  dates: DateRules,
  validitySeconds: number,
  scenario: number | null,
  now: number,
): { expiresAt: number; truncated: boolean } {
  const state = services.market.stateOf(trade.pair, customerId);
  if (state.state !== 'open') {
    throw new Problem('market_closed', 'The market is closed.', {
      members: {
        reason: state.reason ?? 'halt',
        ...(state.reopensAt === undefined ? {} : { reopensAt: isoInstant(state.reopensAt) }),
      },
    });
  }
  const asked = now + (scenario === SCENARIO_SHORT_LIFE ? SHORTEST_LIFE_MS : validitySeconds * 1_000);
  const end = Math.min(asked, state.closesAt ?? Number.POSITIVE_INFINITY, quoteDeadline(trade, dates));
  // Both ends are in the future: a closed market and a passed cut-off were refused before.
  return { expiresAt: Math.max(end, now + 1), truncated: end < asked || scenario === SCENARIO_SHORT_LIFE };
}

function requireWithinTradeLimit(usdMinor: bigint, profile: CustomerProfile): void {
  if (usdMinor <= profile.limits.tradeUsdMinor) return;
  const max = formatAmount(profile.limits.tradeUsdMinor, knownCurrency('USD'));
  throw new Problem('amount_above_maximum', `One trade may be worth ${max} USD at most.`, {
    members: { max, currency: 'USD' },
  });
}
