import type { Pool } from '../database/pool.ts';
import type { RateBook } from '../market/rate-book.ts';
import type { Clock } from '../platform/clock.ts';

/** What the use cases of this room work with. */
export interface LedgerRoom {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly book: RateBook;
}
