import {
  type AmountRounding,
  formatAmount,
  knownCurrency,
  parseDecimal,
  type QuoteEvidence,
  type QuoteNumbers,
} from '@firmquote/fx';
import type { KeptPoints } from '../swap-points/outright.ts';
import type { QuoteRecord } from './record.ts';

/** `rate` of a quote as it was shown (docs/interface.md#quotes). */
interface ShownRate {
  readonly pair: string;
  readonly side: 'bid' | 'ask';
  readonly value: string;
  readonly inverse: string;
  readonly mid: string;
  readonly market?: string;
  readonly asOf: string;
  readonly source?: string;
}

/** `pricing` of a quote as it was shown; what is not there was not disclosed. */
export interface ShownPricing {
  readonly spreadBps?: string;
  readonly components?: unknown;
  readonly costVsMidBps?: string;
  readonly reference?: {
    readonly provider: string;
    readonly rate: string;
    readonly date: string;
    readonly differencePercent: string;
  };
}

interface KeptOrigin {
  readonly source: string;
  readonly asOf: string;
}

/** What `evidenceJson` writes. Optional members are younger than some quotes, or not there for every price. */
export interface KeptEvidence {
  readonly estimatedCurrencies?: readonly string[];
  readonly bid?: string;
  readonly ask?: string;
  readonly bidFrom?: KeptOrigin;
  readonly askFrom?: KeptOrigin;
  readonly legs?: readonly {
    readonly pair: string;
    readonly bid: string;
    readonly ask: string;
    readonly asOf?: string;
    readonly source?: string;
    readonly bidFrom?: KeptOrigin;
    readonly askFrom?: KeptOrigin;
    readonly acceptedPrice?: number;
  }[];
  readonly acceptedPrice?: number;
  readonly swapPoints?: readonly KeptPoints[];
  readonly pipDecimals?: number;
  readonly swapPointPolicyVersion?: number;
  readonly crossRounding?: 'once';
  readonly spreadBps?: string;
  readonly components?: NonNullable<QuoteEvidence['components']>;
  readonly pricingPolicyVersion?: number;
  readonly amountRounding?: AmountRounding;
  readonly rateDecimals?: number;
  readonly settlementIncrement?: string;
}

/** A quote's JSON texts, read. */
export interface ReadQuote {
  readonly rate: ShownRate;
  readonly pricing: ShownPricing;
  readonly kept: KeptEvidence;
}

export function readQuote(record: QuoteRecord): ReadQuote {
  return {
    rate: JSON.parse(record.rate) as ShownRate,
    pricing: JSON.parse(record.pricing) as ShownPricing,
    kept: JSON.parse(record.evidence) as KeptEvidence,
  };
}

const REQUIRED = ['bid', 'ask', 'spreadBps', 'amountRounding'] as const;

/**
 * The evidence of a quote from what was kept with it, or the names of the members that are missing for it. Decimals of
 * a rate that were not kept are those of the rate itself.
 */
export function evidenceOf(
  record: QuoteRecord,
  { rate, pricing, kept }: ReadQuote,
): { readonly evidence?: QuoteEvidence; readonly missing: readonly string[] } {
  const { bid, ask, spreadBps, amountRounding, legs, crossRounding, swapPoints, pipDecimals, components } =
    kept;
  const { settlementIncrement } = kept;
  if (bid === undefined || ask === undefined || spreadBps === undefined || amountRounding === undefined) {
    return { missing: REQUIRED.filter((member) => kept[member] === undefined) };
  }
  const sellIsFixed = record.fixedSide === 'sell';
  const fixed = knownCurrency(sellIsFixed ? record.sellCurrency : record.buyCurrency);
  const evidence: QuoteEvidence = {
    pair: record.pair,
    sellCurrency: record.sellCurrency,
    buyCurrency: record.buyCurrency,
    fixedSide: record.fixedSide,
    fixedAmount: formatAmount(sellIsFixed ? record.sellMinor : record.buyMinor, fixed),
    rateDecimals: kept.rateDecimals ?? parseDecimal(rate.value)?.scale ?? 0,
    amountRounding,
    ...(settlementIncrement === undefined ? {} : { settlementIncrement }),
    bid,
    ask,
    ...(legs === undefined
      ? {}
      : { legs: legs.map((leg) => ({ pair: leg.pair, bid: leg.bid, ask: leg.ask })) }),
    ...(crossRounding === undefined ? {} : { crossRounding }),
    ...(swapPoints === undefined ? {} : { swapPoints }),
    ...(pipDecimals === undefined ? {} : { pipDecimals }),
    spreadBps,
    ...(components === undefined ? {} : { components }),
    ...(pricing.reference === undefined ? {} : { referenceRate: pricing.reference.rate }),
  };
  return { evidence, missing: [] };
}

/** The numbers of a quote as it was made: its columns, and what was shown of the others. */
export function numbersOf(record: QuoteRecord, { rate, pricing }: ReadQuote): Partial<QuoteNumbers> {
  const sell = knownCurrency(record.sellCurrency);
  const buy = knownCurrency(record.buyCurrency);
  const derived = record.fixedSide === 'sell' ? buy : sell;
  const { spreadBps, costVsMidBps, reference } = pricing;
  return {
    side: rate.side,
    rate: rate.value,
    inverse: rate.inverse,
    mid: rate.mid,
    ...(rate.market === undefined ? {} : { market: rate.market }),
    ...(spreadBps === undefined ? {} : { spreadBps }),
    ...(costVsMidBps === undefined ? {} : { costVsMidBps }),
    sellAmount: formatAmount(record.sellMinor, sell),
    buyAmount: formatAmount(record.buyMinor, buy),
    marketAmount: formatAmount(record.marketMinor, derived),
    markup: formatAmount(record.markupMinor, derived),
    ...(reference === undefined ? {} : { differencePercent: reference.differencePercent }),
  };
}
