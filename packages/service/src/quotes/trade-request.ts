import {
  type Currency,
  type DateRules,
  earlierCutOff,
  estimatedCurrencies,
  type FixedSide,
  formatAmount,
  type Pair,
  pairOf,
  parseAmount,
  reasonInWords,
  resolveTenor,
  resolveValueDate,
  type Tenor,
  tradeDateAt,
  tradeDateEndOf,
  tradeDateOf,
  US_DOLLAR,
} from '@firmquote/fx';
import type { CustomerProfile } from '../customers/profile.ts';
import { requireTradable } from '../http/market-codes.ts';
import { notWith } from '../http/sentences.ts';
import type { BookPrice, RateBook } from '../market/rate-book.ts';
import { usdValueAt } from '../market/usd-value.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import type { QuoteTenor } from './record.ts';

/** What is to be exchanged, with everything known but the price. */
export interface Trade {
  readonly pair: Pair;
  readonly sell: Currency;
  readonly buy: Currency;
  readonly tenor: QuoteTenor;
  readonly tradeDate: string;
  readonly valueDate: string;
  /** Of the currencies that decide the value date, those whose days are estimates until then. */
  readonly estimatedCurrencies: readonly string[];
}

interface TradeRequest {
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly fixedSide?: FixedSide;
  readonly amount?: string;
  readonly tenor?: Tenor;
  readonly valueDate?: string;
}

/** Rules between fields, which the schema cannot say with a useful message. */
function checkFields(request: TradeRequest): void {
  const errors: FieldError[] = [];
  if (request.tenor !== undefined && request.valueDate !== undefined) {
    errors.push({
      pointer: '/valueDate',
      code: 'not_permitted',
      detail: notWith('tenor'),
    });
  }
  if ((request.fixedSide === undefined) !== (request.amount === undefined)) {
    const [missing, given] = request.amount === undefined ? ['amount', 'fixedSide'] : ['fixedSide', 'amount'];
    errors.push({ pointer: `/${missing}`, code: 'required', detail: `is required with ${given}` });
  }
  if (errors.length > 0) throw validationProblem(errors);
}

/** Currencies, pair and value date of a request at an instant, or the problem that stands against them. */
export function resolveTrade(request: TradeRequest, book: RateBook, dates: DateRules, now: number): Trade {
  checkFields(request);
  const today = tradeDateAt(now);
  const sell = requireTradable(request.sellCurrency, '/sellCurrency', today);
  const buy = requireTradable(request.buyCurrency, '/buyCurrency', today);
  if (sell === buy)
    throw new Problem('same_currency', `${sell.code} cannot be exchanged for itself.`, {
      field: '/buyCurrency',
    });
  const pair = pairOf(sell, buy);
  if (!book.isSupported(pair))
    throw new Problem('pair_not_supported', `There is no price source for ${pair.code}.`);
  if (!book.settingsOf(pair).enabled) throw new Problem('pair_not_enabled', `${pair.code} is not quoted.`);
  const codes = [pair.base.code, pair.quote.code] as const;
  const tradeDate = tradeDateOf(codes, now, dates);
  const resolved = resolveDate(request, pair, dates, now);
  const estimated = estimatedCurrencies(codes, tradeDate, resolved.valueDate, dates.calendars);
  return { pair, sell, buy, tradeDate, ...resolved, estimatedCurrencies: estimated };
}

function resolveDate(
  request: TradeRequest,
  pair: Pair,
  dates: DateRules,
  now: number,
): { tenor: QuoteTenor; valueDate: string } {
  const codes = [pair.base.code, pair.quote.code] as const;
  const result =
    request.valueDate === undefined
      ? resolveTenor(codes, request.tenor ?? 'spot', now, dates)
      : resolveValueDate(codes, request.valueDate, now, dates);
  if (result.ok) return { tenor: result.tenor, valueDate: result.valueDate };
  const { code, because, reasons, nextValueDate } = result;
  const wanted = request.valueDate === undefined ? (request.tenor ?? 'spot') : `on ${request.valueDate}`;
  const why = because.map(reasonInWords).join(', and ');
  const next = nextValueDate === undefined ? '' : ` Try ${nextValueDate}.`;
  throw new Problem(code, `${pair.code} cannot settle ${wanted}: ${why}.${next}`, {
    field: request.valueDate === undefined ? '/tenor' : '/valueDate',
    members: { reasons, ...(nextValueDate === undefined ? {} : { nextValueDate }) },
  });
}

