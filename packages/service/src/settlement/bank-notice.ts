import { applyWithdrawalNotice } from '../balances/withdrawal-notice.ts';
import type { WithdrawalRow } from '../balances/withdrawal-record.ts';
import type { Connection } from '../database/pool.ts';
import { changeTransactions, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { findPayment, lockTrades, payoutsByReference } from './notice-store.ts';
import { confirmPayout, rejectPayout, returnPayout } from './payout-changes.ts';
import { attemptOf, failRefund, payRefund, refundOf } from './refund-changes.ts';

/** What a bank tells of a payment of ours: a debit entry of a statement, a status report, a return. */
export interface BankNotice {
  readonly kind: 'paid' | 'rejected' | 'returned';
  readonly endToEndId?: string | undefined;
  readonly uetr?: string | undefined;
  /** Transaction references found anywhere in the entry, for banks that do not hand on what they were given. */
  readonly references?: readonly string[] | undefined;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The bank's own reference of the booking. */
  readonly bankReference?: string | undefined;
  /** When the bank booked it, epoch milliseconds. */
  readonly at: number;
  /** What the bank says of a payment that failed. */
  readonly detail?: string | undefined;
}

/**
 * `applied`: the trades have moved. `known`: they were there already, such as by hand or by another statement.
 * `mismatch`: it is a payment of ours, and something is wrong with it: a person has to look. `unknown`: none of ours.
 */
export type NoticeOutcome =
  | {
      readonly outcome: 'applied' | 'known';
      readonly transactions: readonly TransactionRow[];
      /** Instead, when it is a payment out of a balance. */
      readonly withdrawals?: readonly WithdrawalRow[];
    }
  | {
      readonly outcome: 'mismatch';
      readonly reason: 'amount' | 'currency' | 'state' | 'ambiguous';
      readonly transactions: readonly TransactionRow[];
      readonly withdrawals?: readonly WithdrawalRow[];
    }
  | { readonly outcome: 'unknown' };

interface Target {
  readonly customerId: string;
  readonly transactionId: string;
  readonly purpose: 'payout' | 'refund';
  readonly attempt: number;
}

/**
 * Confirms, rejects or returns payments by what a bank says: found by UETR or EndToEndId, else by the transaction's
 * reference and the exact amount. A payment for several payouts moves all of them or none.
 * Runs in the caller's transaction.
 */
export async function applyBankNotice(
  connection: Connection,
  notice: BankNotice,
  now: number,
): Promise<NoticeOutcome> {
  const withdrawal = await applyWithdrawalNotice(connection, notice, now);
  if (withdrawal !== undefined) return { ...withdrawal, transactions: [] };
  const payment = await findPayment(connection, notice.uetr, notice.endToEndId);
  const targets: readonly Target[] =
    payment?.items ?? (await payoutsByReference(connection, referencesOf(notice), notice));
  if (targets.length === 0) return { outcome: 'unknown' };
  const ids = targets.map((each) => ({ customerId: each.customerId, id: each.transactionId }));
  const rows = await lockTrades(connection, ids);
  if (payment === undefined && targets.length > 1) {
    return { outcome: 'mismatch', reason: 'ambiguous', transactions: rows };
  }
  if (payment !== undefined && payment.currency !== notice.currency) {
    return { outcome: 'mismatch', reason: 'currency', transactions: rows };
  }
  if (payment !== undefined && payment.amountMinor !== notice.amountMinor) {
    return { outcome: 'mismatch', reason: 'amount', transactions: rows };
  }
  const byId = new Map(targets.map((each) => [each.transactionId, each]));
  const states = rows.map((row) => stateOf(row, byId.get(row.id)));
  if (states.every((state) => isTold(state, notice.kind))) return { outcome: 'known', transactions: rows };
  if (states.some((state) => !isMovable(state, notice.kind))) {
    return { outcome: 'mismatch', reason: 'state', transactions: rows };
  }
  const transactions = await changeTransactions(connection, ids, now, (row) =>
    change(row, byId.get(row.id), notice, now),
  );
  return { outcome: 'applied', transactions };
}

/** Statements carry the EndToEndId of a payment that is not ours to know as well: what begins with a reference is one. */
function referencesOf({ references = [], endToEndId }: BankNotice): readonly string[] {
  const told = /^(RF\d{14})(-|$)/.exec(endToEndId ?? '')?.[1];
  return told === undefined ? references : [...new Set([told, ...references])];
}

type State = 'sent' | 'paid' | 'failed' | 'returned';

function stateOf(row: TransactionRow, target: Target | undefined): State {
  if (target?.purpose === 'refund') {
    const refund = refundOf(row);
    if (refund === undefined || attemptOf(refund) !== target.attempt) return 'failed';
    return refund.status === 'pending' ? 'sent' : refund.status;
  }
  if (row.payout_attempts !== target?.attempt) return 'failed';
  if (row.status === 'settling') return 'sent';
  if (row.status === 'settled') return 'paid';
  return row.payout_status === 'returned' ? 'returned' : 'failed';
}

function isTold(state: State, kind: BankNotice['kind']): boolean {
  if (kind === 'paid') return state === 'paid';
  return state === 'failed' || state === 'returned';
}

/** A return of what was never seen to leave is a rejection. */
function isMovable(state: State, kind: BankNotice['kind']): boolean {
  return state === 'sent' || (state === 'paid' && kind === 'returned');
}

function change(
  row: TransactionRow,
  target: Target | undefined,
  notice: BankNotice,
  now: number,
): TransactionChange {
  const { kind, bankReference, detail } = notice;
  const isRefund = target?.purpose === 'refund';
  if (kind === 'paid') {
    if (isRefund) return payRefund(row, notice.at, 'bank_feed', bankReference);
    const confirmed = confirmPayout(row, now, 'bank_feed', bankReference);
    return { ...confirmed, patch: { ...confirmed.patch, paidAt: notice.at } };
  }
  if (isRefund) return failRefund(row, 'bank_feed', detail);
  return row.status === 'settled'
    ? returnPayout(row, now, 'bank_feed', detail)
    : rejectPayout(now, 'bank_feed', 'payout_rejected', detail);
}
