import { compareTiers, type Decimal, type SpreadTier } from '@firmquote/fx';

/** A spread rule in force: its target, the conditions of its tier, the spread, and bounds of the whole. */
export interface SpreadRule extends SpreadTier {
  readonly version: number;
  /** Bounds of the whole spread, premiums included. */
  readonly minBps: Decimal | undefined;
  readonly maxBps: Decimal | undefined;
}

/** All rules that may price a customer's requests in a pair, the strongest first (docs/interface.md#spreads). */
export interface SpreadCandidates {
  readonly rules: readonly SpreadRule[];
  /** Whether the amount makes a difference, so that its value in dollars has to be known. */
  readonly hasAmountTiers: boolean;
}

/** Memory for resolved targets is given back when this many are held. */
const MAX_RESOLVED = 100_000; // limit: Resolved targets of spread rules in memory
const NONE: readonly SpreadRule[] = [];

interface Resolved {
  readonly groupName: string | undefined;
  readonly byPair: Map<string, SpreadCandidates>;
}

/**
 * All spread rules in force at one version of the rule set, in the order of precedence for each customer and pair
 * (docs/interface.md#spreads): customer and pair, customer, group and pair, group, pair, any; within one target by tier
 * (`compareTiers`). The first rule whose conditions the request meets prices it. The order does not depend on the
 * request, so it is worked out once for a customer and pair.
 */
export class SpreadBook {
  readonly version: number;
  readonly #byTarget = new Map<string, SpreadRule[]>();
  readonly #resolved = new Map<string, Resolved>();
  #count = 0;

  constructor(version: number, rules: readonly SpreadRule[]) {
    this.version = version;
    for (const rule of [...rules].sort(compareTiers)) {
      const target = targetOf(rule.customerId, rule.groupName, rule.pair);
      const known = this.#byTarget.get(target);
      if (known === undefined) this.#byTarget.set(target, [rule]);
      else known.push(rule);
    }
  }

  /** Rules that may apply, the strongest first. The same object is given out as long as the book lives. */
  candidates(customerId: string | undefined, groupName: string | undefined, pair: string): SpreadCandidates {
    const key = customerId ?? '';
    let resolved = this.#resolved.get(key);
    if (resolved === undefined || resolved.groupName !== groupName) {
      resolved = { groupName, byPair: new Map() };
      this.#resolved.set(key, resolved);
    }
    let candidates = resolved.byPair.get(pair);
    if (candidates === undefined) {
      if (++this.#count > MAX_RESOLVED) {
        this.#resolved.clear();
        this.#resolved.set(key, resolved);
        resolved.byPair.clear();
        this.#count = 1;
      }
      candidates = spreadCandidates(this.#collect(customerId, groupName, pair));
      resolved.byPair.set(pair, candidates);
    }
    return candidates;
  }

  #collect(
    customerId: string | undefined,
    groupName: string | undefined,
    pair: string,
  ): readonly SpreadRule[] {
    const at = (customer?: string, group?: string, onPair?: string) =>
      this.#byTarget.get(targetOf(customer, group, onPair)) ?? NONE;
    const ofCustomer =
      customerId === undefined ? NONE : [...at(customerId, undefined, pair), ...at(customerId)];
    const ofGroup =
      groupName === undefined
        ? NONE
        : [...at(undefined, groupName, pair), ...at(undefined, groupName, undefined)];
    return [...ofCustomer, ...ofGroup, ...at(undefined, undefined, pair), ...at()];
  }
}

/** @param rules in order of precedence */
export function spreadCandidates(rules: readonly SpreadRule[]): SpreadCandidates {
  return { rules, hasAmountTiers: rules.some((rule) => rule.amountFromUsdMinor > 0n) };
}

/** What a rule is for, as one text. Group names hold no control characters, so the separator is safe. */
export function targetOf(
  customerId: string | undefined,
  groupName: string | undefined,
  pair: string | undefined,
): string {
  return `${customerId ?? ''}\n${groupName ?? ''}\n${pair ?? ''}`;
}
