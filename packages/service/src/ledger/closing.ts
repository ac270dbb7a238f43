import { type Connection, inTransaction, type Pool, UNLIMITED } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { checkBooks } from './check-books.ts';
import {
  type Closing,
  closeRange,
  firstEntryFrom,
  isPostedTo,
  lockClosing,
  openAfter,
  setClosedThrough,
  setFencedThrough,
} from './closing-store.ts';
import { closeDebts } from './debt-store.ts';

const DAY_MS = 86_400_000;
/** A day is closed so long after its end, which leaves room for what was decided on it and waits for locks. */
export const CLOSE_AFTER_MS = 600_000; // limit: How long after its end a day is closed
/** Days closed in one statement. */
export const CLOSE_DAYS_MAX = 31; // limit

/**
 * Writes the closing balances of days that are over, from which balances at any instant are read. A fence is committed
 * first: the schema refuses entries of the days behind it. The days are closed when nobody who began before is still
 * posting to them, now or in a later run. Several instances may do it: one at a time, the others pass over. When
 * business time was set back (sandbox), days that are no longer over are opened again.
 * @returns days that were closed or opened again
 */
export async function closeDays(pool: Pool, clock: Clock): Promise<number> {
  const opened = await inTransaction(pool, (connection) => fenceDays(connection, clock.now()));
  // One transaction: were debts closed by one of their own, another instance would meet its lock and leave the days open.
  return inTransaction(pool, async (connection) => {
    const closing = await lockClosing(connection);
    if (closing === undefined) return opened;
    const closed = opened > 0 ? 0 : await closeFenced(connection, closing);
    await closeDebts(connection);
    return opened + closed;
  });
}

/** In the commit that sets business time back: opens the days that are not over any more. */
export async function reopenDays(connection: Connection, now: number): Promise<void> {
  await lockClosing(connection, '');
  await openAfter(connection, lastDayOver(now));
}

/** @returns 1 when days were opened again instead */
async function fenceDays(connection: Connection, now: number): Promise<number> {
  const closing = await lockClosing(connection);
  if (closing === undefined) return 0;
  const { closedThrough, fencedThrough } = closing;
  const last = lastDayOver(now);
  if (fencedThrough !== null && fencedThrough > last) {
    await openAfter(connection, last);
    return 1;
  }
  // What is fenced is closed before anything else is fenced.
  if (fencedThrough === last || fencedThrough !== closedThrough) return 0;
  const first = await firstEntryFrom(
    connection,
    closedThrough === null ? 0 : startOf(closedThrough) + DAY_MS,
  );
  if (first === undefined && closedThrough === null) return 0;
  const lastAtOnce =
    first === undefined ? last : dateOf(startOf(dateOf(first)) + (CLOSE_DAYS_MAX - 1) * DAY_MS);
  await setFencedThrough(connection, lastAtOnce < last ? lastAtOnce : last);
  return 0;
}

async function closeFenced(
  connection: Connection,
  { closedThrough, fencedThrough }: Closing,
): Promise<number> {
  if (fencedThrough === null || fencedThrough === closedThrough) return 0;
  if (await isPostedTo(connection, fencedThrough)) return 0;
  const first = await firstEntryFrom(
    connection,
    closedThrough === null ? 0 : startOf(closedThrough) + DAY_MS,
  );
  const end = startOf(fencedThrough) + DAY_MS;
  await setClosedThrough(connection, fencedThrough);
  // Days without entries need no row.
  if (first === undefined || first >= end) return 0;
  const start = startOf(dateOf(first));
  await connection.query({ text: 'set local statement_timeout = 0', ...UNLIMITED });
  await closeRange(connection, start, end);
  return (end - start) / DAY_MS;
}

/** The last day that may be closed at an instant. */
function lastDayOver(now: number): string {
  return dateOf(now - CLOSE_AFTER_MS - DAY_MS);
}

/**
 * Closes days, and looks at the books after each time; what does not add up is an error in the log.
 * @param checked gets the number of sums that do not add up, each time
 */
export function closingSweep(
  pool: Pool,
  clock: Clock,
  logger: Logger,
  checked: (off: number) => void = () => undefined,
): Sweep {
  return {
    name: 'close_ledger_days',
    does: 'Writes closing balances and positions of past days, and checks the books.',
    everyMs: 60_000,
    async run() {
      const days = await closeDays(pool, clock);
      if (days === 0) return 0;
      const { ok, at: _at, ...found } = await checkBooks(pool, clock.now());
      if (!ok) logger.error(found, 'the books do not add up');
      checked(Object.values(found).reduce((sum, { length }) => sum + length, 0));
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
