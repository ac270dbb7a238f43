import {
  type Currency,
  type Decimal,
  formatAmount,
  formatDecimal,
  type Pair,
  priceTrade,
  priceTwoWay,
} from '@firmquote/fx';
import type { CustomerDirectory, CustomerProfile, SpreadRule } from '../customers/profile.ts';
import type { BookPrice } from '../market/rate-book.ts';

/** An amount that a price is asked for, of one of the pair's currencies. */
export interface PriceSize {
  readonly minor: bigint;
  readonly currency: Currency;
}

/**
 * What makes one customer's price of a pair differ from another's. Customers with equal keys share one price, which is
 * computed and written once for all of them.
 */
export interface PriceTerms {
  readonly key: string;
  /** Undefined while no spread rule applies: there is no price then. */
  readonly rule: SpreadRule | undefined;
  /** Whether the spread is told. */
  readonly shown: boolean;
  readonly size: PriceSize | undefined;
  readonly rounding: CustomerProfile['settings']['amountRounding'];
}

/** The terms that hold for a customer at a business instant; at once when the rules are known, which is the rule. */
export function priceTerms(
  customers: CustomerDirectory,
  profile: CustomerProfile,
  pair: Pair,
  size: PriceSize | undefined,
  now: number,
): PriceTerms | Promise<PriceTerms> {
  const rule = customers.spreadRule(profile, pair.code, now);
  return rule instanceof Promise
    ? rule.then((found) => termsOf(profile, found, size))
    : termsOf(profile, rule, size);
}

function termsOf(
  { settings }: CustomerProfile,
  rule: SpreadRule | undefined,
  size: PriceSize | undefined,
): PriceTerms {
  const shown = settings.pricingDisclosure !== 'none';
  const rounding = settings.amountRounding;
  const sized = size === undefined ? '' : `|${size.minor}${size.currency.code}|${rounding}`;
  const key = `${rule === undefined ? '' : `${rule.id}/${rule.version}`}|${shown ? 'shown' : ''}${sized}`;
  return { key, rule, shown, size, rounding };
}

/** Members of a price event that come from the price: bid, ask and mid with the customer's spread inside. */
export function customerPriceJson(
  pair: Pair,
  market: BookPrice,
  rule: SpreadRule,
  terms: PriceTerms,
): string {
  const { bid, ask, mid } = priceTwoWay(pair, market, rule.spreadBps);
  const spread = terms.shown ? `,"spreadBps":"${formatDecimal(rule.spreadBps)}"` : '';
  const sized = terms.size === undefined ? '' : amountsJson(pair, market, rule.spreadBps, terms, terms.size);
  return `"bid":"${formatDecimal(bid)}","ask":"${formatDecimal(ask)}","mid":"${formatDecimal(mid)}"${spread}${sized}`;
}

/** The other currency's amount when the customer sells the base currency (bid) and when it buys it (ask). */
function amountsJson(
  pair: Pair,
  market: BookPrice,
  spreadBps: Decimal,
  terms: PriceTerms,
  size: PriceSize,
): string {
  const isBase = size.currency.code === pair.base.code;
  const other = isBase ? pair.quote : pair.base;
  const derived = (side: 'bid' | 'ask'): string => {
    const [sell, buy] = side === 'bid' ? [pair.base, pair.quote] : [pair.quote, pair.base];
    const fixedSide = sell.code === size.currency.code ? 'sell' : 'buy';
    const priced = priceTrade({
      pair,
      sell,
      buy,
      market,
      spreadBps,
      amountRounding: terms.rounding,
      fixedSide,
      amountMinor: size.minor,
    });
    if (!priced.ok) return 'null';
    return `"${formatAmount(fixedSide === 'sell' ? priced.buyMinor : priced.sellMinor, other)}"`;
  };
  const amount = formatAmount(size.minor, size.currency);
  return `,"amount":"${amount}","amountCurrency":"${size.currency.code}","bidAmount":${derived('bid')},"askAmount":${derived('ask')}`;
}
