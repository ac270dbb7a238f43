import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isTakenIntoBalances } from '../balances/balances.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { PayingCustomer } from './candidate-store.ts';
import { candidatesFor, isHeldThirdParty, type Origin } from './candidates.ts';
import { implausibleDate } from './implausible-dates.ts';
import { type Match, matchDeposit } from './matching.ts';
import type { MatchingSettings } from './matching-settings.ts';
import type { DepositRecord } from './record.ts';
import type { Candidates, Target } from './target.ts';

/** Everything that a decision looks at. */
export interface Surroundings {
  readonly origin: Origin;
  readonly rows: ReadonlyMap<string, TransactionRow>;
  readonly targets: readonly Target[];
  readonly customers: ReadonlyMap<string, PayingCustomer>;
  readonly settings: MatchingSettings;
  /** A person has said that it does not matter who pays. */
  readonly acceptsAnyPayer?: boolean;
}

/** What becomes of a deposit by the rules. Changes nothing, so that a draft of rules can be tried. */
export function decideDeposit(
  deposit: DepositRecord,
  around: Surroundings,
): { readonly match: Match; readonly candidates: Candidates } {
  const candidates = candidatesFor(deposit, around.origin, around.targets, around.customers);
  const facts = {
    ...deposit,
    references: around.origin.references,
    isTakenIntoBalances: isTakenIntoBalances(deposit.currency, deposit.receivedAt),
  };
  const match = matchDeposit(facts, candidates, around.settings);
  return { match: refine(deposit, match, candidates, around), candidates };
}

function refine(
  deposit: DepositRecord,
  match: Match,
  candidates: Candidates & { readonly isTooMany: boolean },
  { origin, customers, rows, acceptsAnyPayer }: Surroundings,
): Match {
  const isHeld = (customerId: string) =>
    acceptsAnyPayer !== true && isHeldThirdParty(deposit, origin, customers.get(customerId));
  const wrongDate = match.outcome === 'exception' ? undefined : implausibleDate(deposit);
  if (wrongDate !== undefined) return exception('implausible_date', wrongDate);
  if (match.outcome === 'topped_up') {
    const { customerId } = match.topUp.target;
    if (origin.bookedFor.includes(customerId)) return exception('duplicate', 'topped_up_by_hand');
    return isHeld(customerId) ? thirdParty(deposit) : match;
  }
  if (match.outcome === 'matched') {
    return match.allocations.some(({ target }) => isHeld(target.customerId)) ? thirdParty(deposit) : match;
  }
  if (match.exception.reason === 'nothing_outstanding') {
    const [target] = candidates.byReference;
    const row = target === undefined ? undefined : rows.get(target.transactionId);
    if (row !== undefined && isPaidTwice(deposit, row)) return exception('duplicate', 'paid_twice');
  }
  if (candidates.isTooMany && candidates.byReference.length === 0) {
    return exception('ambiguous', 'too_many_open_transactions');
  }
  return match;
}

/** Another booking, but the payment that the trade has already: amount and remitter are the same. */
function isPaidTwice(deposit: DepositRecord, row: TransactionRow): boolean {
  const amount = formatAmount(deposit.amountMinor, knownCurrency(deposit.currency));
  const paid = JSON.parse(row.deposits) as { amount: string; remitterName: string | null }[];
  return paid.some((each) => each.amount === amount && each.remitterName === deposit.remitterName);
}

function thirdParty({ remitterName }: DepositRecord): Match {
  return exception('third_party', remitterName === null ? 'remitter_unknown' : 'remitter_is_not_customer');
}

function exception(
  type: 'third_party' | 'duplicate' | 'ambiguous' | 'implausible_date',
  reason: string,
): Match {
  return { outcome: 'exception', exception: { type, reason } };
}
