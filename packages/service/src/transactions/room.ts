import type { CustomerDirectory } from '../customers/profile.ts';
import type { Timekeeper } from '../database/clock-watch.ts';
import type { Pool } from '../database/pool.ts';
import type { TermsSigner } from '../evidence/sign-terms.ts';
import type { ExposureGuard } from '../exposure/guard.ts';
import type { HeldPolls } from '../http/held-polls.ts';
import type { KeyGate } from '../http/key-gate.ts';
import type { Market } from '../market/market.ts';
import type { Clock } from '../platform/clock.ts';
import type { QuoteStore } from '../quotes/store.ts';
import type { TransactionStore } from './store.ts';

/** What executing a quote works with. */
export interface ExecutionRoom {
  readonly clock: Clock;
  /** Asked before anything is executed. */
  readonly timekeeper: Timekeeper;
  readonly market: Market;
  readonly customers: CustomerDirectory;
  readonly quotes: QuoteStore;
  readonly transactions: TransactionStore;
  readonly exposure: ExposureGuard;
  readonly gate: KeyGate;
  readonly limitDay: (now: number) => string;
}

/** What the use cases of this room work with. */
export interface TransactionsRoom extends ExecutionRoom {
  readonly pool: Pool;
  readonly polls: HeldPolls;
  /** Of the terms of transactions, for who prefers them signed. */
  readonly signer: TermsSigner;
  /** Upper bound of the polling hint; the sandbox settles in seconds. */
  readonly pollAtMostSeconds: number | undefined;
}

/** What other rooms ask of this one besides its use cases. */
export { keysOfTransactions, pricedTransactions, withTerms } from './priced-store.ts';
