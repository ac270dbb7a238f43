import { RESOLUTIONS } from '@firmquote/api/operations/exceptions';
import type { Connection } from '../database/pool.ts';
import { blockedPayments, stillBlocked, subjectOf } from '../payments/due-payments.ts';
import { OF_ACCOUNTS } from '../payments/exclusions.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { exceptionSweep } from './exception-sweep.ts';
import type { ExceptionsRoom } from './room.ts';
import { lockBlockedPayments, reportedBlockedPayments } from './state-exception-store.ts';

const BATCH = 200;

/**
 * A payment that is due and in no settlement run, because its account was retired or is none that a bank could pay to, is work for
 * people (`payout_mismatch`): no machine chooses another account. The exception closes by itself when the payment can go, or
 * is not to be made any more.
 */
export function blockedPaymentSweep(room: ExceptionsRoom): Sweep {
  return exceptionSweep(room, {
    name: 'report_blocked_payments',
    does: 'Opens and closes exceptions for payments that no settlement run can take.',
    everyMs: 5_000,
    lock: 'blocked_payments',
    over: noLongerBlocked,
    arisen: newlyBlocked,
  });
}

async function newlyBlocked(connection: Connection) {
  // Not what somebody is at work on, or was done with as it is.
  const reported = await reportedBlockedPayments(connection, OF_ACCOUNTS, RESOLUTIONS);
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
  const open = await lockBlockedPayments(connection, OF_ACCOUNTS);
  const blocked = await stillBlocked(
    connection,
    open.map((row) => subjectOf(row)),
  );
  return open
    .filter((row) => blocked.get(subjectOf(row)) !== row.reason)
    .map((row) => [row, 'unblocked'] as const);
}
