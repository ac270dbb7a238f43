import type { Actor } from '@firmquote/fx';
import type { Present, Row } from '../database/rows.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { isoInstant } from '../platform/clock.ts';
import type { TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';

/** Why a payout did not arrive (docs/interface.md#transactions). */
export type PayoutFailure = 'payout_rejected' | 'payout_returned' | 'beneficiary_invalid';

/**
 * Transition 8: the payout is handed to the bank, or goes into the customer's balance. Booked only when that is done.
 * @param toBalance the customer wants what it buys in its balance
 */
export function startSettlement(row: TransactionRow, actor: Actor, toBalance = false): TransactionChange {
  return {
    to: 'settling',
    code: 'settlement_started',
    actor,
    patch: {
      payoutStatus: 'sent',
      payoutAttempts: row.payout_attempts + 1,
      ...(toBalance ? { proceeds: 'balance' as const } : {}),
    },
  };
}

/** Transition 9: the money has left the house. */
export function confirmPayout(
  row: TransactionRow,
  now: number,
  actor: Actor,
  bankReference: string | undefined,
): TransactionChange {
  return {
    to: 'settled',
    code: 'payout_confirmed',
    actor,
    patch: {
      payoutStatus: 'paid',
      payoutReference: bankReference ?? null,
      paidAt: now,
      settledAt: now,
      statusReason: null,
      failure: null,
    },
    entries: [payoutEntry(row, 'payout_sent')],
  };
}

/** Transition 9 without a bank: what was bought is the customer's in its balance. */
export function creditProceeds(row: TransactionRow, now: number): TransactionChange {
  const minor = BigInt(row.buy_minor);
  return {
    to: 'settled',
    code: 'proceeds_credited',
    actor: 'system',
    patch: { payoutStatus: 'paid', paidAt: now, settledAt: now, statusReason: null, failure: null },
    entries: [
      {
        customerId: row.customer_id,
        kind: 'proceeds_credited',
        transactionId: row.id,
        postings: [
          { account: 'customer_payable', currency: row.buy_currency, amount: minor },
          { account: 'customer_balance', currency: row.buy_currency, amount: -minor },
        ],
      },
    ],
  };
}

/** Transition 10: the bank refused. Nothing was booked, so nothing is taken back. */
export function rejectPayout(
  now: number,
  actor: Actor,
  reason: Exclude<PayoutFailure, 'payout_returned'>,
  detail: string | undefined,
): TransactionChange {
  return {
    to: 'settlement_failed',
    code: reason,
    actor,
    patch: { payoutStatus: 'rejected', statusReason: reason, failure: failureJson(reason, detail, now) },
  };
}

/**
 * Transition 11: the money came back. What is owed to the customer is owed again. Of a payout that was never seen to leave
 * (transition 10, or none when the bank had rejected it before) neither way was booked.
 */
export function returnPayout(
  row: TransactionRow,
  now: number,
  actor: Actor,
  detail: string | undefined,
): TransactionChange {
  return {
    ...(row.status === 'settlement_failed' ? {} : { to: 'settlement_failed' }),
    code: 'payout_returned',
    actor,
    patch: {
      payoutStatus: 'returned',
      statusReason: 'payout_returned',
      failure: failureJson('payout_returned', detail, now),
      settledAt: null,
    },
    entries: row.status === 'settled' ? [payoutEntry(row, 'payout_returned')] : [],
  };
}

/** Where a payout goes: a settlement instruction and the form in which it is shown. */
export type PayoutDestination = Present<Pick<Row<'settlement_instructions'>, 'id' | 'masked'>>;

/** Transition 12: once more, to the account that the customer has now. */
export function retryPayout(
  row: TransactionRow,
  actor: Actor,
  destination: PayoutDestination | undefined,
): TransactionChange {
  return {
    to: 'settling',
    code: 'payout_retried',
    actor,
    patch: {
      payoutStatus: 'sent',
      payoutAttempts: row.payout_attempts + 1,
      payoutReference: null,
      paidAt: null,
      statusReason: null,
      failure: null,
      ...(destination === undefined
        ? {}
        : { destinationId: destination.id, destinationMasked: destination.masked }),
    },
  };
}

/** A payout that is not at the bank goes to the account that the customer has now, because a person says so. */
export function redirectPayout(destination: PayoutDestination): TransactionChange {
  return {
    code: 'payout_redirected',
    actor: 'operator',
    patch: { destinationId: destination.id, destinationMasked: destination.masked },
    detail: { destinationMasked: destination.masked },
  };
}

function payoutEntry(row: TransactionRow, kind: 'payout_sent' | 'payout_returned'): JournalEntry {
  const amount = BigInt(row.buy_minor);
  const minor = kind === 'payout_sent' ? amount : -amount;
  return {
    customerId: row.customer_id,
    kind,
    transactionId: row.id,
    postings: [
      { account: 'customer_payable', currency: row.buy_currency, amount: minor },
      { account: 'bank', currency: row.buy_currency, amount: -minor },
    ],
  };
}

function failureJson(code: PayoutFailure, detail: string | undefined, now: number): string {
  return JSON.stringify({ code, detail: detail ?? null, at: isoInstant(now) });
}
