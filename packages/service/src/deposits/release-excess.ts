import type { JournalEntry } from '../ledger/journal.ts';
import { changeTransactions } from '../transactions/change.ts';
import { allocationsOf, clearAllocationExcess } from './allocation-store.ts';
import { backInSuspense, excessChange } from './defund-transaction.ts';
import type { ManualWork } from './operate-deposit.ts';
import { type DepositRecord, isOfTrade } from './record.ts';

export interface Released {
  readonly deposit: DepositRecord;
  /** The house's entries, to be posted last. */
  readonly entries: readonly JournalEntry[];
}

/** Puts what was paid too much back into suspense, so that it can go elsewhere. The trades stay funded. */
export async function releaseExcess(work: ManualWork, deposit: DepositRecord): Promise<Released> {
  if (deposit.excessMinor === 0n) return { deposit, entries: [] };
  const { connection, now } = work;
  const parts = (await allocationsOf(connection, [deposit.id])).filter(isOfTrade);
  const held = parts.filter((each) => each.excessMinor > 0n);
  const ids = held.map((each) => ({ customerId: each.customerId, id: each.transactionId }));
  await changeTransactions(connection, ids, now, (row) => {
    const allocation = held.find((each) => each.transactionId === row.id);
    return allocation === undefined ? undefined : excessChange(row, deposit, allocation);
  });
  await clearAllocationExcess(connection, deposit.id);
  const entries = held.map((each) => backInSuspense(deposit, each.excessMinor, each.transactionId));
  return { deposit: { ...deposit, excessMinor: 0n }, entries };
}
