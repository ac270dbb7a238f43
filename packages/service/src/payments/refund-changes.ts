import type { EventType } from '@firmquote/api/operations/events';
import { type Actor, formatAmount, knownCurrency, writtenMinor } from '@firmquote/fx';
import type { JournalEntry } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** Why money goes back: why the trade was cancelled, or that too much was paid. */
const EXCESS = 'excess';

/** The refund of a transaction as it is kept and shown (docs/interface.md#transactions). */
export interface Refund {
  readonly status: 'pending' | 'paid' | 'failed';
  /** Decimal text with the currency's minor units. */
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly bankReference: string | null;
  /** Counts the instructions of all refunds of the trade, from the second on. */
  readonly attempt?: number;
  readonly paidAt?: string;
  /** What the bank said of one that failed. */
  readonly detail?: string | null;
  /** Of one that failed: the bank has not made it, or it left and came back. */
  readonly failure?: 'rejected' | 'returned';
  /** Earlier ones of the same trade that were paid. */
  readonly paidAttempts?: readonly number[];
}

export function refundOf(row: Pick<TransactionRow, 'refund'>): Refund | undefined {
  return row.refund === null ? undefined : (JSON.parse(row.refund) as Refund);
}

export function attemptOf(refund: Refund): number {
  return refund.attempt ?? 1;
}

/** A refund that is owed from now on, as JSON text. A later one of the same trade is another attempt. */
export function openedRefund(row: TransactionRow, minor: bigint, reason: string): string {
  const earlier = refundOf(row);
  const paid = [
    ...(earlier?.paidAttempts ?? []),
    ...(earlier?.status === 'paid' ? [attemptOf(earlier)] : []),
  ];
  const refund: Refund = {
    status: 'pending',
    amount: formatAmount(minor, knownCurrency(row.sell_currency)),
    currency: row.sell_currency,
    reason,
    bankReference: null,
    ...(earlier === undefined ? {} : { attempt: attemptOf(earlier) + 1 }),
    ...(paid.length === 0 ? {} : { paidAttempts: paid }),
  };
  return JSON.stringify(refund);
}

/**
 * What was paid too much goes back, by an operator's decision: it might as well have been kept for another trade.
 * @throws Problem invalid_state_transition when nothing was paid too much, the trade was cancelled (then all is owed
 * back already), or a refund is under way
 */
export function refundExcess(row: TransactionRow): TransactionChange {
  const excess = BigInt(row.excess_minor);
  if (excess === 0n || row.status === 'cancelled') throw noRefund(row, 'There is no overpayment to refund.');
  if (refundOf(row)?.status === 'pending') throw noRefund(row, 'A refund is already under way.');
  return { code: 'refund_opened', actor: 'operator', patch: { refund: openedRefund(row, excess, EXCESS) } };
}

/**
 * What is left of a refund when money that it is of has never come, and how much less that is. One that is paid is not asked about.
 */
export function lessenedRefund(
  row: TransactionRow,
  minor: bigint,
): { readonly refund: string | null; readonly lessMinor: bigint } {
  const refund = refundOf(row);
  if (refund === undefined) return { refund: null, lessMinor: 0n };
  const owed = minorOf(refund);
  if (owed <= minor) return { refund: null, lessMinor: owed };
  const amount = formatAmount(owed - minor, knownCurrency(refund.currency));
  return { refund: JSON.stringify({ ...refund, amount }), lessMinor: minor };
}

/** The money has left the house. @throws Problem invalid_state_transition when no refund is pending */
export function payRefund(
  row: TransactionRow,
  at: number,
  actor: Actor,
  bankReference: string | undefined,
): TransactionChange {
  const refund = requireRefund(row, 'pending');
  const minor = minorOf(refund);
  const paid: Refund = {
    ...refund,
    status: 'paid',
    bankReference: bankReference ?? null,
    paidAt: isoInstant(at),
  };
  return {
    code: 'refund_paid',
    actor,
    patch: {
      refund: JSON.stringify(paid),
      ...(refund.reason === EXCESS ? { excessMinor: BigInt(row.excess_minor) - minor } : {}),
    },
    entries: [refundEntry(row, minor, 'refund_paid')],
    events: [refundEvent(row, paid, 'refund.paid')],
    detail: { amount: refund.amount, currency: refund.currency },
  };
}

