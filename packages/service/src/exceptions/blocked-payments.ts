import type { Connection } from '../database/pool.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import { blockedPayments, stillBlocked, subjectOf } from '../payments/due-payments.ts';
import { OF_ACCOUNTS } from '../payments/exclusions.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { exceptionSweep } from './exception-sweep.ts';
import type { ExceptionsRoom } from './room.ts';
import { doneWithPayments, lockBlockedPayments } from './state-exception-store.ts';

const BATCH = 200;

/**
 * A payment that is due and in no settlement run, because its account was retired or is none that a bank could pay to, is work for
 * people (`payout_mismatch`): no machine chooses another account. The exception closes by itself when the payment can go, or
 * is not to be made any more. What a person has closed is reported again when it was over and has come again.
 */
export function blockedPaymentSweep(room: ExceptionsRoom): Sweep {
  return exceptionSweep(room, {
    name: 'report_blocked_payments',
    does: 'Opens and closes exceptions for payments that no settlement run can take.',
    everyMs: 5_000,
    lock: 'blocked_payments',
    over: noLongerBlocked,
    overSince: doneWithAndOver,
    arisen: newlyBlocked,
  });
}

async function newlyBlocked(connection: Connection) {
  // Not what somebody is at work on, or was done with as it is.
  const open = await lockBlockedPayments(connection, OF_ACCOUNTS);
  const reported = [...open, ...(await doneWithPayments(connection, OF_ACCOUNTS))].map(subjectOf);
  const blocked = await blockedPayments(connection, BATCH, reported);
  return blocked.map((due) => ({
    type: 'payout_mismatch' as const,
    reason: due.exclusion ?? '',
    // What goes back to who sent it is no customer's.
    customerId: due.return_id === null ? due.customer_id : null,
    transactionId: due.transaction_id,
    withdrawalId: due.withdrawal_id,
    returnId: due.return_id,
  }));
}

/** There are as many as payments that wait for an account. */
async function noLongerBlocked(connection: Connection) {
  const over = await noLongerSo(connection, await lockBlockedPayments(connection, OF_ACCOUNTS));
  return over.map((row) => [row, 'unblocked'] as const);
}

async function doneWithAndOver(connection: Connection): Promise<string[]> {
  const over = await noLongerSo(connection, await doneWithPayments(connection, OF_ACCOUNTS));
  return over.map(({ id }) => id);
}

/** Those whose payment can be made, is not to be made any more, or is blocked for another reason. */
async function noLongerSo(connection: Connection, rows: readonly ExceptionRow[]): Promise<ExceptionRow[]> {
  const blocked = await stillBlocked(connection, rows.map(subjectOf));
  return rows.filter((row) => blocked.get(subjectOf(row)) !== row.reason);
}
