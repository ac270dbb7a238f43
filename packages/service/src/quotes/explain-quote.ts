import type { Explanation, OperatorExplanation } from '@firmquote/api/operations/quote-explanations';
import {
  differencesOf,
  formatUnits,
  fractionText,
  type QuoteEvidence,
  type QuoteNumbers,
  quoteStatusAt,
  type RecomputedQuote,
  type RoundingName,
  recomputeQuote,
  type TakenStep,
} from '@firmquote/fx';
import type { PricingDisclosure } from '../customers/profile.ts';
import { COMPOSITE } from '../market/tick.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import {
  evidenceOf,
  type KeptEvidence,
  numbersOf,
  type ReadQuote,
  readQuote,
  type ShownPricing,
} from './evidence.ts';
import type { QuoteRecord } from './record.ts';

/** From the least to the most. */
const LEVELS: readonly PricingDisclosure[] = ['none', 'total', 'full'];

/**
 * Members and steps below `full`. Whatever gives the market's own side away is not among them: not the client rate
 * before its rounding, from which the spread can be taken off; not the exact mid, of which the rounded one is shown;
 * not the amount at the market, nor who gave the price.
 */
const SHOWN: Readonly<
  Record<'none' | 'total', { numbers: readonly (keyof QuoteNumbers)[]; steps: readonly RoundingName[] }>
> = {
  none: {
    numbers: ['side', 'rate', 'inverse', 'mid', 'sellAmount', 'buyAmount', 'differencePercent'],
    steps: ['inverse', 'derived_amount', 'reference_difference'],
  },
  total: {
    numbers: [
      'spreadBps',
      'side',
      'rate',
      'inverse',
      'mid',
      'costVsMidBps',
      'sellAmount',
      'buyAmount',
      'markup',
      'differencePercent',
    ],
    steps: ['inverse', 'cost_vs_mid', 'derived_amount', 'reference_difference'],
  },
};

const FORMULAS: Readonly<Record<RoundingName, string>> = {
  cross_bid: 'bid of the base leg × bid of the quote leg',
  cross_ask: 'ask of the base leg × ask of the quote leg',
  swap_points_bid: 'ask of the later date × (1 - (1 + base ask × days) / (1 + quote bid × days)), in pips',
  swap_points_ask:
    'bid of the later date × (1 - (1 + base bid × days) / (1 + quote ask × days)), or by the rule without points, in pips',
  client_rate: 'market side × (1 ± spreadBps / 10000)',
  market_rate: 'market side',
  mid: '(bid + ask) / 2',
  inverse: '1 / rate',
  cost_vs_mid: 'distance of rate from mid / mid × 10000',
  derived_amount: 'fixed amount × or / rate',
  derived_amount_at_market: 'fixed amount × or / market',
  reference_difference: '(rate - reference) / reference × 100',
};

/**
 * How much of an explanation a customer may see: no more than the quote showed when it was made, and no more than the
 * customer's setting permits now. A setting that is widened later opens no older quote.
 */
export function disclosureOf(quote: QuoteRecord, setting: PricingDisclosure): PricingDisclosure {
  const pricing = JSON.parse(quote.pricing) as ShownPricing;
  const then = pricing.components !== undefined ? 'full' : pricing.spreadBps !== undefined ? 'total' : 'none';
  return LEVELS.indexOf(then) < LEVELS.indexOf(setting) ? then : setting;
}

/** How the price of a quote came about, computed again from what was kept with it by the functions that made it. */
export function explainQuote(record: QuoteRecord, now: number, disclosure: PricingDisclosure): Explanation {
  const quote = readQuote(record);
  const { evidence, missing } = evidenceOf(record, quote);
  const recorded = numbersOf(record, quote);
  const { recomputed, problem } = evidence === undefined ? {} : tryRecompute(evidence);
  const verification = verificationOf(evidence, recomputed, recorded, problem ?? missingDetail(missing));
  const { estimatedCurrencies } = quote.kept;
  const isFull = disclosure === 'full';
  return {
    quoteId: typeId('quote', record.id),
    status: quoteStatusAt(record.status, record.expiresAt, now),
    transactionId: record.transactionId === null ? null : typeId('txn', record.transactionId),
    createdAt: isoInstant(record.createdAt),
    expiresAt: isoInstant(record.expiresAt),
    disclosure,
    pair: record.pair,
    sellCurrency: record.sellCurrency,
    buyCurrency: record.buyCurrency,
    fixedSide: record.fixedSide,
    tradeDate: record.tradeDate,
    valueDate: record.valueDate,
    ...(estimatedCurrencies === undefined ? {} : { estimatedCurrencies: [...estimatedCurrencies] }),
    market: marketView(quote, recomputed, isFull),
    ...spreadView(record, quote, disclosure),
    numbers: visibleNumbers({ ...recomputed?.numbers, ...recorded }, disclosure),
    reference: quote.pricing.reference ?? null,
    steps: visibleSteps(recomputed?.steps ?? [], disclosure).map((step) => stepView(step, record)),
    ...(isFull && evidence !== undefined ? { evidence: withPlainArrays(evidence) } : {}),
    verification: isFull ? verification : { outcome: verification.outcome },
  };
}

/** The same for operators, who see everything. */
export function explainForOperator(record: QuoteRecord, now: number): OperatorExplanation {
  const { market, ...explanation } = explainQuote(record, now, 'full');
  const { acceptedPrice, legs = [] } = readQuote(record).kept;
  const acceptedPrices = [{ pair: record.pair, acceptedPrice }, ...legs].flatMap((each) =>
    each.acceptedPrice === undefined ? [] : [{ pair: each.pair, number: each.acceptedPrice }],
  );
  return {
    customerId: typeId('cus', record.customerId),
    ...explanation,
    market: { ...market, ...(acceptedPrices.length === 0 ? {} : { acceptedPrices }) },
  };
}

