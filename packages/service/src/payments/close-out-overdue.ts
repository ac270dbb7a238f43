import { addDays, type DateRules, findPair, instantOf, localDateAt } from '@firmquote/fx';
import { inTransaction } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { Problem } from '../problems/problem.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionId } from '../transactions/store.ts';
import { unwindingOf } from './end-transaction.ts';
import type { PaymentsRoom } from './room.ts';
import { currenciesOverdue, dueForCloseOut, oldestOverdue } from './store.ts';
import { throughDue } from './through-due.ts';
import { unwind } from './unwind-changes.ts';
import { withinCalendars } from './value-dates.ts';

/**
 * Transition 7 by policy: what is overdue for longer than the grace period is closed out at the market, while that is open. A trade whose
 * pair has no price waits for one, and no other trade for it.
 */
export function closeOutSweep(room: PaymentsRoom, graceMs: number | undefined): Sweep {
  return {
    name: 'close_out_overdue',
    does: 'Closes out overdue transactions at the market after the grace period, if one is set.',
    everyMs: 1_000,
    run: async () => {
      if (graceMs === undefined) return 0;
      const now = room.clock.now();
      // Whose grace has not passed by the clock is not over by the days of banks.
      const currencies = await currenciesOverdue(room.pool, now - graceMs);
      if (currencies.length === 0) return 0;
      const over = graceOver(currencies, now, graceMs, room.dates.current);
      const withoutPrice = new Set<string>();
      return throughDue(
        (after) => dueForCloseOut(room.pool, over, [...withoutPrice], after),
        async (trades) => {
          let closed = 0;
          // Each in a commit of its own: what one is closed out at is nobody else's concern.
          for (const trade of trades) {
            if (withoutPrice.has(trade.pair)) continue;
            if (hasPrice(room, trade.pair)) closed += await closeOne(room, trade, now, over);
            else withoutPrice.add(trade.pair);
          }
          return closed;
        },
      );
    },
    nextDueAt: async () => {
      if (graceMs === undefined) return undefined;
      const ends = (await oldestOverdue(room.pool)).map(({ currency, at }) =>
        throughBankTime(currency, at, graceMs, 1, room.dates.current),
      );
      return ends.length === 0 ? undefined : Math.min(...ends);
    },
  };
}

/** Sources may go on at the weekend, and with what was halted for it: nobody trades at that. */
function hasPrice({ market }: PaymentsRoom, code: string): boolean {
  const pair = findPair(code);
  if (pair === undefined || market.stateOf(pair).state !== 'open') return false;
  return market.book.read(pair).status === 'fresh';
}

async function closeOne(
  room: PaymentsRoom,
  id: TransactionId,
  now: number,
  over: ReadonlyMap<string, number>,
): Promise<number> {
  try {
    const changed = await inTransaction(room.pool, (connection) =>
      changeTransactions(
        connection,
        [id],
        now,
        (row) =>
          row.status === 'overdue' && row.funding_cutoff_at <= (over.get(row.sell_currency) ?? 0)
            ? unwind(row, unwindingOf(room, row, {}), 'system')
            : undefined,
        { skipLocked: true },
      ),
    );
    return changed.length;
  } catch (error) {
    if (error instanceof Problem) return 0;
    throw error;
  }
}

/** The last funding cut-off of each sold currency whose grace period is over, as epoch milliseconds. */
function graceOver(
  currencies: readonly string[],
  now: number,
  graceMs: number,
  dates: DateRules,
): ReadonlyMap<string, number> {
  return new Map(currencies.map((code) => [code, throughBankTime(code, now, graceMs, -1, dates)]));
}

/**
 * The instant that lies some time after another (1) or before it (-1), counted on days on which the banks of a currency
 * are open: money that is late on a Friday can come on Monday, and not before. Past the calendars every day counts.
 * @param at epoch milliseconds
 */
export function throughBankTime(
  currency: string,
  at: number,
  spanMs: number,
  direction: 1 | -1,
  { calendars, cutOffs }: DateRules,
): number {
  const { zone } = cutOffs.sameDay(currency);
  let left = spanMs;
  let from = at;
  for (let day = localDateAt(at, zone); left > 0; day = addDays(day, direction)) {
    const end = instantOf(direction === 1 ? addDays(day, 1) : day, '00:00', zone);
    const isOpen = withinCalendars(() => calendars.isBusinessDay(currency, day)) ?? true;
    const span = Math.abs(end - from);
    if (isOpen && span >= left) return from + direction * left;
    if (isOpen) left -= span;
    from = end;
  }
  return from;
}
