import {
  type AmountRounding,
  type Currency,
  type Decimal,
  formatAmount,
  formatDecimal,
  type Pair,
  type PricedRate,
  referenceDifference,
} from '@firmquote/fx';
import type { PricingDisclosure } from '../customers/profile.ts';
import type { BookPrice, PriceOrigin } from '../market/rate-book.ts';
import type { ReferenceRate } from '../market/reference-rates.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import { isOutright } from '../swap-points/outright.ts';
import type { ResolvedSpread } from './spread.ts';

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

/**
 * What all firm quotes of one price at one spread have in common, as it is kept once for them: a row of `quote_prices`.
 * The amount of a quote's markup goes between the two parts of `pricing`, where one is shown.
 */
export interface KeptPrice {
  readonly id: string;
  readonly spreadRuleId: string;
  readonly spreadRuleVersion: number;
  readonly rate: string;
  readonly pricing: string;
  readonly pricingEnd: string | null;
  /** One minor unit in whole units with all decimals, `0.01`. */
  readonly markupUnit: string | null;
  readonly evidence: string;
}

/**
 * How long quotes share a price that stands still. `forget_prices` counts on it: what is this much older than a quote is not
 * named by it.
 */
const PRICE_SHARED_MS = 3_600_000; // limit: Time in which quotes of one price keep it once

interface KeptFor {
  readonly madeAt: number;
  readonly currency: Currency;
  readonly policyVersion: number;
  readonly rounding: AmountRounding;
  readonly estimated: string;
  readonly price: KeptPrice;
}

