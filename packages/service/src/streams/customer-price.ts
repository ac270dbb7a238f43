import {
  type Currency,
  type Decimal,
  formatAmount,
  formatDecimal,
  type Pair,
  priceTrade,
  priceTwoWay,
} from '@firmquote/fx';
import type { CustomerProfile } from '../customers/profile.ts';
import type { BookPrice } from '../market/rate-book.ts';
import { dealtCurrency, type PricingPolicy } from '../pricing/policy.ts';
import { defaultValidity, type PricingTerms, pricingTerms, spreadOf } from '../pricing/pricing-terms.ts';
import { Problem } from '../problems/problem.ts';
import type { QuotesRoom } from '../quotes/room.ts';

/** An amount that a price is asked for, of one of the pair's currencies. */
export interface PriceSize {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** With the other currency of the pair, as it is dealt. */
interface DealtSize extends PriceSize {
  readonly other: Currency;
}

/** What prices of customers are made from. */
export type PriceTermsRoom = Pick<QuotesRoom, 'clock' | 'customers' | 'market' | 'pricing'>;

/**
 * What makes one customer's price of a pair differ from another's. Customers with equal keys share one price, which is
 * computed and written once for all of them.
 */
export interface PriceTerms {
  readonly key: string;
  /** The whole spread; undefined while there is no price for this customer: `refusal` says why. */
  readonly spreadBps: Decimal | undefined;
  /** What a quote would be refused with. */
  readonly refusal: Problem | 'halt' | undefined;
  /** Whether the spread is told. */
  readonly shown: boolean;
  readonly size: DealtSize | undefined;
  readonly rounding: CustomerProfile['settings']['amountRounding'];
}

/**
 * The terms that hold for a customer at this moment, for `spot` and the validity of a quote that names none; at once
 * when customer, rules and settings are in memory, which is the rule.
 */
export function priceTerms(
  room: PriceTermsRoom,
  customerId: string,
  pair: Pair,
  size: PriceSize | undefined,
): PriceTerms | Promise<PriceTerms> {
  const terms = pricingTerms(room, customerId, pair.code);
  return terms instanceof Promise
    ? terms.then((loaded) => termsOf(room, loaded, pair, size))
    : termsOf(room, terms, pair, size);
}

function termsOf(
  room: PriceTermsRoom,
  terms: PricingTerms,
  pair: Pair,
  size: PriceSize | undefined,
): PriceTerms {
  const { settings, id } = terms.profile;
  const shown = settings.pricingDisclosure !== 'none';
  const rounding = settings.amountRounding;
  let spreadBps: Decimal | undefined;
  // The halt of one customer concerns no other; those of pairs and of everything are the market's (`viewPair`).
  let refusal: PriceTerms['refusal'] = room.market.halts.customers.has(id) ? 'halt' : undefined;
  try {
    const validity = defaultValidity(terms.profile);
    const now = room.clock.now();
    spreadBps = spreadOf(room, terms, { pair, tenor: 'spot' }, size, validity, now).totalBps;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    refusal = error;
  }
  const dealt = size && dealtSize(terms.settings.policy, pair, size);
  const sized =
    dealt === undefined
      ? ''
      : `|${dealt.minor}${dealt.currency.code}|${rounding}|${dealt.other.settlementIncrementMinor}`;
  const spread = spreadBps === undefined ? '' : formatDecimal(spreadBps);
  const key = `${spread}|${refusalCode(refusal) ?? ''}|${shown ? 'shown' : ''}${sized}`;
  return { key, spreadBps, refusal, shown, size: dealt, rounding };
}

function dealtSize(policy: PricingPolicy, { base, quote }: Pair, size: PriceSize): DealtSize {
  const other = size.currency.code === base.code ? quote : base;
  return { ...size, other: dealtCurrency(policy, other) };
}

/** The refusal as the `reason` of a price event. */
export function refusalCode(refusal: PriceTerms['refusal']): string | undefined {
  return refusal instanceof Problem ? refusal.code : refusal;
}

/** Members of a price event that come from the price: bid, ask and mid with the customer's spread inside. */
export function customerPriceJson(
  pair: Pair,
  market: BookPrice,
  spreadBps: Decimal,
  terms: PriceTerms,
): string {
  const { bid, ask, mid } = priceTwoWay(pair, market, spreadBps);
  const spread = terms.shown ? `,"spreadBps":"${formatDecimal(spreadBps)}"` : '';
  const sized = terms.size === undefined ? '' : amountsJson(pair, market, spreadBps, terms, terms.size);
  return `"bid":"${formatDecimal(bid)}","ask":"${formatDecimal(ask)}","mid":"${formatDecimal(mid)}"${spread}${sized}`;
}

/** The other currency's amount when the customer sells the base currency (bid) and when it buys it (ask). */
function amountsJson(
  pair: Pair,
  market: BookPrice,
  spreadBps: Decimal,
  terms: PriceTerms,
  size: DealtSize,
): string {
  const { other } = size;
  const [base, quote] = size.currency.code === pair.base.code ? [pair.base, other] : [other, pair.quote];
  const derived = (side: 'bid' | 'ask'): string => {
    const [sell, buy] = side === 'bid' ? [base, quote] : [quote, base];
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
