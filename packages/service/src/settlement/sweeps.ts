import { inTransaction } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { changeTransactions, type DecideChange } from '../transactions/change.ts';
import type { TransactionId } from '../transactions/store.ts';
import { hasHolds, type SettlementRoom } from './operate.ts';
import { startSettlement } from './payout-changes.ts';
import { dueForFunding, dueForSettlement, funded, nextFundingCutoff } from './store.ts';
import { nextPayoutOpening, openPayoutWindows } from './value-dates.ts';

const EVERY_MS = 1_000;
/** Trades in one commit. */
const BATCH = 500;

/** Transition 5: the funding cut-off has passed and the money is not there. */
export function fundingCutoffSweep(room: SettlementRoom): Sweep {
  return {
    name: 'funding_cut_offs',
    everyMs: EVERY_MS,
    run: () =>
      moveDue(
        room,
        (now) => dueForFunding(room.pool, now, BATCH),
        (now) => (row) => {
          const isWaiting = row.status === 'awaiting_funds' || row.status === 'partially_funded';
          if (!isWaiting || row.funding_cutoff_at > now) return undefined;
          return {
            to: 'overdue',
            code: 'funding_cutoff_passed',
            actor: 'system',
            patch: {
              statusReason: row.status === 'awaiting_funds' ? 'funding_not_received' : 'funding_short',
            },
          };
        },
      ),
    nextDueAt: () => nextFundingCutoff(room.pool),
  };
}

export interface SettlementSweepOptions {
  /** False while something else releases payouts. */
  readonly isActive?: () => boolean;
}

/**
 * Transition 8: the value date is there, the bought currency can still be paid today, and no hold stands against it.
 * What misses its value date goes on the bought currency's next business day.
 */
export function settlementSweep(room: SettlementRoom, options: SettlementSweepOptions = {}): Sweep {
  const isActive = options.isActive ?? (() => true);
  return {
    name: 'settlement',
    everyMs: EVERY_MS,
    run: async () => {
      if (!isActive()) return 0;
      return moveDue(
        room,
        (now) => dueForSettlement(room.pool, openPayoutWindows(now, room.dates.current), BATCH),
        (now) => {
          const windows = new Map(
            openPayoutWindows(now, room.dates.current).map((window) => [window.currency, window.date]),
          );
          return (row) => {
            const date = windows.get(row.buy_currency);
            if (row.status !== 'funded' || hasHolds(row) || date === undefined || row.value_date > date) {
              return undefined;
            }
            return startSettlement(row, 'system');
          };
        },
      );
    },
    nextDueAt: async () => {
      if (!isActive()) return undefined;
      const now = room.clock.now();
      let earliest: number | undefined;
      for (const { currency, valueDate } of await funded(room.pool)) {
        const opening = nextPayoutOpening(currency, valueDate, now, room.dates.current);
        if (opening !== undefined && (earliest === undefined || opening < earliest)) earliest = opening;
      }
      return earliest;
    },
  };
}

/** Commit by commit until nothing is due, or what is left is in the hands of another instance. */
async function moveDue(
  room: SettlementRoom,
  due: (now: number) => Promise<readonly TransactionId[]>,
  decide: (now: number) => DecideChange,
): Promise<number> {
  let moved = 0;
  for (;;) {
    const now = room.clock.now();
    const ids = await due(now);
    if (ids.length === 0) return moved;
    const changed = await inTransaction(room.pool, (connection) =>
      changeTransactions(connection, ids, now, decide(now), { skipLocked: true }),
    );
    moved += changed.length;
    if (changed.length === 0 || ids.length < BATCH) return moved;
  }
}