function tryRecompute(evidence: QuoteEvidence): { recomputed?: RecomputedQuote; problem?: string } {
  try {
    return { recomputed: recomputeQuote(evidence) };
  } catch (error) {
    if (error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}

function missingDetail(missing: readonly string[]): string | undefined {
  return missing.length === 0 ? undefined : `not recorded: ${missing.join(', ')}`;
}

function verificationOf(
  evidence: QuoteEvidence | undefined,
  recomputed: RecomputedQuote | undefined,
  recorded: Partial<QuoteNumbers>,
  detail: string | undefined,
): Explanation['verification'] {
  if (evidence === undefined || recomputed === undefined) {
    return { outcome: 'incomplete', ...(detail === undefined ? {} : { detail }) };
  }
  const differences = differencesOf(recomputed.numbers, evidence, recorded).map((each) => ({
    ...each,
    recomputed: each.recomputed ?? null,
  }));
  return { outcome: differences.length === 0 ? 'matches' : 'differs', differences };
}

function marketView(
  { rate, kept }: ReadQuote,
  recomputed: RecomputedQuote | undefined,
  isFull: boolean,
): Explanation['market'] {
  if (!isFull) return { asOf: rate.asOf, source: null, through: null };
  const shown = { asOf: rate.asOf, source: rate.source ?? sourceOf(kept) };
  const { bid, ask, bidFrom, askFrom, legs, swapPoints, swapPointPolicyVersion } = kept;
  return {
    ...(bid === undefined ? {} : { bid }),
    ...(ask === undefined ? {} : { ask }),
    ...shown,
    ...(bidFrom === undefined ? {} : { bidFrom }),
    ...(askFrom === undefined ? {} : { askFrom }),
    through: recomputed?.through ?? null,
    ...(legs === undefined ? {} : { legs: legs.map(({ acceptedPrice: _, ...leg }) => leg) }),
    ...(swapPoints === undefined ? {} : { swapPoints: [...swapPoints] }),
    ...(swapPointPolicyVersion === undefined ? {} : { swapPointPolicyVersion }),
  };
}

/** Who gave the price of a quote that does not show it: one source, or several. */
function sourceOf({ bidFrom, askFrom, legs }: KeptEvidence): string | null {
  const names = new Set([bidFrom, askFrom, ...(legs ?? [])].flatMap((origin) => origin?.source ?? []));
  const [only] = names;
  return names.size > 1 ? COMPOSITE : (only ?? null);
}

function spreadView(
  record: QuoteRecord,
  { pricing, kept }: ReadQuote,
  disclosure: PricingDisclosure,
): Pick<Explanation, 'spread'> {
  const totalBps = kept.spreadBps ?? pricing.spreadBps;
  if (disclosure === 'none' || totalBps === undefined) return {};
  if (disclosure === 'total') return { spread: { totalBps } };
  const { components, pricingPolicyVersion } = kept;
  return {
    spread: {
      totalBps,
      ...(components === undefined ? {} : { components: [...components] }),
      rule: { ruleId: typeId('spr', record.spreadRuleId), version: record.spreadRuleVersion },
      ...(pricingPolicyVersion === undefined ? {} : { pricingPolicyVersion }),
    },
  };
}

function visibleNumbers(
  numbers: Partial<QuoteNumbers>,
  disclosure: PricingDisclosure,
): Explanation['numbers'] {
  if (disclosure === 'full') return numbers;
  const shown = SHOWN[disclosure].numbers;
  return Object.fromEntries(Object.entries(numbers).filter(([name]) => shown.some((each) => each === name)));
}

function visibleSteps(steps: readonly TakenStep[], disclosure: PricingDisclosure): readonly TakenStep[] {
  if (disclosure === 'full') return steps;
  const shown = SHOWN[disclosure].steps;
  return steps.filter(({ name }) => shown.includes(name));
}

function stepView(step: TakenStep, record: QuoteRecord): Explanation['steps'][number] {
  const { text, isExact, numerator, denominator } = fractionText(step.numerator, step.denominator);
  return {
    step: step.name,
    formula: FORMULAS[step.name],
    unit: unitOf(step.name, record),
    unrounded: text,
    isExact,
    numerator: String(numerator),
    denominator: String(denominator),
    rounding: step.rounding,
    decimals: step.scale,
    result: formatUnits(step.units, step.scale),
  };
}

function unitOf(name: RoundingName, { pair, fixedSide, sellCurrency, buyCurrency }: QuoteRecord): string {
  if (name === 'swap_points_bid' || name === 'swap_points_ask') return 'pips';
  if (name === 'cost_vs_mid') return 'bps';
  if (name === 'reference_difference') return 'percent';
  if (name === 'derived_amount' || name === 'derived_amount_at_market') {
    return fixedSide === 'sell' ? buyCurrency : sellCurrency;
  }
  return name === 'inverse' ? `1/${pair}` : pair;
}

/** The schema's type has plain arrays. */
function withPlainArrays({
  legs,
  swapPoints,
  components,
  ...rest
}: QuoteEvidence): NonNullable<Explanation['evidence']> {
  return {
    ...rest,
    ...(legs === undefined ? {} : { legs: [...legs] }),
    ...(swapPoints === undefined ? {} : { swapPoints: [...swapPoints] }),
    ...(components === undefined ? {} : { components: [...components] }),
  };
}
