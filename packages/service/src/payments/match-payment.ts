import type { Connection } from '../database/pool.ts';
import { inWords, Problem } from '../problems/problem.ts';
import { existingTransaction, transactionNotFound } from '../transactions/list-transactions.ts';
import { applyPaymentReport, type BankPaymentReport } from './bank-payment-report.ts';
import type { PaymentTarget } from './payment-report-store.ts';
import { IN_BALANCE } from './payment-states.ts';
import { minorOf, refundOf } from './refund-changes.ts';

/** A movement of money that an operator declares to be the payout or refund of a trade. */
export interface MatchedPayment
  extends Pick<BankPaymentReport, 'at' | 'bankReference' | 'detail' | 'sourceId'> {
  readonly kind: 'paid' | 'returned';
  readonly transactionId: string | undefined;
  readonly purpose: 'payout' | 'refund';
  readonly currency: string;
}

/**
 * Confirms or returns the current attempt of a payout or refund because an operator has matched a statement entry to it,
 * whatever its amount. In the caller's transaction.
 * @returns minor units that the payment is of
 * @throws Problem transaction_not_found; invalid_state_transition, also for another currency
 */
export async function applyMatchedPayment(
  connection: Connection,
  { transactionId, purpose, kind, ...report }: MatchedPayment,
  now: number,
): Promise<{ readonly paidMinor: bigint; readonly customerId: string }> {
  if (transactionId === undefined) throw transactionNotFound();
  const row = await existingTransaction(connection, transactionId);
  const refund = refundOf(row);
  const target: PaymentTarget & { readonly currency: string } = {
    customerId: row.customer_id,
    subjectId: row.id,
    purpose,
    attempt: purpose === 'payout' ? row.payout_attempts : (refund?.attempt ?? 1),
    amountMinor: purpose === 'payout' ? BigInt(row.buy_minor) : refund === undefined ? 0n : minorOf(refund),
    currency: purpose === 'payout' ? row.buy_currency : row.sell_currency,
  };
  const refuse = (why: string) =>
    new Problem('invalid_state_transition', why, { members: { from: row.status, to: kind } });
  if (target.attempt === 0 || target.amountMinor === 0n)
    throw refuse(`The transaction has no ${purpose} under way.`);
  if (target.currency !== report.currency) {
    throw refuse(`The ${purpose} is in ${target.currency}, the entry in ${report.currency}.`);
  }
  const { currency: _, ...only } = target;
  const outcome = await applyPaymentReport(
    connection,
    { ...report, kind, targets: [only], amountMinor: target.amountMinor },
    now,
  );
  if (outcome.outcome === 'applied' || outcome.outcome === 'known') {
    return { paidMinor: target.amountMinor, customerId: row.customer_id };
  }
  const reason = outcome.outcome === 'mismatch' ? outcome.reason : undefined;
  if (reason === 'in_balance') {
    throw refuse(IN_BALANCE);
  }
  throw refuse(
    reason === 'paid_twice' || reason === 'returned_twice'
      ? `Another entry has already reported that the ${purpose} was ${kind}.`
      : `A ${purpose} of a transaction that is ${inWords(row.status)} cannot be ${kind}.`,
  );
}