/**
 * The bank refused a refund, or sent it back: then the money is owed again.
 * @param isReturned it left, whether or not that was reported; a paid one always has
 */
export function failRefund(
  row: TransactionRow,
  actor: Actor,
  detail: string | undefined,
  isReturned = false,
): TransactionChange {
  const refund = isReturned
    ? requireRefund(row, 'pending', 'paid', 'failed')
    : requireRefund(row, 'pending', 'paid');
  const minor = minorOf(refund);
  const { paidAt: _, ...rest } = refund;
  const wasPaid = refund.status === 'paid';
  const failure = wasPaid || isReturned ? 'returned' : 'rejected';
  const failed: Refund = { ...rest, status: 'failed', bankReference: null, detail: detail ?? null, failure };
  return {
    code: failure === 'returned' ? 'refund_returned' : 'refund_rejected',
    actor,
    patch: {
      refund: JSON.stringify(failed),
      ...(wasPaid && refund.reason === EXCESS ? { excessMinor: BigInt(row.excess_minor) + minor } : {}),
    },
    entries: wasPaid ? [refundEntry(row, -minor, 'refund_returned')] : [],
    events: [refundEvent(row, failed, 'refund.failed')],
    detail: { amount: refund.amount, currency: refund.currency },
  };
}

/** Whether the trade still has what a refund is of: what was paid too much may have gone elsewhere since it failed. */
export function hasRefundable(row: Pick<TransactionRow, 'refund' | 'excess_minor'>): boolean {
  const refund = refundOf(row);
  if (refund === undefined) return false;
  return refund.reason !== EXCESS || BigInt(row.excess_minor) >= minorOf(refund);
}

/**
 * Once more, to the account that the customer has then.
 * @throws Problem invalid_state_transition when no refund has failed, or what was paid too much is no longer there
 */
export function retryRefund(row: TransactionRow): TransactionChange {
  const { detail: _, failure: _failure, ...refund } = requireRefund(row, 'failed');
  if (!hasRefundable(row)) throw noRefund(row, 'What was paid too much has gone elsewhere since.');
  const again: Refund = { ...refund, status: 'pending', attempt: attemptOf(refund) + 1 };
  return { code: 'refund_retried', actor: 'operator', patch: { refund: JSON.stringify(again) } };
}

export function minorOf(refund: Refund): bigint {
  return writtenMinor(refund.amount, knownCurrency(refund.currency));
}

function requireRefund(row: TransactionRow, ...statuses: readonly Refund['status'][]): Refund {
  const refund = refundOf(row);
  if (refund === undefined || !statuses.includes(refund.status)) {
    const state = refund === undefined ? 'There is no refund.' : `The refund is ${refund.status}.`;
    throw noRefund(row, state);
  }
  return refund;
}

function noRefund(row: TransactionRow, why: string): Problem {
  return new Problem('invalid_state_transition', why, {
    members: { from: refundOf(row)?.status ?? 'none', to: 'refund' },
  });
}

function refundEntry(
  row: TransactionRow,
  minor: bigint,
  kind: 'refund_paid' | 'refund_returned',
): JournalEntry {
  const currency = row.sell_currency;
  return {
    customerId: row.customer_id,
    kind,
    transactionId: row.id,
    postings: [
      { account: 'customer_excess', currency, amount: minor },
      { account: 'bank', currency, amount: -minor },
    ],
  };
}

function refundEvent(row: TransactionRow, refund: Refund, type: EventType & `refund.${string}`) {
  return {
    customerId: row.customer_id,
    type,
    quoteId: row.quote_id,
    transactionId: row.id,
    version: row.version + 1,
    status: row.status,
    clientReference: row.client_reference,
    detail: { amount: refund.amount, currency: refund.currency, reason: refund.reason },
  };
}
