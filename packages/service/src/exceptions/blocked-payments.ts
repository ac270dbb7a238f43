import { RESOLUTIONS } from '@firmquote/api/operations/exceptions';
import type { Connection } from '../database/pool.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import { blockedPayments, stillBlocked, subjectOf } from '../payments/due-payments.ts';
import { OF_ACCOUNTS } from '../payments/exclusions.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { exceptionSweep } from './exception-sweep.ts';
import type { ExceptionsRoom } from './room.ts';

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
  const blocked = await blockedPayments(connection, BATCH, await reportedIds(connection));
  return blocked.map((due) => ({
    type: 'payout_mismatch' as const,
    reason: due.exclusion ?? '',
    customerId: due.customer_id,
    transactionId: due.transaction_id,
    withdrawalId: due.withdrawal_id,
  }));
}

/** There are as many as payments that wait for an account. */
async function noLongerBlocked(connection: Connection) {
  const { rows: open } = await connection.query<ExceptionRow>(
    `select * from reconciliation_exceptions
     where status = 'open' and type = 'payout_mismatch' and reason = any ($1::text[]) order by id for update`,
    [OF_ACCOUNTS],
  );
  const blocked = await stillBlocked(
    connection,
    open.map((row) => subjectOf(row)),
  );
  return open
    .filter((row) => blocked.get(subjectOf(row)) !== row.reason)
    .map((row) => [row, 'unblocked'] as const);
}

/** What somebody is at work on, or was done with as it is. */
async function reportedIds(connection: Connection): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>({
    name: 'reported_blocked_payments',
    text: `select coalesce(transaction_id, withdrawal_id) as id from reconciliation_exceptions
     where type = 'payout_mismatch' and reason = any ($1::text[]) and (status = 'open' or resolution = any ($2::text[]))`,
    values: [OF_ACCOUNTS, RESOLUTIONS],
  });
  return rows.map((row) => row.id);
}
