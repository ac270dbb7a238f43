import type { Connection } from '../database/pool.ts';
import { parseTypeId } from '../platform/ids.ts';
import { partsInHistory } from './history-store.ts';
import type { AllocationRecord, DepositRecord } from './record.ts';
import { customersOfTransactions } from './store.ts';

/**
 * Customers whose feeds have said that the deposit arrived: those that have a part of it, and those that had one. Money arrives once,
 * however often people match it.
 */
export async function announcedTo(
  connection: Connection,
  deposit: DepositRecord,
  taken: readonly AllocationRecord[],
): Promise<ReadonlySet<string>> {
  const { transactionIds, customerIds } = await partsInHistory(connection, deposit.id);
  const uuids = (prefix: 'txn' | 'cus', ids: readonly string[]) =>
    ids.flatMap((id) => parseTypeId(prefix, id) ?? []);
  return new Set([
    ...taken.map(({ customerId }) => customerId),
    ...uuids('cus', customerIds),
    ...(await customersOfTransactions(connection, uuids('txn', transactionIds))),
  ]);
}
