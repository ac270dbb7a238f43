import { RESOLUTIONS } from '@firmquote/api/operations/exceptions';
import type { Connection } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import type { ExceptionRow } from '../deposits/exceptions.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { exceptionSweep } from './exception-sweep.ts';
import type { ExceptionsRoom } from './room.ts';

const BATCH = 200;

/**
 * A trade that is overdue with a part of its money is work for people (`short`): what is missing is forgiven, waited for,
 * or the money goes back. Before the funding cut-off a part payment is nobody's work, because the rest may be on its
 * way. The exception closes by itself when the rest comes or the trade ends.
 */
export function shortPaymentSweep(room: ExceptionsRoom): Sweep {
  return exceptionSweep(room, {
    name: 'report_short_payments',
    does: 'Opens and closes exceptions for overdue trades that are partly paid.',
    everyMs: 1_000,
    lock: 'short_payments',
    over: noLongerShort,
    arisen: newlyShort,
  });
}

/** Overdue trades with a part of their money. */
async function newlyShort(connection: Connection) {
  const { rows } = await connection.query<Pick<Row<'transactions'>, 'customer_id' | 'id'>>({
    name: 'short_payments',
    text: `select t.customer_id, t.id from transactions t
     where t.status = 'overdue' and t.received_minor > 0
       and not exists (
         select from reconciliation_exceptions e where e.transaction_id = t.id and e.type = 'short'
           and (e.status = 'open' or e.resolution = any ($1::text[])))
     order by t.id limit $2`,
    values: [RESOLUTIONS, BATCH],
  });
  return rows.map((row) => ({
    type: 'short' as const,
    reason: 'funding_short',
    customerId: row.customer_id,
    transactionId: row.id,
  }));
}

/** Open exceptions of trades that are no longer short, with the status of each trade. */
async function noLongerShort(connection: Connection) {
  const { rows } = await connection.query<ExceptionRow & { trade_status: string }>(
    `select e.*, t.status as trade_status from reconciliation_exceptions e
     join transactions t on t.customer_id = e.customer_id and t.id = e.transaction_id
     where e.type = 'short' and e.status = 'open' and (t.status <> 'overdue' or t.received_minor = 0)
     order by e.id limit $1 for update of e`,
    [BATCH],
  );
  return rows.map(({ trade_status: status, ...row }) => [row, status] as const);
}