/** Minor units of the fixed amount. Zero is refused here; what rounds to zero in the other currency, by the pricing. */
export function readAmount(text: string, currency: Currency): bigint {
  const minor = readMinor(text, currency, '/amount');
  if (minor === 0n) throw belowMinimum(currency);
  return minor;
}

/**
 * Minor units of an amount that may be zero.
 * @param pointer of the member that holds it
 * @throws Problem validation_failed, amount_precision_invalid
 */
export function readMinor(text: string, currency: Currency, pointer: string): bigint {
  const parsed = parseAmount(text, currency);
  if (parsed.ok) return parsed.minor;
  if (parsed.error === 'amount_invalid') {
    throw validationProblem([{ pointer, code: 'wrong_format', detail: 'is not an amount' }]);
  }
  const detail = `${currency.code} has ${currency.minorUnits} decimals`;
  throw new Problem('amount_precision_invalid', `${detail}.`, {
    members: {
      decimals: currency.minorUnits,
      errors: [{ pointer, code: 'amount_precision_invalid', detail }],
    },
  });
}

export function belowMinimum(currency: Currency): Problem {
  return new Problem('amount_below_minimum', `The amount rounds to zero in ${currency.code}.`, {
    field: '/amount',
    members: { currency: currency.code, min: formatAmount(1n, currency) },
  });
}

/** Fundable and payable: the house has an account for the sold currency, the customer one for the bought one. */
export function requireSettlementRoute(
  trade: Trade,
  profile: CustomerProfile,
  collection: ReadonlySet<string>,
): void {
  if (!profile.payoutCurrencies.has(trade.buy.code)) {
    throw new Problem('settlement_instructions_missing', `There is no account to pay ${trade.buy.code} to.`, {
      members: { currency: trade.buy.code },
    });
  }
  if (!collection.has(trade.sell.code)) {
    throw new Problem(
      'settlement_instructions_missing',
      `There is no account to receive ${trade.sell.code} on.`,
      {
        members: { currency: trade.sell.code },
      },
    );
  }
}

/** The rate book's price, fresh or not; missing is always a problem. */
export function readPrice(book: RateBook, pair: Pair): { price: BookPrice; ageMs: number; fresh: boolean } {
  const reading = book.read(pair);
  if (reading.status === 'missing') throw priceUnavailable(pair, undefined);
  return { price: reading.price, ageMs: reading.ageMs, fresh: reading.status === 'fresh' };
}

export function priceUnavailable(pair: Pair, lastPriceAt: string | undefined): Problem {
  return new Problem('price_unavailable', `There is no current price for ${pair.code}.`, {
    members: lastPriceAt === undefined ? {} : { lastPriceAt },
    headers: { 'Retry-After': '1' },
  });
}

/**
 * Value of an amount in US dollar cents at the mid, rounded up.
 * @throws Problem price_unavailable
 */
export function usdValue(book: RateBook, currency: Currency, minor: bigint): bigint {
  const value = usdValueAt(book, currency, minor);
  if (value === undefined) throw priceUnavailable(pairOf(currency, US_DOLLAR), undefined);
  return value;
}

/**
 * The first instant that is too late for the money of a trade: the earlier of the sold currency's cut-off on the value date,
 * by which it can arrive, and the bought currency's, by which the payment must leave.
 */
export function fundingCutoff({ sell, buy, valueDate }: Trade, { cutOffs }: DateRules): number {
  return earlierCutOff([sell.code, buy.code], valueDate, cutOffs);
}

/**
 * The instant that a quote must not outlive: the end of its trade date, after which its value date is another tenor's, and
 * the cut-offs of both currencies on the value date.
 */
export function quoteDeadline(trade: Trade, dates: DateRules): number {
  const { pair, tradeDate } = trade;
  const end = tradeDateEndOf([pair.base.code, pair.quote.code], tradeDate, dates);
  return Math.min(end, fundingCutoff(trade, dates));
}
