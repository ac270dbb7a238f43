import type { DateRulesSource } from '@firmquote/fx';
import type { Pool, Queryable } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';

/** What the use cases of deposits need; those of bank statements and of people's work need the same. */
export interface DepositsRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly dates: DateRulesSource;
  /** US dollar cents of an amount at the present price, rounded up; undefined without one. For limits of manual work. */
  readonly usdValueOf?: (currency: string, minor: bigint) => bigint | undefined;
  /** So long a new virtual account waits before trades name it. Default: not at all. */
  readonly accountWaitMs?: (connection: Queryable) => Promise<number>;
}

/** What other rooms ask of this one besides its use cases. */
export { allocationsOf, newestDepositOf } from './allocation-store.ts';
export { exceptionHistory } from './history-store.ts';
export { payersOf } from './match-context.ts';
export { payingCustomers } from './match-context-store.ts';
export { rulesInForce } from './matching-settings.ts';
export { findByBankReference, findDeposit, findTransaction, lockDeposit } from './store.ts';
