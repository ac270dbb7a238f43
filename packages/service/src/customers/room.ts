import type { Connection, Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';

/** Tells the read side of this process what was changed, so that the next request sees it. */
export interface DirectoryInvalidation {
  customerChanged(customerId: string): void;
  spreadRulesChanged(): void;
  collectionAccountsChanged(): void;
}

/** What the use cases of this room work with. */
export interface CustomersRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly directory: DirectoryInvalidation;
  /** Ends the open quotes of a customer, in the transaction that suspends it. Repeatable. */
  readonly endQuotes: (connection: Connection, customerId: string, at: number) => Promise<unknown>;
}
