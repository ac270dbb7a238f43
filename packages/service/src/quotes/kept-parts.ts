import { hash } from 'node:crypto';
import {
  type AmountRounding,
  type Currency,
  type Decimal,
  formatAmount,
  formatDecimal,
  type Pair,
  referenceDifference,
} from '@firmquote/fx';
import type { PricingDisclosure } from '../customers/profile.ts';
import type { BookPrice, PriceOrigin } from '../market/rate-book.ts';
import type { ReferenceRate } from '../market/reference-rates.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';
import type { ResolvedSpread } from '../pricing/resolve-spread.ts';
import { isOutright } from '../swap-points/outright.ts';
import type { ShownPrice } from './price-text.ts';

/**
 * What a firm quote was made from, in the two parts in which it is kept: the market's, one for all customers as long as a price
 * lasts, and the customer's, one as long as the spread does. `price_of_quote` in the database puts them together again.
 */

/** A row that quotes share; the same object for all of them. */
export interface SharedPart {
  /** UUID. */
  readonly id: string;
  /** The row of `market_prices` or `quote_spreads`, JSON. */
  readonly row: string;
  /** Its members of the evidence, JSON without the braces. */
  readonly evidence: string;
}

/**
 * How long quotes share a price that stands still. `forget_prices` counts on it: what is this much older than a quote is not
 * named by it.
 */
const PRICE_SHARED_MS = 3_600_000; // limit: Time in which quotes of one price keep it once

interface MarketPart extends SharedPart {
  readonly madeAt: number;
  readonly side: string;
  readonly referenceDate: string | undefined;
}

/** Gone with the price. Hardly ever more than one of each side. */
const marketsOf = new WeakMap<BookPrice, MarketPart[]>();

/** The market's part of a price on one side, with what it is compared with. */
export function keptMarket(
  { pair, rate: { priced }, price, reference }: Pick<ShownPrice, 'pair' | 'rate' | 'price' | 'reference'>,
  now: number,
): SharedPart {
  let known = marketsOf.get(price);
  if (known === undefined) {
    known = [];
    marketsOf.set(price, known);
  }
  const { side } = priced;
  // They were made in order, so where the first one is fresh all are. A clock that is moved may have gone back.
  if (known[0] !== undefined && Math.abs(now - known[0].madeAt) >= PRICE_SHARED_MS) known.length = 0;
  for (const part of known) if (part.side === side && part.referenceDate === reference?.date) return part;
  const id = newUuid(now);
  const evidence = marketEvidence(pair, price);
  const compared = reference === undefined ? 'null' : `{${referenceText(reference)}}`;
  const row = `{"id":"${id}","pair":"${pair.code}","side":"${side}","mid":"${formatDecimal(priced.mid)}","market":"${formatDecimal(priced.market)}","as_of":"${isoInstant(price.asOf)}","source":"${price.source}","reference":${compared},"evidence":{${evidence}}}`;
  const part = { id, row, evidence, madeAt: now, side, referenceDate: reference?.date };
  known.push(part);
  return part;
}

/** `reference` of a quote without what the quote's own rate makes of it. */
export function referenceText({ provider, rate, date }: ReferenceRate): string {
  return `"provider":"${provider}","rate":"${formatDecimal(rate)}","date":"${date}"`;
}

/** Distance of a rate from the reference in percent, with its sign; undefined where there is none. */
export function percentText(reference: ReferenceRate | undefined, rate: Decimal): string | undefined {
  return reference && formatDecimal(referenceDifference(rate, reference.rate));
}

/** What quotes of one spread may differ in and still keep it once. */
interface ChargedWith {
  readonly disclosure: PricingDisclosure;
  /** Of the markup. */
  readonly currency: Currency;
  /** Version of the pricing policy that premiums and hours are from. */
  readonly policyVersion: number;
  readonly rounding: AmountRounding;
  readonly pair: Pair;
  /** The member `estimatedCurrencies`, or nothing. */
  readonly estimated: string;
}

interface SpreadPart extends SharedPart {
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly charged: ChargedWith;
}

/** Gone with the rule. Hardly ever more than one, so that a list is fastest. */
const spreadsOf = new WeakMap<ResolvedSpread, SpreadPart[]>();

function isSame(a: ChargedWith, b: ChargedWith): boolean {
  return (
    a.disclosure === b.disclosure &&
    a.currency === b.currency &&
    a.rounding === b.rounding &&
    a.pair.decimals === b.pair.decimals &&
    a.estimated === b.estimated
  );
}

/** The customer's part. Its id is what it comes to, so that it is one row for all instances, and after a restart. */
export function keptSpread(spread: ResolvedSpread, charged: ChargedWith): SpreadPart {
  let known = spreadsOf.get(spread);
  // Of a policy that was replaced no quote is made any more.
  if (known?.[0]?.charged.policyVersion !== charged.policyVersion) {
    known = [];
    spreadsOf.set(spread, known);
  }
  for (const part of known) if (isSame(part.charged, charged)) return part;
  const part = spreadPart(spread, charged);
  known.push(part);
  return part;
}

function spreadPart({ rule, totalBps, componentsJson }: ResolvedSpread, charged: ChargedWith): SpreadPart {
  const { disclosure, currency, policyVersion, rounding, pair, estimated } = charged;
  const { id: ruleId, version: ruleVersion } = rule;
  const bps = formatDecimal(totalBps);
  // Left out where it is a minor unit, as it is of nearly all, so that the id stays what it was.
  const minor = currency.settlementIncrementMinor;
  const increment = minor === 1n ? undefined : formatAmount(minor, currency);
  const ofRow = increment === undefined ? '' : `,"settlement_increment":"${increment}"`;
  const ofEvidence = increment === undefined ? '' : `,"settlementIncrement":"${increment}"`;
  const text = `"spread_rule_id":"${ruleId}","spread_rule_version":${ruleVersion},"disclosure":"${disclosure}","spread_bps":"${bps}","components":${componentsJson},"markup_currency":"${currency.code}","markup_unit":${formatAmount(1n, currency)},"pricing_policy_version":${policyVersion},"amount_rounding":"${rounding}","rate_decimals":${pair.decimals},"estimated_currencies":${estimated === '' ? 'null' : estimated.slice(estimated.indexOf('['))}${ofRow}`;
  const id = hash('sha256', text, 'hex').slice(0, 32);
  const evidence = `"spreadBps":"${bps}","components":${componentsJson},"pricingPolicyVersion":${policyVersion},"amountRounding":"${rounding}","rateDecimals":${pair.decimals}${ofEvidence}`;
  return { id, row: `{"id":"${id}",${text}}`, evidence, ruleId, ruleVersion, charged };
}

/**
 * What the market gave for a price, enough to compute every number of the quote again together with the customer's part and the
 * quote's own columns (`evidence.ts`), also when a pair has got other decimals since. Kept, not shown.
 */
function marketEvidence(pair: Pair, price: BookPrice): string {
  const spot = isOutright(price) ? price.spot : price;
  const once = spot.exact === undefined ? '' : ',"crossRounding":"once"';
  const legs = spot.legs === undefined ? '' : `,"legs":${legsJson(spot.legs)}${once}`;
  return `"bid":"${formatDecimal(spot.bid)}","ask":"${formatDecimal(spot.ask)}"${legs}${originsJson(spot)}${acceptedJson(spot)}${pointsJson(pair, price)}`;
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
