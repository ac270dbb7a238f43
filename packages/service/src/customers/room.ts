import type { Connection, Pool, Queryable } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import { customerNotFound } from './records.ts';
import { existingCustomers, forgetLaterDays } from './store.ts';

/** What other rooms ask of this one besides its use cases. */
export { existingCustomers, forgetLaterDays };

/** Makes the read side of this process forget what was changed, so that the next request sees it. */
export interface DirectoryInvalidation {
  customerChanged(customerId: string): void;
  collectionAccountsChanged(): void;
}

/**
 * The id again, when it is a customer's.
 * @throws Problem customer_not_found
 */
export async function requireCustomer(database: Queryable, id: string | undefined): Promise<string> {
  if (id !== undefined && (await existingCustomers(database, [id])).size > 0) return id;
  throw customerNotFound();
}

/** What the use cases of this room work with. */
export interface CustomersRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly directory: DirectoryInvalidation;
  /** So long a new account of a customer waits before it is paid. Default: not at all. */
  readonly accountWaitMs?: (connection: Queryable) => Promise<number>;
  /** Ends the open quotes of a customer, in the transaction that suspends it. Repeatable. */
  readonly endQuotes: (connection: Connection, customerId: string, at: number) => Promise<unknown>;
}
