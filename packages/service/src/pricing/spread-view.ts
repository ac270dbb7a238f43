import type * as spreads from '@firmquote/api/operations/spread-rules';
import { formatDecimal, formatUsd } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { SpreadRule } from './spread-book.ts';
import type { SpreadRuleDraft, SpreadRuleSet } from './spread-store.ts';

export function spreadRulesView(set: SpreadRuleSet): spreads.SpreadRules {
  return {
    version: set.version,
    rules: set.rules.map((rule) => ({
      ruleId: typeId('spr', rule.id),
      version: rule.version,
      ...ruleTermsView(rule),
      createdAt: isoInstant(rule.createdAt),
    })),
  };
}

/** What a rule says, in the form in which it is written. */
export function ruleTermsView(rule: Omit<SpreadRule, 'id' | 'version'>): spreads.SpreadRuleTerms {
  const instant = (value: number | undefined) => (value === undefined ? null : isoInstant(value));
  return {
    customerId: rule.customerId === undefined ? null : typeId('cus', rule.customerId),
    groupName: rule.groupName ?? null,
    pair: rule.pair ?? null,
    tenor: rule.tenor ?? null,
    validityUpToSeconds: rule.validityUpToSeconds ?? null,
    amountFrom: formatUsd(rule.amountFromUsdMinor),
    spreadBps: formatDecimal(rule.spreadBps),
    minSpreadBps: rule.minBps === undefined ? null : formatDecimal(rule.minBps),
    maxSpreadBps: rule.maxBps === undefined ? null : formatDecimal(rule.maxBps),
    validFrom: instant(rule.validFrom),
    validTo: instant(rule.validTo),
  };
}

export function spreadRuleDraftView({
  version,
  content,
  changedAt,
}: SpreadRuleDraft): spreads.SpreadRuleDraft {
  return {
    version,
    basedOn: content?.basedOn ?? null,
    rules: content === undefined ? null : [...content.rules],
    restores: content?.restores ?? null,
    changedAt: changedAt === undefined ? null : isoInstant(changedAt),
  };
}
