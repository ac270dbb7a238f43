import { RESOLUTIONS } from '@firmquote/api/operations/exceptions';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import { type ExceptionRow, openExceptions, writeException } from '../deposits/exceptions.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';

const BATCH = 200;
const EVERY_MS = 1_000;
/** Who did it, as history keeps it. */
const SYSTEM = 'system';

/**
 * A trade that is overdue with a part of its money is work for people (`short`): what is missing is forgiven, waited for,
 * or the money goes back. Before the funding cut-off a part payment is nobody's work, because the rest may be on its
 * way. The exception closes by itself when the rest comes or the trade ends.
 */
export function shortPaymentSweep({ pool, clock }: DepositsRoom): Sweep {
  return {
    name: 'short_payments',
    does: 'Opens exceptions for overdue trades with a part of their money, and closes them.',
    everyMs: EVERY_MS,
    run: () =>
      inTransaction(pool, async (connection) => {
        if (!(await lockShortPayments(connection))) return 0;
        const now = clock.now();
        const over = await noLongerShort(connection, BATCH);
        for (const { trade_status: resolution, ...row } of over) {
          const closed = {
            ...row,
            status: 'resolved',
            resolved_at: now,
            resolution,
            version: row.version + 1,
          } as const;
          await writeException(connection, closed, { actor: SYSTEM, action: 'resolved', note: null }, now);
        }
        const short = await newlyShort(connection, BATCH);
        const opened = short.map(({ customerId, id: transactionId }) => ({
          id: newUuid(now),
          type: 'short' as const,
          reason: 'funding_short',
          depositId: null,
          customerId,
          transactionId,
          assignee: null,
          actor: SYSTEM,
        }));
        await openExceptions(connection, opened, now);
        return over.length + opened.length;
      }),
  };
}

/** Instances work on this one after the other. @returns false when another one is at it */
async function lockShortPayments(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtext('short_payments')) as locked",
  );
  return rows[0]?.locked === true;
}

/** Overdue trades with a part of their money that nobody is at work on, and nobody was done with. */
async function newlyShort(
  connection: Queryable,
  rowsMax: number,
): Promise<{ readonly customerId: string; readonly id: string }[]> {
  const { rows } = await connection.query<{ customerId: string; id: string }>({
    name: 'short_payments',
    text: `select t.customer_id as "customerId", t.id from transactions t
     where t.status = 'overdue' and t.received_minor > 0
       and not exists (
         select from reconciliation_exceptions e where e.transaction_id = t.id and e.type = 'short'
           and (e.status = 'open' or e.resolution = any ($1::text[])))
     order by t.id limit $2`,
    values: [RESOLUTIONS, rowsMax],
  });
  return rows;
}

/** Open exceptions of trades that are no longer short, with what became of each trade. */
async function noLongerShort(
  connection: Connection,
  rowsMax: number,
): Promise<(ExceptionRow & { readonly trade_status: string })[]> {
  const { rows } = await connection.query<ExceptionRow & { trade_status: string }>(
    `select e.*, t.status as trade_status from reconciliation_exceptions e
     join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
     where e.type = 'short' and e.status = 'open' and (t.status <> 'overdue' or t.received_minor = 0)
     order by e.id limit $1 for update of e`,
    [rowsMax],
  );
  return rows;
}
