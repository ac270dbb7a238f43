import { type Connection, inTransaction, sqlState } from '../database/pool.ts';
import type { CustomerRecord } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { changeCustomer } from './update-customer.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Stops a customer's trading on every instance with the commit: it withdraws the open quotes, and what writes quotes,
 * executions and withdrawals looks at the row. The reason is for operators only. Suspending again changes nothing, but ends the open quotes once more.
 * @throws Problem customer_not_found
 */
export async function suspendCustomer(
  room: CustomersRoom,
  customerId: string,
  reason: string | undefined,
): Promise<CustomerRecord> {
  let ended = false;
  const customer = await changeCustomer(
    room,
    customerId,
    undefined,
    (current) =>
      current.status === 'suspended'
        ? current
        : { ...current, status: 'suspended', statusReason: reason ?? null },
    async (connection, _before, after) => {
      ended = await tryToEndQuotes(room, connection, after);
    },
  );
  // Somebody holds one of the quotes. They cannot be executed any more, and resuming ends those that are left.
  if (!ended) await inTransaction(room.pool, (connection) => tryToEndQuotes(room, connection, customer));
  return customer;
}

/** A suspension does not wait for who holds a quote: without its lock nothing of this is done, but the rest is. */
async function tryToEndQuotes(
  room: CustomersRoom,
  connection: Connection,
  { id }: CustomerRecord,
): Promise<boolean> {
  await connection.query('savepoint quotes');
  try {
    await room.endQuotes(connection, id, room.clock.now());
    return true;
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    await connection.query('rollback to savepoint quotes');
    return false;
  }
}

/**
 * Lets a customer trade again. Quotes of before the suspension are not executable again: one that is left is ended first.
 * Resuming a customer that is active changes nothing.
 * @throws Problem customer_not_found
 */
export async function resumeCustomer(room: CustomersRoom, customerId: string): Promise<CustomerRecord> {
  return changeCustomer(
    room,
    customerId,
    undefined,
    (current) => ({ ...current, status: 'active', statusReason: null }),
    async (connection, { status }) => {
      if (status !== 'suspended') return;
      await room.endQuotes(connection, customerId, room.clock.now());
    },
  );
}
