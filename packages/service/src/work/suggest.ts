import { extractReferences } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import type { PayingCustomer } from '../deposits/candidate-store.ts';
import { customersOf, type Origin, originsOf } from '../deposits/candidates.ts';
import { targetOf } from '../deposits/fund-transaction.ts';
import type { MatchingSettings } from '../deposits/matching-settings.ts';
import { isSamePayer } from '../deposits/payer-name.ts';
import { type DepositRecord, freeMinorOf } from '../deposits/record.ts';
import { rulesInForce } from '../deposits/room.ts';
import { isExpecting, isTolerated, outstandingOf, type Target } from '../deposits/target.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { suggestibleTrades } from './suggestion-store.ts';

/** A trade that a deposit may be for, and what speaks for and against it. */
export interface Suggestion {
  readonly row: TransactionRow;
  readonly target: Target;
  /** 0 to 100. */
  readonly score: number;
  /** Stable codes. */
  readonly reasonsFor: readonly string[];
  readonly reasonsAgainst: readonly string[];
}

export const SUGGESTIONS_MAX = 10; // limit: Suggestions of an exception

/** How much each reason counts. */
const WEIGHTS = {
  reference: 50,
  amount_exact: 30,
  amount_within_tolerance: 22,
  amount_part: 5,
  virtual_account: 25,
  known_remitter: 25,
  remitter_name: 15,
  amount_too_large: -10,
  remitter_name_differs: -5,
  wrong_currency: -60,
  expects_nothing: -50,
  overdue: -5,
} as const;
type Reason = keyof typeof WEIGHTS;

/**
 * Trades that a deposit may be for, the likeliest first. They are found by reference, by what is known of the accounts,
 * and by amount; nothing is decided here.
 */
export async function suggestFor(connection: Queryable, deposit: DepositRecord): Promise<Suggestion[]> {
  const origin = (await originsOf(connection, [deposit])).get(deposit.id);
  if (origin === undefined) return [];
  const customerIds = [origin.accountOwner ?? [], origin.remitterOf].flat();
  const rows = await suggestibleTrades(connection, {
    references: extractReferences(deposit.remittanceText ?? ''),
    customerIds,
    currency: deposit.currency,
    minor: freeMinorOf(deposit),
  });
  const customers = await customersOf(connection, rows, [origin]);
  const settings = await rulesInForce(connection);
  return rows
    .map((row) => judge(deposit, row, origin, customers.get(row.customer_id), settings))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX);
}

function judge(
  deposit: DepositRecord,
  row: TransactionRow,
  origin: Origin,
  customer: PayingCustomer | undefined,
  settings: MatchingSettings,
): Suggestion {
  const target = targetOf(row);
  const reasons: Reason[] = [
    ...(origin.references.includes(target.reference) ? (['reference'] as const) : []),
    ...(origin.accountOwner === target.customerId ? (['virtual_account'] as const) : []),
    ...(origin.remitterOf.includes(target.customerId) ? (['known_remitter'] as const) : []),
    ...nameReasons(deposit, customer),
    ...stateReasons(deposit, target, settings),
  ];
  const sum = reasons.reduce((total, reason) => total + WEIGHTS[reason], 0);
  return {
    row,
    target,
    score: Math.max(0, Math.min(100, sum)),
    reasonsFor: reasons.filter((reason) => WEIGHTS[reason] > 0),
    reasonsAgainst: reasons.filter((reason) => WEIGHTS[reason] < 0),
  };
}

function nameReasons({ remitterName }: DepositRecord, customer: PayingCustomer | undefined): Reason[] {
  if (remitterName === null || customer === undefined) return [];
  return [
    [customer.name, ...customer.payerNames].some((name) => isSamePayer(remitterName, name))
      ? 'remitter_name'
      : 'remitter_name_differs',
  ];
}

function stateReasons(deposit: DepositRecord, target: Target, { tolerance }: MatchingSettings): Reason[] {
  if (target.currency !== deposit.currency) return ['wrong_currency'];
  if (!isExpecting(target.status)) return ['expects_nothing'];
  const missing = outstandingOf(target) - freeMinorOf(deposit);
  const amount: Reason =
    missing === 0n
      ? 'amount_exact'
      : missing < 0n
        ? 'amount_too_large'
        : isTolerated(target, missing, tolerance)
          ? 'amount_within_tolerance'
          : 'amount_part';
  return target.status === 'overdue' ? [amount, 'overdue'] : [amount];
}
