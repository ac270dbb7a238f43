import type { ExceptionType } from '@firmquote/api/operations/deposits';
import { DEFAULT_MATCHING_SETTINGS, type MatchingSettings } from './matching-settings.ts';
import {
  type Allocation,
  type BalanceTarget,
  type Candidates,
  type DepositException,
  type DepositFacts,
  isExpecting,
  isTolerated,
  type OpenReceivable,
  outstandingOf,
  type TopUp,
} from './receivables.ts';
import { RULE_SCORES, type RuleName } from './scores.ts';

export type Match =
  | { readonly outcome: 'matched'; readonly allocations: readonly Allocation[] }
  | { readonly outcome: 'topped_up'; readonly topUp: TopUp }
  | { readonly outcome: 'exception'; readonly exception: DepositException };

/**
 * Where a deposit belongs. The first rule with exactly one proposal wins; several proposals of one rule are never
 * decided by a machine. A rule that is set to suggest decides nothing either, but ends the search.
 */
export function matchDeposit(
  deposit: DepositFacts,
  candidates: Candidates,
  settings: MatchingSettings = DEFAULT_MATCHING_SETTINGS,
  rules: readonly MatchingRule[] = MATCHING_RULES,
): Match {
  if (candidates.balances.length > 0) return namedBalance(deposit, candidates, settings);
  for (const propose of rules) {
    const proposals = propose(deposit, candidates, settings);
    if (proposals.length > 1) return exception('ambiguous', 'several_transactions');
    const [allocations] = proposals;
    const rule = allocations?.[0]?.rule;
    if (allocations === undefined || rule === undefined) continue;
    if (settings.suggestOnly.has(rule)) return exception('unmatched', 'suggested');
    return { outcome: 'matched', allocations };
  }
  const { balanceOfAccount, byReference } = candidates;
  if (balanceOfAccount !== undefined && byReference.length === 0) {
    return toppedUp(deposit, balanceOfAccount, 'virtual_account_top_up', settings);
  }
  return unmatched(deposit, candidates);
}

/** A text that names a balance and something else as well does not say which of them it means. */
function namedBalance(deposit: DepositFacts, candidates: Candidates, settings: MatchingSettings): Match {
  const [target, other] = candidates.balances;
  if (candidates.byReference.length > 0) return exception('ambiguous', 'transaction_and_balance');
  if (target === undefined || other !== undefined) return exception('ambiguous', 'several_balances');
  return toppedUp(deposit, target, 'balance_top_up', settings);
}

function toppedUp(
  deposit: DepositFacts,
  target: BalanceTarget,
  rule: 'balance_top_up' | 'virtual_account_top_up',
  { suggestOnly }: MatchingSettings,
): Match {
  if (!deposit.isTakenIntoBalances) return exception('wrong_currency', 'currency_not_tradable');
  if (suggestOnly.has(rule)) return exception('unmatched', 'suggested');
  return { outcome: 'topped_up', topUp: { target, rule, score: RULE_SCORES[rule] } };
}

function unmatched(deposit: DepositFacts, candidates: Candidates): Match {
  const targets = candidates.byReference;
  const [target] = targets;
  if (target === undefined) {
    if (candidates.byRemitter.some((each) => outstandingOf(each) === deposit.amountMinor)) {
      return exception('unmatched', 'known_remitter');
    }
    return exception('unmatched', deposit.references.length === 0 ? 'no_reference' : 'unknown_reference');
  }
  if (targets.length > 1) return exception('ambiguous', 'several_transactions');
  if (target.currency !== deposit.currency) return exception('wrong_currency', 'wrong_currency');
  if (target.status === 'cancelled') return exception('unmatched', 'transaction_cancelled');
  return exception('excess', 'nothing_outstanding');
}

function exception(type: ExceptionType, reason: string): Match {
  return { outcome: 'exception', exception: { type, reason } };
}

/** Every way in which the rule would divide the deposit; two ways are one too many. */
type MatchingRule = (
  deposit: DepositFacts,
  candidates: Candidates,
  settings: MatchingSettings,
) => readonly (readonly Allocation[])[];

