import {
  type Currency,
  type Decimal,
  divRound,
  formatAmount,
  formatDecimal,
  formatUnits,
  type Pair,
  type PricedRate,
  powerOfTen,
} from '@firmquote/fx';
import type { PricingDisclosure, SpreadRule } from '../customers/profile.ts';
import { referenceRate } from '../market/ecb-reference.ts';
import type { BookPrice } from '../market/rate-book.ts';
import { isoInstant } from '../platform/clock.ts';

/** `rate` of contract §3 as JSON. The market's own side is part of the make-up of the price, hence by disclosure. */
export function rateJson(
  pair: Pair,
  priced: PricedRate,
  price: BookPrice,
  disclosure: PricingDisclosure,
  ageMs?: number,
): string {
  const market = disclosure !== 'full' ? '' : `,"market":"${formatDecimal(priced.market)}"`;
  const age = ageMs === undefined ? '' : `,"ageMs":${Math.max(0, ageMs)}`;
  return `{"pair":"${pair.code}","baseCurrency":"${pair.base.code}","quoteCurrency":"${pair.quote.code}","side":"${priced.side}","value":"${formatDecimal(priced.rate)}","inverse":"${formatDecimal(priced.inverse)}","mid":"${formatDecimal(priced.mid)}"${market},"asOf":"${isoInstant(price.asOf)}"${age},"source":"${price.source}"}`;
}

/** `pricing` of contract §3 as JSON. `none` keeps amounts and mid and tells nothing of how the price was built. */
export function pricingJson(
  pair: Pair,
  priced: PricedRate,
  rule: SpreadRule,
  markup: { minor: bigint; currency: Currency } | undefined,
  disclosure: PricingDisclosure,
): string {
  const parts: string[] = [];
  const bps = formatDecimal(rule.spreadBps);
  if (disclosure !== 'none') parts.push(`"spreadBps":"${bps}"`);
  if (disclosure === 'full') parts.push(`"components":[{"type":"customer_spread","bps":"${bps}"}]`);
  if (disclosure !== 'none') {
    if (markup !== undefined) {
      parts.push(
        `"markup":{"amount":"${formatAmount(markup.minor, markup.currency)}","currency":"${markup.currency.code}"}`,
      );
    }
    parts.push(`"costVsMidBps":"${formatDecimal(priced.costVsMidBps)}"`);
  }
  parts.push(...referenceJson(pair, priced.rate), '"fees":[]');
  return `{${parts.join(',')}}`;
}

/** Distance of the customer's rate from the last ECB rate, in percent with its sign. */
function referenceJson(pair: Pair, rate: Decimal): string[] {
  const reference = referenceRate(pair);
  if (reference === undefined) return [];
  const scale = Math.max(rate.scale, reference.rate.scale);
  const customer = rate.units * powerOfTen(scale - rate.scale);
  const base = reference.rate.units * powerOfTen(scale - reference.rate.scale);
  const percent = formatUnits(divRound((customer - base) * 10_000n, base, 'half_up'), 2);
  return [
    `"reference":{"provider":"${reference.provider}","rate":"${formatDecimal(reference.rate)}","date":"${reference.date}","differencePercent":"${percent}"}`,
  ];
}

/**
 * What the price was made from, enough to compute both amounts again together with the quote's own columns (rule and
 * version) and its rate (source and time). Kept with the quote, not shown in it.
 */
export function evidenceJson(price: BookPrice, rule: SpreadRule, rounding: string): string {
  const legs = price.legs === undefined ? '' : `,"legs":${legsJson(price.legs)}`;
  return `{"bid":"${formatDecimal(price.bid)}","ask":"${formatDecimal(price.ask)}"${legs},"spreadBps":"${formatDecimal(rule.spreadBps)}","amountRounding":"${rounding}"}`;
}

function legsJson(legs: NonNullable<BookPrice['legs']>): string {
  return JSON.stringify(
    legs.map((leg) => ({
      pair: leg.pair,
      bid: formatDecimal(leg.bid),
      ask: formatDecimal(leg.ask),
      asOf: isoInstant(leg.at),
      source: leg.source,
    })),
  );
}
