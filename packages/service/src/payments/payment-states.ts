import { Problem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { attemptOf, refundOf } from './refund-changes.ts';

/** What the house pays. */
export type Purpose = 'payout' | 'refund' | 'withdrawal' | 'deposit_return';

/** One attempt to pay something. */
export interface PaymentTarget {
  readonly customerId: string;
  /** The transaction, the withdrawal or the return of a deposit that is paid. */
  readonly subjectId: string;
  readonly purpose: Purpose;
  readonly attempt: number;
  readonly amountMinor: bigint;
}

/** Targets as the database writes them in JSON, with amounts as texts. */
export function targetsOf(json: string): PaymentTarget[] {
  const items = JSON.parse(json) as (Omit<PaymentTarget, 'amountMinor'> & { amountMinor: string })[];
  return items.map((item) => ({ ...item, amountMinor: BigInt(item.amountMinor) }));
}

/** What is said of a payment, by a bank or by a person. */
export type ReportKind = 'paid' | 'rejected' | 'returned';

/** How far one attempt to pay something has come. */
export type PaymentState =
  /** Nobody has released it. */
  | 'not_sent'
  /** Credited to the customer's balance: there is nothing that a bank could pay or send back. */
  | 'in_balance'
  | 'sent'
  | 'paid'
  /** Paid, and what it was for has been opened again since: operators decide about any other report. */
  | 'paid_before'
  /** The bank has not made it. */
  | 'rejected'
  /** It left and came back. */
  | 'returned'
  /** It has failed or was given up, and what it was for has gone on since. */
  | 'ended';

/** `moves`: it changes what is known. `known`: nothing is left to be done. `refused`: it cannot be true. */
export type Verdict = 'moves' | 'known' | 'refused';

const NOTHING_TO_PAY = { paid: 'refused', rejected: 'refused', returned: 'refused' } as const;
/** Failing again is no news. */
const OVER = { paid: 'refused', rejected: 'known', returned: 'known' } as const;

/** The one table of what can be said of a payment in each state, whoever says it and whatever is paid. */
const VERDICTS: Readonly<Record<PaymentState, Readonly<Record<ReportKind, Verdict>>>> = {
  not_sent: NOTHING_TO_PAY,
  in_balance: NOTHING_TO_PAY,
  // What is returned has left, whether or not that was reported.
  sent: { paid: 'moves', rejected: 'moves', returned: 'moves' },
  paid: { paid: 'known', rejected: 'refused', returned: 'moves' },
  paid_before: { paid: 'known', rejected: 'refused', returned: 'refused' },
  rejected: { ...OVER, returned: 'moves' },
  returned: OVER,
  ended: OVER,
};

/**
 * What a bank's report of an attempt means.
 * @param reported by other sources, of the same attempt: a debit that is reported after its return is no more
 * than the other half of it, because statements and notifications may come in any order
 */
export function verdictOf(
  state: PaymentState,
  report: ReportKind,
  reported: ReadonlySet<ReportKind>,
): Verdict {
  const verdict = VERDICTS[state][report];
  const isOver = state === 'rejected' || state === 'returned' || state === 'ended';
  return isOver && report === 'paid' && reported.has('returned') ? 'known' : verdict;
}

/**
 * What a person reports must change something, in the order in which it happened: people know what has left.
 * @throws Problem invalid_state_transition
 */
export function requireReport(
  state: PaymentState,
  report: ReportKind,
  { what, from, to }: { readonly what: string; readonly from: string; readonly to: string },
): void {
  if (state === (report === 'returned' ? 'paid' : 'sent')) return;
  const why = state === 'in_balance' ? IN_BALANCE : `${what} that is ${WORDS[state]} cannot be ${report}.`;
  throw new Problem('invalid_state_transition', why, { members: { from, to } });
}

export const IN_BALANCE = 'It was credited to the balance, so no bank can pay or return it.';

const WORDS: Readonly<Record<PaymentState, string>> = {
  not_sent: 'not under way',
  in_balance: 'in the balance',
  sent: 'under way',
  paid: 'paid',
  paid_before: 'paid',
  rejected: 'rejected',
  returned: 'returned',
  ended: 'ended',
};

/** Of an attempt at a trade's payout; an older attempt has failed, or there would be no other. */
export function payoutState(row: TransactionRow, attempt = row.payout_attempts): PaymentState {
  if (row.payout_attempts === 0) return 'not_sent';
  if (row.payout_attempts !== attempt) return 'ended';
  if (row.proceeds === 'balance') return 'in_balance';
  if (row.status === 'settling') return 'sent';
  if (row.status === 'settled') return 'paid';
  if (row.status !== 'settlement_failed') return 'ended';
  return row.payout_status === 'returned' ? 'returned' : 'rejected';
}

/** Of an attempt at a trade's refund. */
export function refundState(row: TransactionRow, attempt?: number): PaymentState {
  const refund = refundOf(row);
  if (refund === undefined) return 'not_sent';
  if (attempt !== undefined && attemptOf(refund) !== attempt) {
    return refund.paidAttempts?.includes(attempt) ? 'paid_before' : 'ended';
  }
  if (refund.status === 'failed') return refund.failure ?? 'rejected';
  return refund.status === 'pending' ? 'sent' : 'paid';
}
