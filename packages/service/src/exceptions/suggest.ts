import type { Queryable } from '../database/pool.ts';
import { receivableOf } from '../deposits/funding.ts';
import {
  evidenceFor,
  loadMatchContext,
  type MatchContext,
  type PayingCustomer,
} from '../deposits/match-context.ts';
import type { MatchingSettings } from '../deposits/matching-settings.ts';
import { isSamePayer } from '../deposits/payer-name.ts';
import { isExpecting, isTolerated, type OpenReceivable, outstandingOf } from '../deposits/receivables.ts';
import { type DepositRecord, freeMinorOf } from '../deposits/record.ts';
import { REASON_WEIGHTS, type SuggestionReason } from '../deposits/scores.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { suggestibleTransactions } from './suggestion-store.ts';

/** A trade that a deposit may be for, and what speaks for and against it. */
export interface Suggestion {
  readonly row: TransactionRow;
  readonly target: OpenReceivable;
  /** 0 to 100. */
  readonly score: number;
  /** Stable codes. */
  readonly reasonsFor: readonly string[];
  readonly reasonsAgainst: readonly string[];
}

const SUGGESTIONS_MAX = 10; // limit: Suggestions of an exception

/**
 * Trades that a deposit may be for, the likeliest first. They are found by reference, by what is known of the accounts,
 * and by amount; nothing is decided here.
 */
export async function suggestFor(connection: Queryable, deposit: DepositRecord): Promise<Suggestion[]> {
  const context = await loadMatchContext(connection, [deposit], ({ references, open }) =>
    suggestibleTransactions(connection, {
      references,
      customerIds: open.map(({ customerId }) => customerId),
      currency: deposit.currency,
      minor: freeMinorOf(deposit),
    }),
  );
  return suggestionsFrom(deposit, context);
}

/** Of the trades that were found, those for which more speaks than against. */
export function suggestionsFrom(deposit: DepositRecord, context: MatchContext): Suggestion[] {
  return [...context.rows.values()]
    .map((row) => suggestionOf(deposit, row, context))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX);
}

function suggestionOf(deposit: DepositRecord, row: TransactionRow, context: MatchContext): Suggestion {
  const target = receivableOf(row);
  const { references, accountOwner, remitterOf } = evidenceFor(deposit, context);
  const reasons: SuggestionReason[] = [
    ...(references.includes(target.reference) ? (['reference'] as const) : []),
    ...(accountOwner === target.customerId ? (['virtual_account'] as const) : []),
    ...(remitterOf.includes(target.customerId) ? (['known_remitter'] as const) : []),
    ...nameReasons(deposit, context.customers.get(row.customer_id)),
    ...stateReasons(deposit, target, context.settings),
  ];
  const sum = reasons.reduce((total, reason) => total + REASON_WEIGHTS[reason], 0);
  return {
    row,
    target,
    score: Math.max(0, Math.min(100, sum)),
    reasonsFor: reasons.filter((reason) => REASON_WEIGHTS[reason] > 0),
    reasonsAgainst: reasons.filter((reason) => REASON_WEIGHTS[reason] < 0),
  };
}

function nameReasons(
  { remitterName }: DepositRecord,
  customer: PayingCustomer | undefined,
): SuggestionReason[] {
  if (remitterName === null || customer === undefined) return [];
  return [
    [customer.name, ...customer.payerNames].some((name) => isSamePayer(remitterName, name))
      ? 'remitter_name'
      : 'remitter_name_differs',
  ];
}

function stateReasons(
  deposit: DepositRecord,
  target: OpenReceivable,
  { tolerance }: MatchingSettings,
): SuggestionReason[] {
  if (target.currency !== deposit.currency) return ['wrong_currency'];
  if (!isExpecting(target.status)) return ['expects_nothing'];
  const missing = outstandingOf(target) - freeMinorOf(deposit);
  const amount: SuggestionReason =
    missing === 0n
      ? 'amount_exact'
      : missing < 0n
        ? 'amount_too_large'
        : isTolerated(target, missing, tolerance)
          ? 'amount_within_tolerance'
          : 'amount_part';
  return target.status === 'overdue' ? [amount, 'overdue'] : [amount];
}
