import { isDeepStrictEqual } from 'node:util';
import { afterCommit } from '../database/enclosure.ts';
import { type Connection, inTransaction } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import type { CustomerSettings } from './profile.ts';
import { type CustomerRecord, customerNotFound, readSettings } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { lockCustomer, writeCustomer } from './store.ts';

/** What is absent stays; null clears. Settings are changed one by one. */
interface CustomerChange {
  readonly name?: string;
  readonly groupName?: string | null;
  readonly externalReference?: string | null;
  readonly settings?: Partial<CustomerSettings>;
}

/**
 * Changes a customer. A change that changes nothing keeps the version.
 * @param ifMatch version that the caller has seen
 * @throws Problem customer_not_found, version_mismatch
 */
export async function updateCustomer(
  room: CustomersRoom,
  customerId: string,
  change: CustomerChange,
  ifMatch?: number | '*',
): Promise<CustomerRecord> {
  const { settings, ...fields } = change;
  return changeCustomer(room, customerId, ifMatch, (current) => ({
    ...current,
    ...fields,
    settings: { ...current.settings, ...readSettings(settings ?? {}) },
  }));
}

/**
 * Reads, changes and writes a customer in one transaction, then has the read side forget it.
 * @param inCommit runs in the same transaction, also when nothing changed
 */
export async function changeCustomer(
  room: CustomersRoom,
  customerId: string,
  ifMatch: number | '*' | undefined,
  change: (current: CustomerRecord) => CustomerRecord,
  inCommit?: (connection: Connection, before: CustomerRecord, after: CustomerRecord) => Promise<void>,
): Promise<CustomerRecord> {
  const written = await inTransaction(room.pool, async (connection) => {
    const current = await lockCustomer(connection, customerId);
    if (current === undefined) throw customerNotFound();
    requireVersion(ifMatch, current.version);
    const wanted = change(current);
    const isSame = isDeepStrictEqual(wanted, current);
    const next = isSame ? current : { ...wanted, version: current.version + 1, updatedAt: room.clock.now() };
    if (!isSame) await writeCustomer(connection, next);
    await inCommit?.(connection, current, next);
    return next;
  });
  await afterCommit(() => room.directory.customerChanged(customerId));
  return written;
}
