import type { SpreadRule } from './profile.ts';

/** Memory for resolved targets is given back when this many are held. */
const MAX_RESOLVED = 100_000;
const NONE: readonly SpreadRule[] = [];

interface Resolved {
  readonly groupName: string | undefined;
  readonly byPair: Map<string, readonly SpreadRule[]>;
}

/**
 * All spread rules in force at one version of the rule set, resolved by precedence (contract §13): customer and pair,
 * customer, group and pair, group, pair, any. A rule whose validity does not cover the instant is as if absent, so that
 * the next level applies. Of several rules of one level the one with the latest `validFrom` wins (no `validFrom` is the
 * earliest), then the highest id: a special price overrides the standing one, and the outcome never depends on
 * the order of rows.
 */
export class SpreadBook {
  readonly version: number;
  readonly #byTarget = new Map<string, SpreadRule[]>();
  readonly #resolved = new Map<string, Resolved>();
  #count = 0;

  constructor(version: number, rules: readonly SpreadRule[]) {
    this.version = version;
    for (const rule of [...rules].sort(byPrecedence)) {
      const target = targetOf(rule.customerId, rule.groupName, rule.pair);
      const known = this.#byTarget.get(target);
      if (known === undefined) this.#byTarget.set(target, [rule]);
      else known.push(rule);
    }
  }

  /** @param now business instant, epoch milliseconds */
  resolve(
    customerId: string,
    groupName: string | undefined,
    pair: string,
    now: number,
  ): SpreadRule | undefined {
    for (const rule of this.#candidates(customerId, groupName, pair)) {
      if (rule.validFrom !== undefined && now < rule.validFrom) continue;
      if (rule.validTo !== undefined && now >= rule.validTo) continue;
      return rule;
    }
    return undefined;
  }

  /** Rules that may apply, in order of precedence. Time is not part of it, so it is worked out once. */
  #candidates(customerId: string, groupName: string | undefined, pair: string): readonly SpreadRule[] {
    let resolved = this.#resolved.get(customerId);
    if (resolved === undefined || resolved.groupName !== groupName) {
      resolved = { groupName, byPair: new Map() };
      this.#resolved.set(customerId, resolved);
    }
    let candidates = resolved.byPair.get(pair);
    if (candidates === undefined) {
      if (++this.#count > MAX_RESOLVED) {
        this.#resolved.clear();
        this.#resolved.set(customerId, resolved);
        resolved.byPair.clear();
        this.#count = 1;
      }
      candidates = this.#collect(customerId, groupName, pair);
      resolved.byPair.set(pair, candidates);
    }
    return candidates;
  }

  #collect(customerId: string, groupName: string | undefined, pair: string): readonly SpreadRule[] {
    const at = (customer?: string, group?: string, onPair?: string) =>
      this.#byTarget.get(targetOf(customer, group, onPair)) ?? NONE;
    const ofGroup =
      groupName === undefined
        ? NONE
        : [...at(undefined, groupName, pair), ...at(undefined, groupName, undefined)];
    return [
      ...at(customerId, undefined, pair),
      ...at(customerId),
      ...ofGroup,
      ...at(undefined, undefined, pair),
      ...at(),
    ];
  }
}

/** What a rule is for, as one text. Group names hold no control characters, so the separator is safe. */
export function targetOf(
  customerId: string | undefined,
  groupName: string | undefined,
  pair: string | undefined,
): string {
  return `${customerId ?? ''}\n${groupName ?? ''}\n${pair ?? ''}`;
}

function byPrecedence(a: SpreadRule, b: SpreadRule): number {
  const from = (b.validFrom ?? Number.NEGATIVE_INFINITY) - (a.validFrom ?? Number.NEGATIVE_INFINITY);
  // Infinity minus itself is not a number: both have no start.
  if (from !== 0 && !Number.isNaN(from)) return from;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
