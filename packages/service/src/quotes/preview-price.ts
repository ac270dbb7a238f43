import type { Preview, PreviewRequest, PreviewSide } from '@firmquote/api/operations/spread-rules';
import {
  chooseTier,
  formatAmount,
  formatDecimal,
  lossAgainst,
  type TierLoss,
  type TierRequest,
  targetLevel,
  unmetCondition,
} from '@firmquote/fx';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import { customerNotFound } from '../customers/records.ts';
import type { Pool } from '../database/pool.ts';
import { readAmount } from '../http/amounts.ts';
import { notWith } from '../http/sentences.ts';
import { readPrice, usdValue } from '../market/current-price.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid, parseTypeId, typeId } from '../platform/ids.ts';
import { asDealt } from '../pricing/policy.ts';
import { defaultValidity, type FixedAmount, type SpreadTerms, spreadOf } from '../pricing/pricing-terms.ts';
import type { SpreadRule } from '../pricing/spread-book.ts';
import { SpreadBook } from '../pricing/spread-book.ts';
import { previewSets } from '../pricing/spread-draft.ts';
import type { ReadRule } from '../pricing/spread-input.ts';
import { ruleTermsView } from '../pricing/spread-view.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { priceForDate } from '../swap-points/outright.ts';
import { customerRate } from './customer-rate.ts';
import { priceJson } from './price-text.ts';
import { pricedAmounts } from './priced-amounts.ts';
import type { QuotesRoom } from './room.ts';
import { resolveTrade, type Trade } from './trade-request.ts';

/** Rules named one by one in an answer. */
const OTHERS_MAX = 100; // limit: Rules that a preview explains one by one

export type PreviewRoom = Pick<
  QuotesRoom,
  'clock' | 'market' | 'customers' | 'dates' | 'pricing' | 'swapPoints'
> & {
  readonly pool: Pool;
};

/** A rule of either set, with how it is named outside. */
interface Named {
  readonly ruleId: string | null;
  readonly version: number | null;
  readonly place: number | null;
}

interface Sample {
  readonly trade: Trade;
  readonly request: PreviewRequest;
  readonly fixed: FixedAmount | undefined;
  readonly profile: SpreadTerms['profile'];
  readonly rounding: typeof DEFAULT_SETTINGS.amountRounding;
  readonly validitySeconds: number;
  readonly now: number;
}

/**
 * Prices a sample request by the rules in force and by a draft, side by side, with the rule that decides each and why
 * the others do not (docs/interface.md#spreads). Nothing is kept and nothing is reserved.
 * @throws Problem whatever a request of these terms would be refused with before its spread is looked up;
 * validation_failed for wrong draft rules
 */
export async function previewPrice(room: PreviewRoom, request: PreviewRequest): Promise<Preview> {
  const now = room.clock.now();
  const settings = await room.pricing.settings();
  const asked = resolveTrade(request, room.market.book, room.dates.current, now);
  const trade = asDealt(asked, settings.policy);
  const sample = await readSample(room, request, trade, now);
  const reading = readPrice(room.market.book, trade.pair);
  const { live, draft } = await previewSets(room.pool, request.rules);
  const liveNames = new Map<SpreadRule, Named>(
    live.map((rule) => [rule, { ruleId: typeId('spr', rule.id), version: rule.version, place: null }]),
  );
  const side = (names: ReadonlyMap<SpreadRule, Named>) => priceSide(room, sample, settings, names);
  const { price, fresh } = reading;
  return {
    customerId: request.customerId ?? null,
    groupName: sample.profile.groupName ?? null,
    tenor: trade.tenor,
    valueDate: trade.valueDate,
    validitySeconds: sample.validitySeconds,
    market: {
      bid: formatDecimal(price.bid),
      ask: formatDecimal(price.ask),
      asOf: isoInstant(price.asOf),
      fresh,
      source: price.source,
    },
    live: side(liveNames),
    draft: draft === undefined ? null : side(draftNames(draft, now)),
  };
}

async function readSample(
  room: PreviewRoom,
  request: PreviewRequest,
  trade: Trade,
  now: number,
): Promise<Sample> {
  if (request.customerId !== undefined && request.groupName !== undefined) {
    throw validationProblem([
      { pointer: '/groupName', code: 'not_permitted', detail: notWith('customerId') },
    ]);
  }
  let profile: SpreadTerms['profile'] = { id: undefined, groupName: request.groupName };
  let settings = DEFAULT_SETTINGS;
  if (request.customerId !== undefined) {
    const id = parseTypeId('cus', request.customerId);
    if (id === undefined) throw customerNotFound();
    const known = await room.customers.profile(id);
    profile = known;
    settings = known.settings;
  }
  let fixed: FixedAmount | undefined;
  if (request.amount !== undefined && request.fixedSide !== undefined) {
    const currency = request.fixedSide === 'sell' ? trade.sell : trade.buy;
    fixed = { currency, minor: readAmount(request.amount, currency) };
  }
  return {
    trade,
    request,
    fixed,
    profile,
    rounding: settings.amountRounding,
    validitySeconds: request.validitySeconds ?? defaultValidity({ settings }),
    now,
  };
}

