import {
  type AmountRounding,
  type Currency,
  type Decimal,
  formatAmount,
  formatDecimal,
  type Pair,
  type PricedRate,
} from '@firmquote/fx';
import type { PricingDisclosure } from '../customers/profile.ts';
import type { BookPrice } from '../market/rate-book.ts';
import type { ReferenceRate } from '../market/reference-rates.ts';
import { isoInstant } from '../platform/clock.ts';
import type { ResolvedSpread } from '../pricing/resolve-spread.ts';
import { keptMarket, keptSpread, percentText, referenceText, type SharedPart } from './kept-parts.ts';

/**
 * What is the same for every customer with one spread on one side of one price, as JSON in pieces between which goes what
 * is not: the age of the price in `rate`, the markup in `pricing`.
 */
interface PriceTexts {
  readonly disclosure: PricingDisclosure;
  readonly referenceDate: string | undefined;
  readonly rateStart: string;
  readonly rateEnd: string;
  readonly pricingStart: string;
  readonly pricingEnd: string;
  /** As firm quotes keep it, for each of what they have besides. */
  readonly kept: KeptFor[];
}

/** What all firm quotes of one price at one spread have in common. Their rows name `market` and `spread`, and have `figures`. */
export interface PriceSnapshot {
  readonly market: SharedPart;
  readonly spread: SharedPart & { readonly ruleId: string; readonly ruleVersion: number };
  /** Columns of `quotes`, comma-separated: rate, inverse, costVsMidBps, differencePercent; the last two may be empty. */
  readonly figures: string;
  /** As a quote states them, JSON. The amount of its markup goes between the two parts of `pricing`, where one is shown. */
  readonly rate: string;
  readonly pricing: string;
  readonly pricingEnd: string | null;
  readonly evidence: string;
}

interface KeptFor {
  readonly currency: Currency;
  readonly policyVersion: number;
  readonly rounding: AmountRounding;
  readonly estimated: string;
  readonly price: PriceSnapshot;
}

/** The rate of one side of a price at one spread. Requests with the same object share its texts. */
export interface CustomerRate {
  readonly priced: PricedRate;
  /** Hardly ever more than one. */
  readonly texts: PriceTexts[];
}

/** A price as it is shown to a customer. */
export interface ShownPrice {
  readonly pair: Pair;
  /** Of this price and spread. */
  readonly rate: CustomerRate;
  readonly price: BookPrice;
  readonly spread: ResolvedSpread;
  readonly disclosure: PricingDisclosure;
  /** What the customer's rate is compared with, undefined when there is nothing. */
  readonly reference: ReferenceRate | undefined;
}

const ESTIMATED_START = '"estimatedCurrencies":[';

/** The member of `settlement`, and of what is kept, that names currencies whose days are estimates; nothing without any. */
export function estimatedJson(currencies: readonly string[]): string {
  return currencies.length === 0 ? '' : `${ESTIMATED_START}"${currencies.join('","')}"]`;
}

/** The same member out of what a quote keeps, where it stands first: found without reading all of it. */
export function keptEstimatedJson(evidence: string): string {
  return evidence.startsWith(ESTIMATED_START, 1) ? evidence.slice(1, evidence.indexOf(']') + 1) : '';
}

function priceTexts({ pair, rate, price, spread, disclosure, reference }: ShownPrice): PriceTexts {
  // A frozen price outlives the day of a reference.
  for (const texts of rate.texts) {
    if (texts.disclosure === disclosure && texts.referenceDate === reference?.date) return texts;
  }
  const { priced } = rate;
  const texts: PriceTexts = {
    disclosure,
    referenceDate: reference?.date,
    ...rateTexts(pair, priced, price, disclosure),
    ...pricingTexts(priced, spread, disclosure, reference),
    kept: [],
  };
  rate.texts.push(texts);
  return texts;
}

/** The market's own side, and who gave it, are part of the make-up of the price, hence by disclosure. */
function rateTexts(pair: Pair, priced: PricedRate, price: BookPrice, disclosure: PricingDisclosure) {
  const market = disclosure !== 'full' ? '' : `,"market":"${formatDecimal(priced.market)}"`;
  return {
    rateStart: `{"pair":"${pair.code}","baseCurrency":"${pair.base.code}","quoteCurrency":"${pair.quote.code}","side":"${priced.side}","value":"${formatDecimal(priced.rate)}","inverse":"${formatDecimal(priced.inverse)}","mid":"${formatDecimal(priced.mid)}"${market},"asOf":"${isoInstant(price.asOf)}"`,
    rateEnd: disclosure === 'full' ? `,"source":"${price.source}"}` : '}',
  };
}

