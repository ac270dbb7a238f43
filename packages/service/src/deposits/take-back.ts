import type { Connection } from '../database/pool.ts';
import type { JournalEntry } from '../ledger/journal.ts';
import { isInRun } from '../payments/end-run.ts';
import { refundState } from '../payments/payment-states.ts';
import { attemptOf, lessenedRefund, refundOf } from '../payments/refund-changes.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { canGiveBack, defundingChange, hasExcess, unmatchedEvent } from './defund-transaction.ts';
import type { AllocationRecord, DepositRecord, TransactionAllocation } from './record.ts';

/** What has come of money that there never was, as long as nothing of it has left the house. */

/**
 * Whether a trade can be without it again: until its payout begins, and a cancelled one until its refund is in a settlement run, unless what
 * was paid too much was refunded before, or is about to be.
 */
export async function canBeWithout(
  connection: Connection,
  row: TransactionRow,
  { excessMinor }: Pick<AllocationRecord, 'excessMinor'>,
): Promise<boolean> {
  if (row.status !== 'cancelled') return canGiveBack(row) && hasExcess(row, excessMinor);
  if (BigInt(row.excess_minor) < excessMinor) return false;
  const refund = refundOf(row);
  if (refund === undefined) return true;
  if (refundState(row) === 'paid') return false;
  const attempt = { purpose: 'refund', attempt: attemptOf(refund) } as const;
  return !(await isInRun(connection, { customerId: row.customer_id, subjectId: row.id, ...attempt }));
}

/** What that does to a trade, of which {@link canBeWithout} has been asked. */
export const withoutChange: typeof defundingChange = (row, deposit, allocation, by) =>
  row.status === 'cancelled'
    ? lessRefunded(row, deposit, allocation)
    : defundingChange(row, deposit, allocation, by);

/** A cancelled trade owes its customer so much less. What the refund does not have, because it bore a loss, the customer owes. */
function lessRefunded(
  row: TransactionRow,
  deposit: DepositRecord,
  { allocatedMinor, excessMinor, shortfallMinor }: TransactionAllocation,
): TransactionChange {
  const { id, currency } = deposit;
  const depositId = typeId('dep', id);
  const taken = allocatedMinor + excessMinor;
  const { refund, lessMinor } = lessenedRefund(row, taken);
  const deposits = JSON.parse(row.deposits) as { depositId: string }[];
  return {
    code: 'deposit_removed',
    actor: 'operator',
    patch: {
      receivedMinor: BigInt(row.received_minor) - allocatedMinor,
      shortfallMinor: BigInt(row.shortfall_minor) - shortfallMinor,
      excessMinor: BigInt(row.excess_minor) - excessMinor,
      deposits: JSON.stringify(deposits.filter((each) => each.depositId !== depositId)),
      refund,
    },
    entries: [
      {
        customerId: row.customer_id,
        kind: 'deposit_deallocated',
        transactionId: row.id,
        depositId: id,
        postings: [
          { account: 'bank', currency, amount: -taken },
          { account: 'customer_excess', currency, amount: taken },
        ],
      },
      ...(taken === lessMinor ? [] : [lossOwed(row, deposit, taken - lessMinor)]),
    ],
    events: [unmatchedEvent(row, deposit, allocatedMinor)],
    detail: { depositId },
  };
}

/** The money that had borne the loss of the trade is gone. */
function lossOwed(row: TransactionRow, { id, currency }: DepositRecord, minor: bigint): JournalEntry {
  return {
    customerId: row.customer_id,
    kind: 'close_out',
    transactionId: row.id,
    depositId: id,
    postings: [
      { account: 'customer_receivable', currency, amount: minor },
      { account: 'customer_excess', currency, amount: -minor },
    ],
  };
}
