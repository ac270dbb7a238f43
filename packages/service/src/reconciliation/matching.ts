import type { TransactionStatus } from '@firmquote/fx';

/** What of a deposit decides where it belongs. */
export interface DepositFacts {
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Valid payment references found in the remittance text, without repeats. */
  readonly references: readonly string[];
}

/** A trade that a deposit may belong to. Amounts in minor units of the sold currency. */
export interface Target {
  readonly customerId: string;
  readonly transactionId: string;
  readonly reference: string;
  readonly status: TransactionStatus;
  readonly currency: string;
  readonly sellMinor: bigint;
  readonly receivedMinor: bigint;
  readonly shortfallMinor: bigint;
  /** Value of the sold amount in US dollar cents, as it was at the quote. */
  readonly usdMinor: bigint;
}

/** Trades that come into question, by how they were found. */
export interface Candidates {
  readonly byReference: readonly Target[];
}

/** What a correspondent bank may have kept of a payment without anybody being asked. Both bounds hold. */
export interface Tolerance {
  /** US dollar cents. */
  readonly usdMinor: bigint;
  /** Hundredths of a percent of the sold amount. */
  readonly bps: bigint;
}

/** Contract §14: 30 US dollars and 0.5 percent. */
export const DEFAULT_TOLERANCE: Tolerance = { usdMinor: 3_000n, bps: 50n };

/** How a deposit is divided: allocated + excess is the deposit; allocated + shortfall is taken off what is owed. */
export interface Allocation {
  readonly target: Target;
  readonly rule: string;
  readonly allocatedMinor: bigint;
  readonly excessMinor: bigint;
  readonly shortfallMinor: bigint;
}

export type ExceptionType =
  | 'unmatched'
  | 'ambiguous'
  | 'short'
  | 'excess'
  | 'wrong_currency'
  | 'third_party'
  | 'late'
  | 'duplicate'
  | 'returned'
  | 'payout_mismatch';

/** Why somebody has to look at a deposit. `reason` is a stable code. */
export interface DepositException {
  readonly type: ExceptionType;
  readonly reason: string;
}

export type Match =
  | { readonly outcome: 'matched'; readonly allocation: Allocation }
  | { readonly outcome: 'exception'; readonly exception: DepositException };

export interface MatchingRule {
  readonly name: string;
  /** Every allocation that the rule would make, each to another trade. */
  propose(deposit: DepositFacts, candidates: Candidates, tolerance: Tolerance): readonly Allocation[];
}

const EXPECTING: ReadonlySet<TransactionStatus> = new Set(['awaiting_funds', 'partially_funded', 'overdue']);

/** Minor units that are still to come. */
export function outstandingOf(target: Target): bigint {
  return target.sellMinor - target.receivedMinor - target.shortfallMinor;
}

/** Open trades that the deposit names and whose currency it has. */
function named(deposit: DepositFacts, candidates: Candidates): Target[] {
  return candidates.byReference.filter(
    (target) => EXPECTING.has(target.status) && target.currency === deposit.currency,
  );
}

/** The shortfall counts against the whole trade, so that instalments do not each earn a tolerance. */
function isTolerated(target: Target, shortfall: bigint, tolerance: Tolerance): boolean {
  const total = target.shortfallMinor + shortfall;
  return (
    total * 10_000n <= target.sellMinor * tolerance.bps &&
    total * target.usdMinor <= tolerance.usdMinor * target.sellMinor
  );
}

const exactAmount: MatchingRule = {
  name: 'reference_exact',
  propose: (deposit, candidates) =>
    named(deposit, candidates)
      .filter((target) => outstandingOf(target) === deposit.amountMinor)
      .map((target) => ({
        target,
        rule: 'reference_exact',
        allocatedMinor: deposit.amountMinor,
        excessMinor: 0n,
        shortfallMinor: 0n,
      })),
};

const shortWithinTolerance: MatchingRule = {
  name: 'reference_short_tolerated',
  propose: (deposit, candidates, tolerance) =>
    named(deposit, candidates).flatMap((target) => {
      const shortfallMinor = outstandingOf(target) - deposit.amountMinor;
      if (shortfallMinor <= 0n || !isTolerated(target, shortfallMinor, tolerance)) return [];
      const rule = 'reference_short_tolerated';
      return [{ target, rule, allocatedMinor: deposit.amountMinor, excessMinor: 0n, shortfallMinor }];
    }),
};

const otherAmount: MatchingRule = {
  name: 'reference_other_amount',
  propose: (deposit, candidates) =>
    named(deposit, candidates).map((target) => {
      const excess = deposit.amountMinor - outstandingOf(target);
      return excess > 0n
        ? {
            target,
            rule: 'reference_excess',
            allocatedMinor: deposit.amountMinor - excess,
            excessMinor: excess,
            shortfallMinor: 0n,
          }
        : {
            target,
            rule: 'reference_partial',
            allocatedMinor: deposit.amountMinor,
            excessMinor: 0n,
            shortfallMinor: 0n,
          };
    }),
};

/** Contract §14, in order. A further rule is a further entry. */
export const MATCHING_RULES: readonly MatchingRule[] = [exactAmount, shortWithinTolerance, otherAmount];

/**
 * Where a deposit belongs. The first rule with exactly one proposal wins; several proposals of one rule are never
 * decided by a machine.
 */
export function matchDeposit(
  deposit: DepositFacts,
  candidates: Candidates,
  tolerance: Tolerance = DEFAULT_TOLERANCE,
  rules: readonly MatchingRule[] = MATCHING_RULES,
): Match {
  for (const rule of rules) {
    const proposals = rule.propose(deposit, candidates, tolerance);
    if (proposals.length > 1) return exception('ambiguous', 'several_transactions');
    const [allocation] = proposals;
    if (allocation !== undefined) return { outcome: 'matched', allocation };
  }
  return unmatched(deposit, candidates.byReference);
}

function unmatched(deposit: DepositFacts, targets: readonly Target[]): Match {
  const [target] = targets;
  if (deposit.references.length === 0) return exception('unmatched', 'no_reference');
  if (target === undefined) return exception('unmatched', 'unknown_reference');
  if (targets.length > 1) return exception('ambiguous', 'several_transactions');
  if (target.currency !== deposit.currency) return exception('wrong_currency', 'wrong_currency');
  if (target.status === 'cancelled') return exception('unmatched', 'transaction_cancelled');
  return exception('excess', 'nothing_outstanding');
}

function exception(type: ExceptionType, reason: string): Match {
  return { outcome: 'exception', exception: { type, reason } };
}