function allocation(
  target: OpenReceivable,
  rule: RuleName,
  allocatedMinor: bigint,
  rest: { excessMinor?: bigint; shortfallMinor?: bigint } = {},
): Allocation {
  const { excessMinor = 0n, shortfallMinor = 0n } = rest;
  return { target, rule, score: RULE_SCORES[rule], allocatedMinor, excessMinor, shortfallMinor };
}

/** Open trades that the deposit names and whose currency it has. */
function named(deposit: DepositFacts, candidates: Candidates): OpenReceivable[] {
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
function ofAccount({ currency }: DepositFacts, candidates: Candidates): OpenReceivable[] {
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
  const how: Grouping<OpenReceivable> = { amountOf: outstandingOf, dateOf: ({ valueDate }) => valueDate };
  const groups = exactGroups(targets, how, deposit.amountMinor, groupSizeMax, GROUP_SEARCH_MAX);
  return groups.map((group) =>
    group.map((target) => allocation(target, 'virtual_account_group', outstandingOf(target))),
  );
};

/** docs/interface.md#matching, in order. Rules 5 (known remitter) and 6 match nothing; see `matchDeposit`. */
const MATCHING_RULES: readonly MatchingRule[] = [
  referenceExact,
  referencesSplit,
  shortWithinTolerance,
  otherAmount,
  virtualAccountExact,
  virtualAccountGroup,
];

/** Of more items than this only the first ones are looked at together: five of twenty are 15,504 ways, and no more. */
export const GROUP_SEARCH_MAX = 20; // limit: Open trades of a customer and currency that are searched for groups

/** What groups are made by: amounts are more than zero, and items are in the order of their dates. */
interface Grouping<T> {
  readonly amountOf: (item: T) => bigint;
  readonly dateOf: (item: T) => string;
}

/**
 * Groups of 2 to `sizeMax` items whose amounts add up to the sum exactly. The first items in the order given go before
 * all others (docs/reconciliation.md#how-a-deposit-is-matched: oldest value date first); which of those of one date come first says
 * nothing, so where others of the last date would do as well they are answered too. At most two groups are answered, which is enough to
 * know that it is not the only one.
 */
export function exactGroups<T>(
  items: readonly T[],
  { amountOf, dateOf }: Grouping<T>,
  sum: bigint,
  sizeMax: number,
  searchMax: number,
): T[][] {
  let first = 0n;
  for (const [index, item] of items.slice(0, sizeMax).entries()) {
    first += amountOf(item);
    if (first !== sum || index === 0) continue;
    const older = items.slice(0, index + 1).filter((each) => dateOf(each) !== dateOf(item));
    const alike = items.filter((each) => dateOf(each) === dateOf(item));
    if (older.length + alike.length === index + 1) return [[...older, ...alike]];
    if (alike.length > searchMax) return [];
    const rest = older.reduce((left, each) => left - amountOf(each), sum);
    const sizes = { min: 2 - older.length, max: sizeMax - older.length };
    return search(alike, amountOf, rest, sizes).map((group) => [...older, ...group]);
  }
  if (items.length > searchMax) return [];
  return search(items, amountOf, sum, { min: 2, max: sizeMax });
}

/** At most two. */
function search<T>(
  items: readonly T[],
  amountOf: (item: T) => bigint,
  sum: bigint,
  { min, max }: { readonly min: number; readonly max: number },
): T[][] {
  const found: T[][] = [];
  const group: T[] = [];
  const look = (from: number, rest: bigint): void => {
    for (let index = from; index < items.length && found.length < 2; index++) {
      const item = items[index] as T;
      const left = rest - amountOf(item);
      if (left < 0n) continue;
      group.push(item);
      if (left === 0n && group.length >= min) found.push([...group]);
      else if (left > 0n && group.length < max) look(index + 1, left);
      group.pop();
    }
  };
  look(0, sum);
  return found;
}
