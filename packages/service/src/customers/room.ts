import type { Pool } from '../database/pool.ts';
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
  /**
   * Called after a customer was suspended and that is committed, and again whenever it is suspended once more: what it
   * does (withdrawing the customer's open quotes) must be repeatable.
   */
  readonly onSuspended: (customerId: string, reason: string | null) => Promise<void>;
}
