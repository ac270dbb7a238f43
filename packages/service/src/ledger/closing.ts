import { inTransaction, type Pool, UNLIMITED } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { checkBooks } from './check-books.ts';
import {
  closeRange,
  firstEntryFrom,
  forgetDaysAfter,
  lockClosing,
  setClosedThrough,
} from './closing-store.ts';

const DAY_MS = 86_400_000;
/**
 * A day is closed so long after its end. An entry carries the instant at which its statement was made, and is there
 * for others when that has committed: within the 30 s that statements get, and 10 s for locks before.
 */
export const CLOSE_AFTER_MS = 600_000;
/** Days closed in one statement. */
export const CLOSE_DAYS_MAX = 31;

/**
 * Writes the closing balances of days that are over, from which balances at any instant are read. Several instances
 * may do it: one at a time, the others pass over. When business time was set back (sandbox), days that are no longer
 * over are opened again.
 * @returns days that were closed or opened again
 */
export async function closeDays(pool: Pool, clock: Clock): Promise<number> {
  return inTransaction(pool, async (connection) => {
    const closing = await lockClosing(connection);
    if (closing === undefined) return 0;
    const last = dateOf(clock.now() - CLOSE_AFTER_MS - DAY_MS);
    const { closedThrough } = closing;
    if (closedThrough !== null && closedThrough > last) {
      await forgetDaysAfter(connection, last);
      await setClosedThrough(connection, last);
      return 1;
    }
    if (closedThrough === last) return 0;
    const from = closedThrough === null ? 0 : startOf(closedThrough) + DAY_MS;
    const first = await firstEntryFrom(connection, from);
    // Days without entries need no row.
    if (first === undefined || dateOf(first) > last) {
      if (first === undefined && closedThrough === null) return 0;
      await setClosedThrough(connection, last);
      return 0;
    }
    const start = startOf(dateOf(first));
    const end = Math.min(start + CLOSE_DAYS_MAX * DAY_MS, startOf(last) + DAY_MS);
    await connection.query({ text: 'set local statement_timeout = 0', ...UNLIMITED });
    await closeRange(connection, start, end);
    await setClosedThrough(connection, dateOf(end - DAY_MS));
    return (end - start) / DAY_MS;
  });
}

/** Closes days, and looks at the books after each time; what does not add up is an error in the log. */
export function closingSweep(pool: Pool, clock: Clock, logger: Logger): Sweep {
  return {
    name: 'close ledger days',
    everyMs: 60_000,
    async run() {
      const days = await closeDays(pool, clock);
      if (days === 0) return 0;
      const { ok, unbalancedCurrencies, differences } = await checkBooks(pool, clock.now());
      if (!ok) logger.error({ unbalancedCurrencies, differences }, 'the books do not add up');
      return days;
    },
  };
}

function dateOf(instant: number): string {
  return isoInstant(Math.max(0, instant)).slice(0, 10);
}

function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}
