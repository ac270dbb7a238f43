import type { Connection } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { existingTransaction, transactionNotFound } from '../transactions/list-transactions.ts';
import { applyBankNotice, type BankNotice } from './bank-notice.ts';
import type { PaymentTarget } from './notice-store.ts';
import { minorOf, refundOf } from './refund-changes.ts';

/** A movement of money that a person says is the payout or refund of a trade. */
export interface MatchedPayment extends Pick<BankNotice, 'at' | 'bankReference' | 'detail' | 'sourceId'> {
  readonly kind: 'paid' | 'returned';
  readonly transactionId: string | undefined;
  readonly purpose: 'payout' | 'refund';
  readonly currency: string;
}

/**
 * Confirms or returns the present attempt of a payout or refund because a person says so of an entry of a statement,
 * whatever its amount. In the caller's transaction.
 * @returns minor units that the payment is of
 * @throws Problem transaction_not_found; invalid_state_transition, also for another currency
 */
export async function applyMatchedPayment(
  connection: Connection,
  { transactionId, purpose, kind, ...notice }: MatchedPayment,
  now: number,
): Promise<bigint> {
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
  if (target.currency !== notice.currency) {
    throw refuse(`The ${purpose} is in ${target.currency}, the entry in ${notice.currency}.`);
  }
  const { currency: _, ...only } = target;
  const told = await applyBankNotice(
    connection,
    { ...notice, kind, targets: [only], amountMinor: target.amountMinor },
    now,
  );
  if (told.outcome === 'applied' || told.outcome === 'known') return target.amountMinor;
  const reason = told.outcome === 'mismatch' ? told.reason : undefined;
  if (reason === 'in_balance') {
    throw refuse('It was credited to the balance: no bank has it to pay or to return.');
  }
  throw refuse(
    reason === 'paid_twice' || reason === 'returned_twice'
      ? `Another entry has told already that the ${purpose} was ${kind}.`
      : `A ${purpose} of a transaction that is ${row.status} cannot be ${kind}.`,
  );
}
