import { inTransaction } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { openExceptions, writeException } from './exception-store.ts';
import type { ReconciliationRoom } from './receive-deposit.ts';
import { lockShortPayments, newlyShort, noLongerShort } from './short-store.ts';

const BATCH = 200;
const EVERY_MS = 1_000;
/** Who did it, as history keeps it. */
const SYSTEM = 'system';

/**
 * A trade that is overdue with a part of its money is work for people (`short`): what is missing is forgiven, waited for,
 * or the money goes back. Before the funding cut-off a part payment is nobody's work, because the rest may be on its
 * way. The exception closes by itself when the rest comes or the trade ends.
 */
export function shortPaymentSweep({ pool, clock }: ReconciliationRoom): Sweep {
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
