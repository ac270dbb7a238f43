import type { CustomerRecord } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { changeCustomer } from './update-customer.ts';

/**
 * Stops a customer's trading: at once in this process, within five seconds in others (executions check the row itself
 * and stop at once everywhere). Suspending again changes nothing, but has the open quotes withdrawn once more, so that
 * a withdrawal that failed is made good by repeating the call.
 * @throws Problem customer_not_found
 */
export async function suspendCustomer(
  room: CustomersRoom,
  customerId: string,
  reason: string | undefined,
): Promise<CustomerRecord> {
  const customer = await changeCustomer(room, customerId, undefined, (current) =>
    current.status === 'suspended'
      ? current
      : { ...current, status: 'suspended', statusReason: reason ?? null },
  );
  await room.onSuspended(customerId, customer.statusReason);
  return customer;
}

/**
 * Lets a customer trade again. Resuming one that is active changes nothing.
 * @throws Problem customer_not_found
 */
export async function resumeCustomer(room: CustomersRoom, customerId: string): Promise<CustomerRecord> {
  return changeCustomer(room, customerId, undefined, (current) => ({
    ...current,
    status: 'active',
    statusReason: null,
  }));
}
