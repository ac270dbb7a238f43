import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isTakenIntoBalances } from '../balances/balances.ts';
import { type BookedTopUp, TOLD_WITHIN_DAYS } from '../balances/replace-top-up.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { evidenceFor, type MatchContext, type PayerEvidence, type PayingCustomer } from './match-context.ts';
import { type Match, matchDeposit } from './matching-rules.ts';
import { isNameOf } from './payer-name.ts';
import { type Candidates, isExpecting, OPEN_TRADES_MAX } from './receivables.ts';
import { type DepositRecord, remitterAccount } from './record.ts';
import { RULE_SCORES } from './scores.ts';
import { implausibleDate } from './timeliness.ts';

interface FoundCandidates extends Candidates {
  readonly isTooMany: boolean;
}

const DAY_MS = 86_400_000;

/** What was decided on a deposit. */
export interface Decided {
  readonly deposit: DepositRecord;
  readonly match: Match;
}

/** What becomes of a deposit by the rules. Changes nothing, so that it serves arrivals, second looks and drafts of rules alike. */
export function decideMatch(deposit: DepositRecord, context: MatchContext): Match {
  return decide(deposit, context, candidatesFor(deposit, context));
}

/**
 * What becomes of deposits, of which a trade is given at most one, and a top-up by hand replaced by at most one.
 * @returns also the deposits for trades and top-ups that have theirs: to be decided anew after it
 */
export function decideWave(
  pending: readonly DepositRecord[],
  context: MatchContext,
): { readonly decided: readonly Decided[]; readonly rest: readonly DepositRecord[] } {
  const decided: Decided[] = [];
  const rest: DepositRecord[] = [];
  const taken = new Set<string>();
  for (const deposit of pending) {
    const candidates = candidatesFor(deposit, context);
    const seen = [candidates.byReference, candidates.byVirtualAccount, candidates.byRemitter].flat();
    const { topUps } = evidenceFor(deposit, context);
    const ids = [...seen.map(({ transactionId }) => transactionId), ...topUps.map(({ id }) => id)];
    if (ids.some((id) => taken.has(id))) {
      rest.push(deposit);
      continue;
    }
    const match = decide(deposit, context, candidates);
    if (match.outcome === 'matched') {
      for (const { target } of match.allocations) taken.add(target.transactionId);
    }
    for (const id of replacedBy({ match })) taken.add(id);
    decided.push({ deposit, match });
  }
  return { decided, rest };
}

/** Ids of the top-ups by hand whose places deposits take. */
export function replacedBy({ match }: Pick<Decided, 'match'>): string[] {
  return match.outcome === 'topped_up' && match.topUp.replaced !== undefined ? [match.topUp.replaced.id] : [];
}

/** Of the trades, those that a deposit may be for. */
function candidatesFor(deposit: DepositRecord, context: MatchContext): FoundCandidates {
  const { receivables, customers } = context;
  const { references, accountOwner, remitterOf, balances } = evidenceFor(deposit, context);
  const openOf = (customerIds: readonly string[]) =>
    receivables.filter(
      ({ customerId, currency, status }) =>
        customerIds.includes(customerId) && currency === deposit.currency && isExpecting(status),
    );
  const byVirtualAccount = accountOwner === null ? [] : openOf([accountOwner]);
  const isTooMany = byVirtualAccount.length > OPEN_TRADES_MAX;
  return {
    byReference: receivables.filter(({ reference }) => references.includes(reference)),
    // Among trades that were not all read nothing can be known to be the only one.
    byVirtualAccount: isTooMany ? [] : byVirtualAccount,
    byRemitter: openOf(remitterOf),
    balances,
    balanceOfAccount:
      accountOwner !== null &&
      byVirtualAccount.length === 0 &&
      customers.get(accountOwner)?.isPreFunded === true
        ? { customerId: accountOwner, reference: null }
        : undefined,
    isTooMany,
  };
}

