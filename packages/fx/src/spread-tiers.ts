import type { Decimal } from './decimal.ts';
import { bps, bpsUnits, type SpreadComponent, type SpreadComponentType } from './spread.ts';

/**
 * One rule of a spread table: whom and what it is for, the conditions of its tier, and the spread. An undefined
 * condition is met by every request.
 */
export interface SpreadTier {
  readonly id: string;
  readonly customerId: string | undefined;
  readonly groupName: string | undefined;
  readonly pair: string | undefined;
  /** The request's own tenor; a date between tomorrow and spot (`broken`) meets only rules for any tenor. */
  readonly tenor: 'today' | 'tom' | 'spot' | undefined;
  /** The longest validity that it is for, in seconds, inclusive. */
  readonly validityUpToSeconds: number | undefined;
  /** The smallest amount that it is for, in US dollar cents, inclusive; 0 is from any amount. */
  readonly amountFromUsdMinor: bigint;
  /** Epoch milliseconds, from inclusive, to exclusive. */
  readonly validFrom: number | undefined;
  readonly validTo: number | undefined;
  readonly spreadBps: Decimal;
}

/** What the conditions of rules are held against. */
export interface TierRequest {
  readonly tenor: string;
  readonly validitySeconds: number;
  /** Value of the fixed amount in US dollar cents at the mid; 0 when no amount is named. */
  readonly usdMinor: bigint;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Why a rule is not the one that prices a request. */
export type TierLoss =
  | 'not_for_this_customer'
  | 'not_for_this_group'
  | 'not_for_this_pair'
  | 'not_yet_valid'
  | 'no_longer_valid'
  | 'other_tenor'
  | 'validity_longer_than_tier'
  | 'amount_below_tier'
  | 'less_specific_target'
  | 'less_specific_tenor'
  | 'wider_validity_tier'
  | 'lower_amount_tier'
  | 'earlier_valid_from'
  | 'lower_id';

/** Whose spread is asked for. */
export interface SpreadTarget {
  readonly customerId: string | undefined;
  readonly groupName: string | undefined;
  readonly pair: string;
}

/** Levels of {@link targetLevel}, 0 the most specific. */
const LEVELS = 6;

/**
 * How specific a rule's target is for somebody: 0 customer and pair, 1 customer, 2 group and pair, 3 group, 4 pair,
 * 5 any; or why it is for somebody else.
 */
export function targetLevel(tier: SpreadTier, target: SpreadTarget): number | TierLoss {
  if (tier.pair !== undefined && tier.pair !== target.pair) return 'not_for_this_pair';
  const anyPair = tier.pair === undefined ? 1 : 0;
  if (tier.customerId !== undefined) {
    return tier.customerId === target.customerId ? anyPair : 'not_for_this_customer';
  }
  if (tier.groupName !== undefined) {
    return tier.groupName === target.groupName ? 2 + anyPair : 'not_for_this_group';
  }
  return LEVELS - 2 + anyPair;
}

/** Why a rule's conditions do not hold for a request, or undefined when they do. */
export function unmetCondition(tier: SpreadTier, request: TierRequest): TierLoss | undefined {
  if (tier.validFrom !== undefined && request.at < tier.validFrom) return 'not_yet_valid';
  if (tier.validTo !== undefined && request.at >= tier.validTo) return 'no_longer_valid';
  if (tier.tenor !== undefined && tier.tenor !== request.tenor) return 'other_tenor';
  if (tier.validityUpToSeconds !== undefined && request.validitySeconds > tier.validityUpToSeconds) {
    return 'validity_longer_than_tier';
  }
  return request.usdMinor < tier.amountFromUsdMinor ? 'amount_below_tier' : undefined;
}

/**
 * The order of rules of one target, the stronger first: a tenor before any tenor, the shorter validity tier, the
 * higher amount tier, the later `validFrom` (none is the earliest), the higher id. A total order, so the outcome never
 * depends on the order of rows.
 */
export function compareTiers(a: SpreadTier, b: SpreadTier): number {
  const lost = lossAgainst(b, a);
  if (lost !== undefined) return -1;
  return lossAgainst(a, b) === undefined ? 0 : 1;
}

/** In what the rule `a` is weaker than `b`, both of one target; undefined when it is not. */
export function lossAgainst(a: SpreadTier, b: SpreadTier): TierLoss | undefined {
  if ((a.tenor === undefined) !== (b.tenor === undefined)) {
    return a.tenor === undefined ? 'less_specific_tenor' : undefined;
  }
  const validity = (tier: SpreadTier) => tier.validityUpToSeconds ?? Number.POSITIVE_INFINITY;
  if (validity(a) !== validity(b)) return validity(a) > validity(b) ? 'wider_validity_tier' : undefined;
  if (a.amountFromUsdMinor !== b.amountFromUsdMinor) {
    return a.amountFromUsdMinor < b.amountFromUsdMinor ? 'lower_amount_tier' : undefined;
  }
  const start = (tier: SpreadTier) => tier.validFrom ?? Number.NEGATIVE_INFINITY;
  if (start(a) !== start(b)) return start(a) < start(b) ? 'earlier_valid_from' : undefined;
  return a.id < b.id ? 'lower_id' : undefined;
}

/** The first rule whose conditions hold. `ordered`: by target, most specific first, then by {@link compareTiers}. */
export function chooseTier<T extends SpreadTier>(ordered: readonly T[], request: TierRequest): T | undefined {
  for (const tier of ordered) if (unmetCondition(tier, request) === undefined) return tier;
  return undefined;
}

/**
 * What the chosen rule's spread is made of: the standing rule of the same target (no tenor, no validity tier, from any
 * amount), then what the tenor, the validity and the amount each change as one after the other is taken into account.
 * Without a standing rule the whole is the customer's spread. The parts add up to the chosen rule's spread exactly.
 */
export function tierParts(
  ordered: readonly SpreadTier[],
  chosen: SpreadTier,
  request: TierRequest,
): SpreadComponent[] {
  const isPlain = (tier: SpreadTier) =>
    tier.tenor === undefined && tier.validityUpToSeconds === undefined && tier.amountFromUsdMinor === 0n;
  if (isPlain(chosen)) return [{ type: 'customer_spread', bps: chosen.spreadBps }];
  const peers = ordered.filter((tier) => hasSameTarget(tier, chosen) && !unmetCondition(tier, request));
  const standing = peers.find(isPlain);
  if (standing === undefined) return [{ type: 'customer_spread', bps: chosen.spreadBps }];
  const fromAny = peers.filter((tier) => tier.amountFromUsdMinor === 0n);
  const byTenor = fromAny.find((tier) => tier.validityUpToSeconds === undefined) ?? standing;
  const byValidity = fromAny[0] ?? byTenor;
  const step = (type: SpreadComponentType, to: SpreadTier, from: SpreadTier): SpreadComponent => ({
    type,
    bps: bps(bpsUnits(to.spreadBps) - bpsUnits(from.spreadBps)),
  });
  return [
    { type: 'customer_spread', bps: standing.spreadBps },
    step('tenor_spread', byTenor, standing),
    step('validity_premium', byValidity, byTenor),
    step('amount_tier', chosen, byValidity),
  ];
}

export function hasSameTarget(a: SpreadTier, b: SpreadTier): boolean {
  return a.customerId === b.customerId && a.groupName === b.groupName && a.pair === b.pair;
}