/** `none` keeps amounts and mid and says nothing of how the price was built. */
function pricingTexts(
  priced: PricedRate,
  spread: ResolvedSpread,
  disclosure: PricingDisclosure,
  reference: ReferenceRate | undefined,
) {
  const bps = formatDecimal(spread.totalBps);
  const end = [...referenceJson(reference, priced.rate), '"fees":[]'];
  if (disclosure === 'none') return { pricingStart: '{', pricingEnd: `${end.join(',')}}` };
  const components = disclosure === 'full' ? `"components":${spread.componentsJson},` : '';
  return {
    pricingStart: `{"spreadBps":"${bps}",${components}`,
    pricingEnd: `"costVsMidBps":"${formatDecimal(priced.costVsMidBps)}",${end.join(',')}}`,
  };
}

export interface PriceJson {
  /** `rate` of a quote. */
  readonly rate: string;
  /** `pricing` of a quote. */
  readonly pricing: string;
}

interface Markup {
  readonly minor: bigint;
  readonly currency: Currency;
}

/** @param ageMs shown in indicative prices only */
export function priceJson(shown: ShownPrice, markup: Markup | undefined, ageMs?: number): PriceJson {
  const { rateStart, rateEnd, pricingStart, pricingEnd } = priceTexts(shown);
  const age = ageMs === undefined ? '' : `,"ageMs":${Math.max(0, ageMs)}`;
  const earned =
    markup === undefined || shown.disclosure === 'none'
      ? ''
      : `${MARKUP_START}${formatAmount(markup.minor, markup.currency)}${markupEnd(markup.currency)}`;
  return { rate: `${rateStart}${age}${rateEnd}`, pricing: `${pricingStart}${earned}${pricingEnd}` };
}

const MARKUP_START = '"markup":{"amount":"';
const markupEnd = ({ code }: Currency): string => `","currency":"${code}"},`;

/** What quotes of one rate may differ in and still keep one price. */
interface KeptWith {
  /** Of the markup. */
  readonly currency: Currency;
  /** Version of the pricing policy that premiums and hours are from. */
  readonly policyVersion: number;
  readonly rounding: AmountRounding;
  /** Whose days are estimates up to the value date. */
  readonly estimatedCurrencies: readonly string[];
}

/** What a firm quote keeps together with others of its price; the same object for all of them. */
export function priceSnapshot(
  shown: ShownPrice,
  { currency, policyVersion, rounding, estimatedCurrencies }: KeptWith,
  now: number,
): PriceSnapshot {
  const estimated = estimatedJson(estimatedCurrencies);
  const { rateStart, rateEnd, pricingStart, pricingEnd, kept } = priceTexts(shown);
  const { pair, rate, spread, disclosure, reference } = shown;
  const { priced } = rate;
  const market = keptMarket(shown, now);
  // All are of one price on one side, hence of one part of the market's.
  if (kept[0] !== undefined && kept[0].price.market !== market) kept.length = 0;
  for (const each of kept) {
    const isOfPolicy = each.policyVersion === policyVersion && each.rounding === rounding;
    if (isOfPolicy && each.currency === currency && each.estimated === estimated) return each.price;
  }
  const isShown = disclosure !== 'none';
  const charged = keptSpread(spread, { disclosure, currency, policyVersion, rounding, pair, estimated });
  const cost = isShown ? formatDecimal(priced.costVsMidBps) : '';
  const made: PriceSnapshot = {
    market,
    spread: charged,
    figures: `${formatDecimal(priced.rate)},${formatDecimal(priced.inverse)},${cost},${percentText(reference, priced.rate) ?? ''}`,
    rate: `${rateStart}${rateEnd}`,
    pricing: isShown ? `${pricingStart}${MARKUP_START}` : `${pricingStart}${pricingEnd}`,
    pricingEnd: isShown ? `${markupEnd(currency)}${pricingEnd}` : null,
    evidence: `{${estimated}${estimated === '' ? '' : ','}${market.evidence},${charged.evidence}}`,
  };
  kept.push({ currency, policyVersion, rounding, estimated, price: made });
  return made;
}

/** `pricing` of a quote that keeps this price; `shown_pricing` in the database says the same. */
export function pricingOf({ pricing, pricingEnd }: PriceSnapshot, { minor, currency }: Markup): string {
  return pricingEnd === null ? pricing : `${pricing}${formatAmount(minor, currency)}${pricingEnd}`;
}

/** Distance of the customer's rate from the last ECB rate, in percent with its sign. */
function referenceJson(reference: ReferenceRate | undefined, rate: Decimal): string[] {
  if (reference === undefined) return [];
  return [`"reference":{${referenceText(reference)},"differencePercent":"${percentText(reference, rate)}"}`];
}
