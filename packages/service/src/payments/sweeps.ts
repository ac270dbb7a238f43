import { type Connection, inTransaction } from '../database/pool.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { changeTransactions } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { hasHolds } from './operate.ts';
import { releasePayouts } from './release.ts';
import type { PaymentsRoom } from './room.ts';
import { dueForFunding, dueForSettlement, fundedDatesWithoutHold, nextFundingCutoff } from './store.ts';
import { type DueTransaction, throughDue } from './through-due.ts';
import { nextPayoutOpening, openPayoutWindows } from './value-dates.ts';

export { missedValueDateSweep } from './roll-missed.ts';

const EVERY_MS = 1_000;

/** Transition 5: the funding cut-off has passed and the money is not there. */
export function fundingCutoffSweep(room: PaymentsRoom): Sweep {
  return {
    name: 'mark_overdue',
    does: 'Marks transactions as overdue whose money has not arrived by the cut-off.',
    everyMs: EVERY_MS,
    run: () =>
      inBatches(
        room,
        (now, after) => dueForFunding(room.pool, now, after),
        (connection, ids, now) =>
          changeTransactions(
            connection,
            ids,
            now,
            (row) => {
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
            { skipLocked: true },
          ),
      ),
    nextDueAt: () => nextFundingCutoff(room.pool),
  };
}

interface SettlementSweepOptions {
  /** False while something else releases payouts. */
  readonly isActive?: () => boolean;
}

/**
 * Transition 8: the value date is there, the bought currency can still be paid today, and no hold stands against it.
 * What misses its value date is rolled to the bought currency's next business day (`roll-missed.ts`).
 */
export function settlementSweep(room: PaymentsRoom, options: SettlementSweepOptions = {}): Sweep {
  const isActive = options.isActive ?? (() => true);
  return {
    name: 'release_payouts',
    does: 'Releases payouts of funded transactions without a hold, from their value date on.',
    everyMs: EVERY_MS,
    run: async () => {
      if (!isActive()) return 0;
      return inBatches(
        room,
        (now, after) => dueForSettlement(room.pool, openPayoutWindows(now, room.dates.current), after),
        (connection, ids, now) => {
          const windows = new Map(
            openPayoutWindows(now, room.dates.current).map((window) => [window.currency, window.date]),
          );
          const mayGo = (row: TransactionRow): 'system' | undefined => {
            const date = windows.get(row.buy_currency);
            const isDue =
              row.status === 'funded' && !hasHolds(row) && date !== undefined && row.value_date <= date;
            return isDue ? 'system' : undefined;
          };
          return releasePayouts(connection, ids, now, room.dates.current, mayGo, { skipLocked: true });
        },
      );
    },
    nextDueAt: async () => {
      if (!isActive()) return undefined;
      const now = room.clock.now();
      let earliest: number | undefined;
      for (const { currency, valueDate } of await fundedDatesWithoutHold(room.pool)) {
        const opening = nextPayoutOpening(currency, valueDate, now, room.dates.current);
        if (opening !== undefined && (earliest === undefined || opening < earliest)) earliest = opening;
      }
      return earliest;
    },
  };
}

type Work = (connection: Connection, ids: readonly TransactionId[], now: number) => Promise<TransactionRow[]>;

/** Commit by commit through all that is due; what is in the hands of another instance is passed over. */
function inBatches(
  room: PaymentsRoom,
  due: (now: number, after: DueTransaction | undefined) => Promise<readonly DueTransaction[]>,
  work: Work,
): Promise<number> {
  const { pool, clock } = room;
  return throughDue(
    (after) => due(clock.now(), after),
    async (trades) => {
      const changed = await inTransaction(pool, (connection) => work(connection, trades, clock.now()));
      return changed.length;
    },
  );
}
