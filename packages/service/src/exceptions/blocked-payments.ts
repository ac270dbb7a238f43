import { RESOLUTIONS } from '@firmquote/api/operations/exceptions';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { type ExceptionRow, openExceptions, writeException } from '../deposits/exceptions.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import { blockedPayments, stillBlocked, subjectOf } from '../payments/due-payments.ts';
import { OF_ACCOUNTS } from '../payments/exclusions.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';

const BATCH = 200;
const EVERY_MS = 5_000;
/** Who did it, as history keeps it. */
const SYSTEM = 'system';

/**
 * A payment that is due and in no settlement run, because its account was retired or is none that a bank could pay to, is work for
 * people (`payout_mismatch`): no machine chooses another account. The exception closes by itself when the payment can go, or
 * is not to be made any more.
 */
export function blockedPaymentSweep({ pool, clock }: DepositsRoom): Sweep {
  return {
    name: 'blocked_payments',
    does: 'Opens exceptions for payments that no settlement run can take, and closes them.',
    everyMs: EVERY_MS,
    run: () =>
      inTransaction(pool, async (connection) => {
        if (!(await lockBlockedPayments(connection))) return 0;
        const now = clock.now();
        const closed = await closeUnblocked(connection, now);
        const blocked = await blockedPayments(connection, BATCH, await toldIds(connection));
        const opened = blocked.map((due) => ({
          id: newUuid(now),
          type: 'payout_mismatch' as const,
          reason: due.exclusion ?? '',
          depositId: null,
          customerId: due.customer_id,
          transactionId: due.transaction_id,
          withdrawalId: due.withdrawal_id,
          assignee: null,
          actor: SYSTEM,
        }));
        await openExceptions(connection, opened, now);
        return closed + opened.length;
      }),
  };
}

async function closeUnblocked(connection: Connection, now: number): Promise<number> {
  const open = await openBlocked(connection);
  const blocked = await stillBlocked(
    connection,
    open.map((row) => subjectOf(row)),
  );
  const over = open.filter((row) => blocked.get(subjectOf(row)) !== row.reason);
  for (const row of over) {
    const closed = { ...row, status: 'resolved', resolved_at: now, version: row.version + 1 } as const;
    const step = { actor: SYSTEM, action: 'resolved', note: null } as const;
    await writeException(connection, { ...closed, resolution: 'unblocked' }, step, now);
  }
  return over.length;
}

/** Instances work on this one after the other. @returns false when another one is at it */
async function lockBlockedPayments(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtext('blocked_payments')) as locked",
  );
  return rows[0]?.locked === true;
}

/** Open exceptions of this sweep. There are as many as payments that wait for an account. */
async function openBlocked(connection: Connection): Promise<ExceptionRow[]> {
  const { rows } = await connection.query<ExceptionRow>(
    `select * from reconciliation_exceptions
     where status = 'open' and type = 'payout_mismatch' and reason = any ($1::text[]) order by id for update`,
    [OF_ACCOUNTS],
  );
  return rows;
}

/** What somebody is at work on, or was done with as it is. */
async function toldIds(connection: Queryable): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>({
    name: 'told_blocked_payments',
    text: `select coalesce(transaction_id, withdrawal_id) as id from reconciliation_exceptions
     where type = 'payout_mismatch' and reason = any ($1::text[]) and (status = 'open' or resolution = any ($2::text[]))`,
    values: [OF_ACCOUNTS, RESOLUTIONS],
  });
  return rows.map((row) => row.id);
}