/** By the rules, unless something about the deposit forbids what they say. */
function decide(deposit: DepositRecord, context: MatchContext, candidates: FoundCandidates): Match {
  const { customers, rows, settings, acceptsAnyPayer } = context;
  const evidence = evidenceFor(deposit, context);
  const { currency, amountMinor, receivedAt } = deposit;
  const { references } = evidence;
  const facts = { amountMinor, currency, references };
  const isTaken = isTakenIntoBalances(currency, receivedAt);
  const byRules = matchDeposit({ ...facts, isTakenIntoBalances: isTaken }, candidates, settings);
  const match = unlessBookedByHand(deposit, evidence, candidates, byRules);
  const isHeld = (customerId: string) =>
    acceptsAnyPayer !== true && isHeldThirdParty(deposit, evidence, customers.get(customerId));
  const wrongDate = match.outcome === 'exception' ? undefined : implausibleDate(deposit);
  if (wrongDate !== undefined) return exception('implausible_date', wrongDate);
  if (match.outcome === 'topped_up') {
    return isHeld(match.topUp.target.customerId) ? thirdParty(deposit) : match;
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

/**
 * What an operator has booked by hand is the same money where reference, currency and amount are: a person has said whose it is. If it names
 * somebody or something else, or may be several, a person decides; so too where it would be credited beside a top-up of another amount or time.
 */
function unlessBookedByHand(
  deposit: DepositRecord,
  { topUps, accountOwner }: PayerEvidence,
  { byReference, balances }: Candidates,
  byRules: Match,
): Match {
  const [replaced, another] = topUps.filter((each) => isSameMoney(each, deposit));
  if (replaced === undefined) {
    const toppedUp = byRules.outcome === 'topped_up' ? byRules.topUp.target.customerId : undefined;
    const isBeside = topUps.some(({ customerId }) => customerId === toppedUp);
    return isBeside ? exception('duplicate', 'topped_up_by_hand') : byRules;
  }
  const owners = [...balances.map(({ customerId }) => customerId), accountOwner ?? []].flat();
  const isElse = byRules.outcome === 'matched' || byReference.length > 0;
  if (another !== undefined || isElse || owners.some((each) => each !== replaced.customerId)) {
    return exception('duplicate', 'topped_up_by_hand');
  }
  const target = { customerId: replaced.customerId, reference: balances[0]?.reference ?? null };
  const rule = 'top_up_by_hand';
  return { outcome: 'topped_up', topUp: { target, replaced, rule, score: RULE_SCORES[rule] } };
}

function isSameMoney(
  { amountMinor, at }: BookedTopUp,
  { amountMinor: minor, bookedOn, receivedAt }: DepositRecord,
): boolean {
  const toldAt = bookedOn ? Date.parse(bookedOn) : receivedAt;
  return BigInt(amountMinor) === minor && Math.abs(toldAt - at) <= TOLD_WITHIN_DAYS * DAY_MS;
}

/** Another entry, but the payment that the trade has already: amount and remitter are the same. */
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

/**
 * Whether the customer is set to have payments of others held, and this one is not known to be its own: from an account
 * that the customer is paid to or that an operator has taken its money from before, or under its name. Who is not named is
 * not known. That money came in on the customer's virtual account says whom it is for, not whose it is.
 */
function isHeldThirdParty(
  deposit: DepositRecord,
  { remitterOf }: PayerEvidence,
  customer: PayingCustomer | undefined,
): boolean {
  if (customer?.thirdPartyPayments !== 'hold') return false;
  if (remitterOf.includes(customer.id)) return false;
  const account = remitterAccount(deposit);
  if (account !== undefined && customer.ownAccounts.includes(account)) return false;
  const { remitterName: reported } = deposit;
  return (
    reported === null || ![customer.name, ...customer.payerNames].some((name) => isNameOf(reported, name))
  );
}
