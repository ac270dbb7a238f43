import { exactGroups, GROUP_SEARCH_MAX } from './exact-groups.ts';
import type { MatchingSettings } from './matching-settings.ts';
import {
  type Allocation,
  type Candidates,
  type DepositFacts,
  isExpecting,
  isTolerated,
  outstandingOf,
  type Target,
} from './target.ts';

/** Every way in which the rule would divide the deposit; two ways are one too many. */
export type MatchingRule = (
  deposit: DepositFacts,
  candidates: Candidates,
  settings: MatchingSettings,
) => readonly (readonly Allocation[])[];

/** Names of the rules as allocations keep them, with how sure each is. */
export const RULE_SCORES = {
  reference_exact: 100,
  references_split: 98,
  reference_short_tolerated: 92,
  reference_partial: 85,
  reference_excess: 85,
  virtual_account_exact: 95,
  virtual_account_group: 88,
  balance_top_up: 100,
  virtual_account_top_up: 90,
} as const;
export type RuleName = keyof typeof RULE_SCORES;

function allocation(
  target: Target,
  rule: RuleName,
  allocatedMinor: bigint,
  rest: { excessMinor?: bigint; shortfallMinor?: bigint } = {},
): Allocation {
  const { excessMinor = 0n, shortfallMinor = 0n } = rest;
  return { target, rule, score: RULE_SCORES[rule], allocatedMinor, excessMinor, shortfallMinor };
}

/** Open trades that the deposit names and whose currency it has. */
function named(deposit: DepositFacts, candidates: Candidates): Target[] {
  return candidates.byReference.filter(
    (target) => isExpecting(target.status) && target.currency === deposit.currency,
  );
}

/** 1: reference, currency and amount. */
const referenceExact: MatchingRule = (deposit, candidates) =>
  named(deposit, candidates)
    .filter((target) => outstandingOf(target) === deposit.amountMinor)
    .map((target) => [allocation(target, 'reference_exact', deposit.amountMinor)]);

/** 1, for several trades of one customer: all that the text names, and together they are the amount. */
const referencesSplit: MatchingRule = (deposit, candidates) => {
  const targets = named(deposit, candidates);
  const isOneCustomer = new Set(targets.map((target) => target.customerId)).size === 1;
  if (targets.length < 2 || !isOneCustomer || targets.length !== candidates.byReference.length) return [];
  const sum = targets.reduce((total, target) => total + outstandingOf(target), 0n);
  if (sum !== deposit.amountMinor) return [];
  return [targets.map((target) => allocation(target, 'references_split', outstandingOf(target)))];
};

/** 2: what banks on the way have kept. */
const shortWithinTolerance: MatchingRule = (deposit, candidates, { tolerance }) =>
  named(deposit, candidates).flatMap((target) => {
    const shortfallMinor = outstandingOf(target) - deposit.amountMinor;
    if (shortfallMinor <= 0n || !isTolerated(target, shortfallMinor, tolerance)) return [];
    return [[allocation(target, 'reference_short_tolerated', deposit.amountMinor, { shortfallMinor })]];
  });

/** 3: a part payment, or more than is expected. */
const otherAmount: MatchingRule = (deposit, candidates) =>
  named(deposit, candidates).map((target) => {
    const excessMinor = deposit.amountMinor - outstandingOf(target);
    return excessMinor > 0n
      ? [allocation(target, 'reference_excess', deposit.amountMinor - excessMinor, { excessMinor })]
      : [allocation(target, 'reference_partial', deposit.amountMinor)];
  });

/** A text that names trades speaks for these; whose account the money came in on does not overrule it. */
function ofAccount({ currency }: DepositFacts, candidates: Candidates): Target[] {
  if (candidates.byReference.length > 0) return [];
  return candidates.byVirtualAccount
    .filter((target) => isExpecting(target.status) && target.currency === currency)
    .sort((a, b) =>
      a.valueDate === b.valueDate
        ? a.transactionId < b.transactionId
          ? -1
          : 1
        : a.valueDate < b.valueDate
          ? -1
          : 1,
    );
}

/** 4: the customer's virtual account, currency and amount. */
const virtualAccountExact: MatchingRule = (deposit, candidates) =>
  ofAccount(deposit, candidates)
    .filter((target) => outstandingOf(target) === deposit.amountMinor)
    .map((target) => [allocation(target, 'virtual_account_exact', deposit.amountMinor)]);

/** 4, for several trades whose sum is the amount: those with the oldest value dates, or the only ones. */
const virtualAccountGroup: MatchingRule = (deposit, candidates, { groupSizeMax }) => {
  const targets = ofAccount(deposit, candidates);
  const groups = exactGroups(targets, outstandingOf, deposit.amountMinor, groupSizeMax, GROUP_SEARCH_MAX);
  return groups.map((group) =>
    group.map((target) => allocation(target, 'virtual_account_group', outstandingOf(target))),
  );
};

/** docs/interface.md#matching, in order. Rules 5 (known remitter) and 6 match nothing; see `matchDeposit`. */
export const MATCHING_RULES: readonly MatchingRule[] = [
  referenceExact,
  referencesSplit,
  shortWithinTolerance,
  otherAmount,
  virtualAccountExact,
  virtualAccountGroup,
];
