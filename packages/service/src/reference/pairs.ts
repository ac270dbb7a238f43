import type { QueryOf } from '@firmquote/api/operation';
import type * as api from '@firmquote/api/operations/reference';
import {
  CURRENCIES,
  type Currency,
  currencyStatus,
  type DateRules,
  formatAmount,
  formatUnits,
  formatUsd,
  type Pair,
  pairOf,
  resolveTenor,
  spotLagDays,
  type Tenor,
  tradeDateAt,
  tradeDateOf,
  type ValueDateResult,
} from '@firmquote/fx';
import { covers } from '../calendars/range.ts';
import type { CustomerProfile } from '../customers/profile.ts';
import type { PriceReading, RateBook } from '../market/rate-book.ts';
import type { AmountBounds } from '../pricing/amount-limits.ts';
import { dealtCurrency } from '../pricing/policy.ts';
import type { SpreadRule } from '../pricing/spread-book.ts';
import type { SwapPointDesk } from '../swap-points/desk.ts';
import { POINTS_MISSING } from '../swap-points/outright.ts';
import { pairStatus } from './market-status.ts';
import type { ReferenceRoom } from './room.ts';

/** What a customer may trade of one page of pairs. */
interface Rights {
  readonly profile: CustomerProfile;
  readonly collection: ReadonlySet<string>;
}

/**
 * Pairs that have a price, of their own or as a cross, by code, filtered by `pair` or `currency`.
 * @param after code that the page begins after
 */
export async function listPairs(
  room: ReferenceRoom,
  customerId: string,
  { pair: wanted, currency }: QueryOf<typeof api.listPairs>,
  after: string | undefined,
  rowsMax: number,
): Promise<api.PairReference[]> {
  const { clock, market, customers, dates } = room;
  const now = clock.now();
  const pairs = supportedPairs(market.book, dates.current, tradeDateAt(now)).filter(
    ({ code, base, quote }) =>
      (wanted === undefined || wanted.includes(code)) &&
      (currency === undefined || base.code === currency || quote.code === currency) &&
      (after === undefined || code > after),
  );
  const rights = {
    profile: await customers.profile(customerId),
    collection: await customers.collectionCurrencies(),
  };
  const views: api.PairReference[] = [];
  for (const pair of pairs.slice(0, rowsMax)) views.push(await pairView(room, pair, rights, now));
  return views;
}

/** Sorted by code. Looked up anew each time: a pair joins with its first price, and with its second calendar. */
function supportedPairs(book: RateBook, { calendars }: DateRules, today: string): Pair[] {
  const tradable = CURRENCIES.filter(
    ({ code }) => currencyStatus(code, today) === 'tradable' && covers(calendars.range(code), today),
  );
  return tradable
    .flatMap((a, index) => tradable.slice(index + 1).map((b) => pairOf(a, b)))
    .filter((pair) => book.isSupported(pair))
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

async function pairView(
  { market, dates, pricing, swapPoints }: ReferenceRoom,
  pair: Pair,
  { profile, collection }: Rights,
  now: number,
): Promise<api.PairReference> {
  const { code, base, quote, decimals, pipDecimals } = pair;
  const { rules } = await pricing.spreadRules(profile, code);
  const { policy, amountLimits } = await pricing.settings();
  const leastOf = (currency: Currency) =>
    formatAmount(dealtCurrency(policy, currency).settlementIncrementMinor, currency);
  const isPriced = rules.some((rule) => isInForce(rule, now));
  const direction = (sell: string, buy: string): api.PairDirection => {
    const reasons: api.PairDirection['reasons'] = [
      ...(isPriced ? [] : [{ code: 'pricing_not_configured' as const, currency: null }]),
      ...(collection.has(sell) ? [] : [{ code: 'settlement_instructions_missing' as const, currency: sell }]),
      ...(profile.payoutCurrencies.has(buy)
        ? []
        : [{ code: 'settlement_instructions_missing' as const, currency: buy }]),
    ];
    return { sellCurrency: sell, buyCurrency: buy, permitted: reasons.length === 0, reasons };
  };
  return {
    pair: code,
    baseCurrency: base.code,
    quoteCurrency: quote.code,
    decimals,
    pipDecimals,
    pip: formatUnits(1n, pipDecimals),
    price: isCross(market.book.read(pair)) ? 'cross' : 'direct',
    spotLagDays: spotLagDays([base.code, quote.code]),
    tenors: tenorsOf(swapPoints, pair, dates.current, now),
    directions: [direction(base.code, quote.code), direction(quote.code, base.code)],
    minAmounts: { [base.code]: leastOf(base), [quote.code]: leastOf(quote) },
    ...tradeValues(amountLimits.boundsFor(profile, code), profile),
    market: pairStatus(market, pair, profile.id),
  };
}

function isCross(reading: PriceReading): boolean {
  return reading.status !== 'missing' && reading.price.legs !== undefined;
}

function isInForce({ validFrom, validTo }: SpreadRule, now: number): boolean {
  return (validFrom === undefined || now >= validFrom) && (validTo === undefined || now < validTo);
}

/** The customer's own limit of one trade and the pair's, whichever is reached first. */
function tradeValues({ minUsdMinor, maxUsdMinor }: AmountBounds, { limits }: CustomerProfile) {
  const usd = (minor: bigint) => ({ amount: formatUsd(minor), currency: 'USD' });
  const own = limits.tradeUsdMinor;
  return {
    minTradeValue: minUsdMinor === undefined ? null : usd(minUsdMinor),
    maxTradeValue: usd(maxUsdMinor !== undefined && maxUsdMinor < own ? maxUsdMinor : own),
  };
}

function tenorsOf(
  swapPoints: SwapPointDesk,
  pair: Pair,
  dates: DateRules,
  now: number,
): api.PairReference['tenors'] {
  const codes = [pair.base.code, pair.quote.code] as const;
  const tenor = (name: Tenor) => {
    const result = resolveTenor(codes, name, now, dates);
    if (!result.ok || name === 'spot') return tenorView(result);
    const way = swapPoints.way(pair, tradeDateOf(codes, now, dates), result.valueDate, dates, now);
    if (way.missing === undefined) return tenorView(result);
    return { available: false, valueDate: null, reasons: [POINTS_MISSING] };
  };
  return { today: tenor('today'), tom: tenor('tom'), spot: tenor('spot') };
}

function tenorView(result: ValueDateResult): api.PairReference['tenors']['spot'] {
  return result.ok
    ? { available: true, valueDate: result.valueDate, reasons: [] }
    : { available: false, valueDate: null, reasons: result.reasons };
}
