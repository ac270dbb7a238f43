import {
  bps,
  chooseTier,
  composeSpread,
  type Decimal,
  formatDecimal,
  type Pair,
  type SpreadComponent,
  type TierRequest,
  tierParts,
} from '@firmquote/fx';
import { Problem } from '../problems/problem.ts';
import type { PricingDesk, Widening } from './desk.ts';
import type { PricingPolicy } from './policy.ts';
import type { SpreadCandidates, SpreadRule } from './spread-book.ts';

/**
 * The spread of one request: the rule that prices it and what the whole is made of. Requests with the same outcome
 * share one object, so that what is written from it is written once.
 */
export interface ResolvedSpread {
  readonly rule: SpreadRule;
  readonly totalBps: Decimal;
  readonly components: readonly SpreadComponent[];
  /** The components as JSON, as they are shown and kept. */
  readonly componentsJson: string;
}

/** Outcomes kept of one rule: its tiers times the widenings of the moment. */
const OUTCOMES_MAX = 256; // limit: Outcomes of one spread rule in memory
const outcomes = new WeakMap<SpreadRule, Outcomes>();

interface Outcomes {
  readonly known: Map<string, ResolvedSpread>;
  /** The last one, found without making a key: most requests are like the one before. */
  last: Outcome | undefined;
}

interface Outcome {
  readonly widening: Widening;
  readonly parts: readonly SpreadComponent[];
  readonly spread: ResolvedSpread;
}

function isSame(
  { widening, parts }: Outcome,
  ofWidening: Widening,
  ofParts: readonly SpreadComponent[],
): boolean {
  return (
    widening.validityUnits === ofWidening.validityUnits &&
    widening.marketHoursUnits === ofWidening.marketHoursUnits &&
    parts.length === ofParts.length &&
    parts.every(({ bps: { units } }, i) => units === ofParts[i]?.bps.units)
  );
}

/** @throws Problem pricing_not_configured */
export function resolveSpread(
  desk: PricingDesk,
  policy: PricingPolicy,
  candidates: SpreadCandidates,
  pair: Pair,
  request: TierRequest,
): ResolvedSpread {
  const rule = chooseTier(candidates.rules, request);
  if (rule === undefined) {
    throw new Problem('pricing_not_configured', `No spread rule applies to ${pair.code}.`);
  }
  const widening = desk.widening(policy, pair, request.validitySeconds, request.at);
  return rememberedSpread(rule, tierParts(candidates.rules, rule, request), widening);
}

function rememberedSpread(
  rule: SpreadRule,
  parts: readonly SpreadComponent[],
  widening: Widening,
): ResolvedSpread {
  let ofRule = outcomes.get(rule);
  if (ofRule === undefined) {
    ofRule = { known: new Map(), last: undefined };
    outcomes.set(rule, ofRule);
  }
  const { known, last } = ofRule;
  if (last !== undefined && isSame(last, widening, parts)) return last.spread;
  let key = `${widening.validityUnits} ${widening.marketHoursUnits}`;
  for (const part of parts) key += ` ${part.bps.units}`;
  let spread = known.get(key);
  if (spread === undefined) {
    const { totalBps, components } = composeSpread(
      [
        ...parts,
        { type: 'validity_premium', bps: bps(widening.validityUnits) },
        { type: 'market_hours', bps: bps(widening.marketHoursUnits) },
      ],
      rule,
    );
    spread = { rule, totalBps, components, componentsJson: componentsJson(components) };
    if (known.size >= OUTCOMES_MAX) known.clear();
    known.set(key, spread);
  }
  ofRule.last = { widening, parts, spread };
  return spread;
}

function componentsJson(components: readonly SpreadComponent[]): string {
  return `[${components.map(({ type, bps }) => `{"type":"${type}","bps":"${formatDecimal(bps)}"}`).join(',')}]`;
}