/** A price as it is shown to a customer. */
interface ShownPrice {
  readonly pair: Pair;
  /** Of this price and spread, in which requests with one object share their texts. */
  readonly priced: PricedRate;
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

/** Gone with the rate, and that with its price. Hardly ever more than one of a rate, so that a list is fastest. */
const textsOf = new WeakMap<PricedRate, PriceTexts[]>();

function priceTexts(shown: ShownPrice): PriceTexts {
  const { pair, priced, price, spread, disclosure, reference } = shown;
  let known = textsOf.get(priced);
  if (known === undefined) {
    known = [];
    textsOf.set(priced, known);
  }
  // A frozen price outlives the day of a reference.
  for (const texts of known) {
    if (texts.disclosure === disclosure && texts.referenceDate === reference?.date) return texts;
  }
  const texts: PriceTexts = {
    disclosure,
    referenceDate: reference?.date,
    ...rateTexts(pair, priced, price, disclosure),
    ...pricingTexts(priced, spread, disclosure, reference),
    kept: [],
  };
  known.push(texts);
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

/** `none` keeps amounts and mid and tells nothing of how the price was built. */
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
export function keptPrice(
  shown: ShownPrice,
  { currency, policyVersion, rounding, estimatedCurrencies }: KeptWith,
  now: number,
): KeptPrice {
  const estimated = estimatedJson(estimatedCurrencies);
  const { rateStart, rateEnd, pricingStart, pricingEnd, kept } = priceTexts(shown);
  const first = kept[0];
  // They were made in order, so where the first one is fresh all are. A clock that is moved may have gone back.
  if (first !== undefined && Math.abs(now - first.madeAt) >= PRICE_SHARED_MS) kept.length = 0;
  for (const each of kept) {
    const isOfPolicy = each.policyVersion === policyVersion && each.rounding === rounding;
    if (isOfPolicy && each.currency === currency && each.estimated === estimated) return each.price;
  }
  const { pair, price, spread, disclosure } = shown;
  const isShown = disclosure !== 'none';
  const made: KeptPrice = {
    id: newUuid(now),
    spreadRuleId: spread.rule.id,
    spreadRuleVersion: spread.rule.version,
    rate: `${rateStart}${rateEnd}`,
    pricing: isShown ? `${pricingStart}${MARKUP_START}` : `${pricingStart}${pricingEnd}`,
    pricingEnd: isShown ? `${markupEnd(currency)}${pricingEnd}` : null,
    markupUnit: isShown ? formatAmount(1n, currency) : null,
    evidence: evidenceJson(pair, price, spread, policyVersion, rounding, estimated),
  };
  kept.push({ madeAt: now, currency, policyVersion, rounding, estimated, price: made });
  return made;
}

/** `pricing` of a quote that keeps this price; `quote_pricing` in the database says the same. */
export function pricingOf({ pricing, pricingEnd }: KeptPrice, { minor, currency }: Markup): string {
  return pricingEnd === null ? pricing : `${pricing}${formatAmount(minor, currency)}${pricingEnd}`;
}

/** Distance of the customer's rate from the last ECB rate, in percent with its sign. */
function referenceJson(reference: ReferenceRate | undefined, rate: Decimal): string[] {
  if (reference === undefined) return [];
  const percent = formatDecimal(referenceDifference(rate, reference.rate));
  return [
    `"reference":{"provider":"${reference.provider}","rate":"${formatDecimal(reference.rate)}","date":"${reference.date}","differencePercent":"${percent}"}`,
  ];
}

/**
 * What the price was made from, enough to compute every number of the quote again together with the quote's own columns
 * (`evidence.ts`), also when a pair has got other decimals since. `spreadBps` is the sum of the components, which hold
 * what the bounds of the rule changed. Kept, not shown.
 */
function evidenceJson(
  pair: Pair,
  price: BookPrice,
  spread: ResolvedSpread,
  policyVersion: number,
  rounding: string,
  estimated: string,
): string {
  const spot = isOutright(price) ? price.spot : price;
  const once = spot.exact === undefined ? '' : ',"crossRounding":"once"';
  const legs = spot.legs === undefined ? '' : `,"legs":${legsJson(spot.legs)}${once}`;
  return `{${estimated}${estimated === '' ? '' : ','}"bid":"${formatDecimal(spot.bid)}","ask":"${formatDecimal(spot.ask)}"${legs}${originsJson(spot)}${acceptedJson(spot)}${pointsJson(pair, price)},"spreadBps":"${formatDecimal(spread.totalBps)}","components":${spread.componentsJson},"pricingPolicyVersion":${policyVersion},"amountRounding":"${rounding}","rateDecimals":${pair.decimals}}`;
}

/** What leads from the spot price to the one for the value date. */
function pointsJson({ pipDecimals }: Pair, price: BookPrice): string {
  if (!isOutright(price)) return '';
  const { swapPoints, swapPointPolicyVersion } = price;
  return `,"swapPoints":${JSON.stringify(swapPoints)},"pipDecimals":${pipDecimals},"swapPointPolicyVersion":${swapPointPolicyVersion}`;
}

/** The operator's word that the price was believed on. */
function acceptedJson({ acceptedPrice }: BookPrice): string {
  return acceptedPrice === undefined ? '' : `,"acceptedPrice":${acceptedPrice}`;
}

function legsJson(legs: NonNullable<BookPrice['legs']>): string {
  return JSON.stringify(
    legs.map((leg) => ({
      pair: leg.pair,
      bid: formatDecimal(leg.bid),
      ask: formatDecimal(leg.ask),
      asOf: isoInstant(leg.at),
      source: leg.source,
      bidFrom: originOf(leg.bidFrom),
      askFrom: originOf(leg.askFrom),
      acceptedPrice: leg.acceptedPrice,
    })),
  );
}

/** Which source each side came from and when; of a cross, the legs say it. */
function originsJson({ bidFrom, askFrom }: BookPrice): string {
  if (bidFrom === undefined || askFrom === undefined) return '';
  return `,"bidFrom":${JSON.stringify(originOf(bidFrom))},"askFrom":${JSON.stringify(originOf(askFrom))}`;
}

function originOf({ source, at }: PriceOrigin): { source: string; asOf: string } {
  return { source, asOf: isoInstant(at) };
}
