import { inTransaction, type Queryable } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import type { CustomerSettings } from './profile.ts';
import { type CustomerRecord, DEFAULT_LIMITS, readSettings } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { insertCustomer } from './store.ts';

interface NewCustomer {
  readonly name: string;
  readonly groupName?: string | null;
  readonly externalReference?: string | null;
  readonly settings?: Partial<CustomerSettings>;
}

/**
 * Creates an active customer with default limits and no usage, in one commit.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 */
export async function createCustomer(
  room: CustomersRoom,
  input: NewCustomer,
  inCommit?: (connection: Queryable, customer: CustomerRecord) => Promise<void>,
): Promise<CustomerRecord> {
  const now = room.clock.now();
  const customer: CustomerRecord = {
    id: newUuid(now),
    name: input.name,
    groupName: input.groupName ?? null,
    externalReference: input.externalReference ?? null,
    status: 'active',
    statusReason: null,
    settings: readSettings(input.settings ?? {}),
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  await inTransaction(room.pool, async (connection) => {
    await insertCustomer(connection, customer, { ...DEFAULT_LIMITS, version: 1 });
    await inCommit?.(connection, customer);
  });
  return customer;
}
