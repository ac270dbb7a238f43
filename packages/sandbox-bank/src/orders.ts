import type { OrderedPayment, OrderedPayments } from '@firmquote/bank-formats';
import type { Rejection } from './messages.ts';
import { type Movement, movement } from './movement.ts';

/** ISO external status reason: the account of the payee is closed. */
export const REJECTION_REASON = 'AC04';

/** What the bank is to do with a payment that is ordered from it. */
export interface OrderFacts {
  /** What the debit is booked under. */
  readonly source: string;
  readonly isRefused: boolean;
  readonly isPaid: boolean;
}

/**
 * Executes a payment file: debits of what is paid, and rejections. What was paid before is passed over.
 * @param known by end-to-end id
 */
export function executeOrders(
  { messageId, payments }: OrderedPayments,
  known: ReadonlyMap<string, OrderFacts>,
): { readonly movements: readonly Movement[]; readonly rejections: readonly Rejection[] } {
  const movements: Movement[] = [];
  const rejections: Rejection[] = [];
  for (const payment of payments) {
    const facts = known.get(payment.endToEndId);
    if (facts === undefined) throw new Error(`payment ${payment.endToEndId} is in the file only`);
    if (facts.isRefused) rejections.push({ ...payment, messageId, reason: REJECTION_REASON });
    else if (!facts.isPaid) movements.push(debitOf(payment, facts.source));
  }
  return { movements, rejections };
}

function debitOf(payment: OrderedPayment, source: string): Movement {
  const { debtor, amountMinor, endToEndId, uetr, paymentInformationId, remittanceText } = payment;
  return movement({
    source,
    account: debtor,
    direction: 'debit',
    kind: 'payment',
    ...{ amountMinor, endToEndId, uetr, paymentInformationId, remittanceText },
    counterpartyName: payment.creditorName,
    counterpartyAccount: payment.creditorAccount,
  });
}
