import type { EventType } from '@firmquote/api/operations/events';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Row } from '../database/rows.ts';
import type { NewEvent } from '../events/append.ts';
import type { JournalEntry, PostedKind, Posting } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';

/** A row of `balance_withdrawals` as the driver gives it. */
export type WithdrawalRow = Row<'balance_withdrawals'>;

/** As the customer sees it. */
export function withdrawalView(row: WithdrawalRow): Record<string, unknown> {
  return {
    withdrawalId: typeId('wdr', row.id),
    reference: row.reference,
    status: row.status,
    currency: row.currency,
    amount: formatAmount(BigInt(row.amount_minor), knownCurrency(row.currency)),
    destinationId: typeId('ssi', row.destination_id),
    destinationMasked: row.destination_masked,
    clientReference: row.client_reference,
    bankReference: row.bank_reference,
    paidAt: row.paid_at === null ? null : isoInstant(row.paid_at),
    failure: row.failure,
    version: row.version,
    createdAt: isoInstant(row.created_at),
    updatedAt: isoInstant(row.updated_at),
  };
}

export function operatorWithdrawalView(row: WithdrawalRow): Record<string, unknown> {
  return {
    ...withdrawalView(row),
    customerId: typeId('cus', row.customer_id),
    requestedAs: row.requested_as,
    requestedBy: actorId(row.requested_by),
    approvedBy: row.approved_by === null ? null : actorId(row.approved_by),
    reason: row.reason,
    detail: row.detail,
  };
}

/**
 * What each step books. A request takes the money from the balance and owes it as a payout; a withdrawal that comes to
 * nothing gives it back.
 */
const STEPS = {
  withdrawal_requested: ['customer_balance', 'customer_payable'],
  withdrawal_paid: ['customer_payable', 'bank'],
  withdrawal_undone: ['customer_payable', 'customer_balance'],
  withdrawal_returned: ['bank', 'customer_balance'],
} as const satisfies Partial<
  Record<PostedKind, readonly [debit: Posting['account'], credit: Posting['account']]>
>;
export type WithdrawalStep = keyof typeof STEPS;

export function withdrawalEntry(row: WithdrawalRow, kind: WithdrawalStep): JournalEntry {
  const [debit, credit] = STEPS[kind];
  const { currency } = row;
  const amount = BigInt(row.amount_minor);
  return {
    customerId: row.customer_id,
    kind,
    withdrawalId: row.id,
    postings: [
      { account: debit, currency, amount },
      { account: credit, currency, amount: -amount },
    ],
  };
}

export function withdrawalEvent(row: WithdrawalRow, type: EventType & `withdrawal.${string}`): NewEvent {
  return {
    customerId: row.customer_id,
    type,
    version: row.version,
    status: row.status,
    clientReference: row.client_reference,
    detail: {
      withdrawalId: typeId('wdr', row.id),
      reference: row.reference,
      amount: formatAmount(BigInt(row.amount_minor), knownCurrency(row.currency)),
      currency: row.currency,
      ...(row.failure === null ? {} : { failure: row.failure }),
    },
  };
}
