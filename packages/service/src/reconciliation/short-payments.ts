import { formatAmount } from '@firmquote/fx';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { knownCurrency } from '../quotes/record.ts';
import { findTrade } from './candidate-store.ts';
import { type ExceptionRow, openExceptions, writeException } from './exception-store.ts';
import { targetOf } from './fund-transaction.ts';
import type { ReconciliationRoom } from './receive-deposit.ts';
import { lockShortPayments, newestDepositOf, newlyShort, noLongerShort } from './short-store.ts';
import { outstandingOf } from './target.ts';

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

/** Something that a person can do about an exception. */
export interface SuggestedOrder {
  readonly order: 'forgive_shortfall' | 'wait' | 'return' | 'redirect';
  /** Where to send it. */
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
}

/** What can be done about a trade that is short, or a payment whose account was retired; nothing for other exceptions. */
export async function ordersFor(connection: Queryable, row: ExceptionRow): Promise<SuggestedOrder[]> {
  if (row.reason === 'instruction_retired' && row.status === 'open') {
    const path =
      row.transaction_id === null
        ? `/v1/operator/withdrawals/${typeId('wdr', row.withdrawal_id ?? '')}/redirect`
        : `/v1/operator/transactions/${typeId('txn', row.transaction_id)}/redirect-payout`;
    return [{ order: 'redirect', path, body: {} }];
  }
  const { type, status, customer_id: customerId, transaction_id: id } = row;
  if (type !== 'short' || status !== 'open' || customerId === null || id === null) return [];
  const trade = await findTrade(connection, customerId, id);
  const depositId = await newestDepositOf(connection, customerId, id);
  if (trade === undefined) return [];
  const target = targetOf(trade);
  const transactionId = typeId('txn', id);
  const missing = formatAmount(outstandingOf(target), knownCurrency(target.currency));
  const path = `/v1/operator/transactions/${transactionId}`;
  return [
    ...(depositId === undefined
      ? []
      : [
          {
            order: 'forgive_shortfall' as const,
            path: `/v1/operator/deposits/${typeId('dep', depositId)}/forgive`,
            body: { transactionId, amount: missing },
          },
        ]),
    { order: 'wait', path: `${path}/roll-value-date`, body: {} },
    { order: 'return', path: `${path}/unwind`, body: {} },
  ];
}
