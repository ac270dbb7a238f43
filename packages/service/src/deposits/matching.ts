import type { ExceptionType } from '@firmquote/api/operations/deposits';
import { MATCHING_RULES, type MatchingRule, RULE_SCORES } from './matching-rules.ts';
import { DEFAULT_MATCHING_SETTINGS, type MatchingSettings } from './matching-settings.ts';
import {
  type Allocation,
  type BalanceTarget,
  type Candidates,
  type DepositException,
  type DepositFacts,
  outstandingOf,
  type TopUp,
} from './target.ts';

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
