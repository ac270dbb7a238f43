import type { SpreadTier } from '@firmquote/fx';
import { targetOf } from './spread-book.ts';

type Targeted = Pick<
  SpreadTier,
  | 'customerId'
  | 'groupName'
  | 'pair'
  | 'tenor'
  | 'validityUpToSeconds'
  | 'amountFromUsdMinor'
  | 'validFrom'
  | 'validTo'
>;

interface Place {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Rules of one target and tier whose validity (from inclusive, to exclusive) overlaps with that of another: the place of each,
 * and of one that it collides with. At most one finding a rule, so a wholly wrong set stays readable.
 */
export function overlaps(rules: readonly Targeted[]): { index: number; other: number }[] {
  const byTarget = new Map<string, Place[]>();
  for (const [index, rule] of rules.entries()) {
    const tier = `${rule.tenor ?? ''}\n${rule.validityUpToSeconds ?? ''}\n${rule.amountFromUsdMinor}`;
    const target = `${targetOf(rule.customerId, rule.groupName, rule.pair)}\n${tier}`;
    const places = byTarget.get(target) ?? [];
    byTarget.set(target, places);
    places.push({
      index,
      from: rule.validFrom ?? Number.NEGATIVE_INFINITY,
      to: rule.validTo ?? Number.POSITIVE_INFINITY,
    });
  }
  const found: { index: number; other: number }[] = [];
  for (const places of byTarget.values()) {
    places.sort((a, b) => (a.from === b.from ? a.index - b.index : a.from < b.from ? -1 : 1));
    // In order of their starts, a rule collides with an earlier one exactly when it starts before the latest end so far.
    let longest: Place | undefined;
    for (const place of places) {
      if (longest !== undefined && place.from < longest.to)
        found.push({ index: place.index, other: longest.index });
      if (longest === undefined || place.to > longest.to) longest = place;
    }
  }
  return found.sort((a, b) => a.index - b.index);
}
