import type { Connection } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { exceptionSweep } from './exception-sweep.ts';
import type { ExceptionsRoom } from './room.ts';
import { lockNoLongerShort, overShortPayments, unreportedShortTrades } from './state-exception-store.ts';

const BATCH = 200;

/**
 * A trade that is overdue with a part of its money is work for people (`short`): what is missing is forgiven, waited for,
 * or the money goes back. Before the funding cut-off a part payment is nobody's work, because the rest may be on its
 * way. The exception closes by itself when the rest comes or the trade ends. What a person has closed is reported again when the trade
 * had none of its money meanwhile.
 */
export function shortPaymentSweep(room: ExceptionsRoom): Sweep {
  return exceptionSweep(room, {
    name: 'report_short_payments',
    does: 'Opens and closes exceptions for overdue trades that are partly paid.',
    everyMs: 1_000,
    lock: 'short_payments',
    over: noLongerShort,
    overSince: overShortPayments,
    arisen: newlyShort,
  });
}

/** Overdue trades with a part of their money. */
async function newlyShort(connection: Connection) {
  const trades = await unreportedShortTrades(connection, BATCH);
  return trades.map((row) => ({
    type: 'short' as const,
    reason: 'funding_short',
    customerId: row.customer_id,
    transactionId: row.id,
  }));
}

/** Open exceptions of trades that are no longer short, with the status of each trade. */
async function noLongerShort(connection: Connection) {
  const ended = await lockNoLongerShort(connection, BATCH);
  return ended.map(({ trade_status: status, ...row }) => [row, status] as const);
}