/** Rules of a draft as they would be in force. New ones have no id yet. */
function draftNames(draft: readonly ReadRule[], now: number): Map<SpreadRule, Named> {
  return new Map(
    draft.map((rule, place) => [
      { ...rule, id: rule.id ?? newUuid(now), version: 1 },
      { ruleId: rule.id === undefined ? null : typeId('spr', rule.id), version: null, place },
    ]),
  );
}

function priceSide(
  room: PreviewRoom,
  sample: Sample,
  settings: SpreadTerms['settings'],
  names: ReadonlyMap<SpreadRule, Named>,
): PreviewSide {
  const { trade, profile, fixed } = sample;
  const rules = [...names.keys()];
  const candidates = new SpreadBook(1, rules).candidates(profile.id, profile.groupName, trade.pair.code);
  const asked: TierRequest = {
    tenor: trade.tenor,
    validitySeconds: sample.validitySeconds,
    usdMinor: fixed === undefined ? 0n : usdValue(room.market.book, fixed.currency, fixed.minor),
    at: sample.now,
  };
  const chosen = chooseTier(candidates.rules, asked);
  const reported = {
    rule: chosen === undefined ? null : { ...nameOf(names, chosen), terms: ruleTermsView(chosen) },
    others: candidates.rules
      .filter((rule) => rule !== chosen)
      .slice(0, OTHERS_MAX)
      .map((rule) => ({ ...nameOf(names, rule), lost: whyLost(rule, chosen, asked, sample) })),
    elsewhere: rules.length - candidates.rules.length,
  };
  try {
    return {
      outcome: 'priced',
      detail: null,
      ...pricesShown(room, sample, { candidates, settings, profile }),
      ...reported,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const nothing = { sellAmount: null, buyAmount: null, rate: null, pricing: null };
    return { outcome: error.code, detail: error.message, ...nothing, ...reported };
  }
}

/** Amounts, rate and pricing as a customer with full disclosure would see them. */
function pricesShown(
  room: PreviewRoom,
  { trade, request, fixed, rounding, validitySeconds, now }: Sample,
  terms: SpreadTerms,
): Pick<PreviewSide, 'sellAmount' | 'buyAmount' | 'rate' | 'pricing'> {
  const spread = spreadOf(room, terms, trade, fixed, validitySeconds, now);
  const { price: spot } = readPrice(room.market.book, trade.pair);
  const price = priceForDate(room.swapPoints, trade, spot, room.dates.current, now);
  const { pair, sell, buy } = trade;
  const { fixedSide } = request;
  const rate = customerRate(trade, price, spread);
  if (fixed === undefined || fixedSide === undefined) {
    return { sellAmount: null, buyAmount: null, ...parsed(undefined) };
  }
  const wanted = { pair, sell, buy, amountRounding: rounding, fixedSide, amountMinor: fixed.minor };
  const result = pricedAmounts(wanted, rate);
  return {
    sellAmount: formatAmount(result.sellMinor, sell),
    buyAmount: formatAmount(result.buyMinor, buy),
    ...parsed(result.markup),
  };

  function parsed(markup: Parameters<typeof priceJson>[1]) {
    const reference = room.market.reference.rate(pair);
    const texts = priceJson({ pair, rate, price, spread, disclosure: 'full', reference }, markup);
    return {
      rate: JSON.parse(texts.rate) as PreviewSide['rate'],
      pricing: JSON.parse(texts.pricing) as PreviewSide['pricing'],
    };
  }
}

function nameOf(names: ReadonlyMap<SpreadRule, Named>, rule: SpreadRule): Named {
  const name = names.get(rule);
  if (name === undefined) throw new Error('a rule of the set without its name');
  return name;
}

function whyLost(
  rule: SpreadRule,
  chosen: SpreadRule | undefined,
  asked: TierRequest,
  { profile, trade }: Sample,
): TierLoss {
  const unmet = unmetCondition(rule, asked);
  if (unmet !== undefined) return unmet;
  if (chosen === undefined) throw new Error('a rule whose conditions are met is chosen');
  const target = { customerId: profile.id, groupName: profile.groupName, pair: trade.pair.code };
  if (targetLevel(rule, target) !== targetLevel(chosen, target)) return 'less_specific_target';
  return lossAgainst(rule, chosen) ?? 'lower_id';
}
