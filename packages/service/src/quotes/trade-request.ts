import {
  type Currency,
  type DateRules,
  earlierCutOff,
  estimatedCurrencies,
  type FixedSide,
  type Pair,
  pairOf,
  reasonInWords,
  resolveTenor,
  resolveValueDate,
  type Tenor,
  tradeDateAt,
  tradeDateEndOf,
  tradeDateOf,
} from '@firmquote/fx';
import type { CustomerProfile } from '../customers/profile.ts';
import { requireTradable } from '../http/market-codes.ts';
import { notWith } from '../http/sentences.ts';
import type { RateBook } from '../market/rate-book.ts';
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
