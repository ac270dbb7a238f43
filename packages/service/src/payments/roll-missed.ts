import { cutOffInstant, type DateRules } from '@firmquote/fx';
import { type Connection, inTransaction } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { changeTransactions, type TransactionChange } from '../transactions/change.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import type { PaymentsRoom } from './room.ts';
import { fundedDates, missedValueDates } from './store.ts';
import { throughDue } from './through-due.ts';
import { nextPayableDate, passedPayoutDates } from './value-dates.ts';

const EVERY_MS = 1_000;

/** What a trade that can no longer be settled on its value date becomes; undefined for one that can. */
export function missedValueDate(row: TransactionRow, now: number, dates: DateRules): string | undefined {
  if (now < cutOffInstant(row.buy_currency, row.value_date, dates.cutOffs)) return undefined;
  const valueDate = nextPayableDate(row.buy_currency, row.value_date, now, dates);
  return valueDate !== undefined && valueDate > row.value_date ? valueDate : undefined;
}

/** The change that rolls a value date, by default because the bought currency is not paid on it any more, and says so. */
export function rolled(
  row: TransactionRow,
  valueDate: string,
  reason = 'payment_cutoff_passed',
): TransactionChange {
  return {
    code: 'value_date_rolled',
    actor: 'system',
    patch: { valueDate },
    detail: { valueDate, previousValueDate: row.value_date, reason },
  };
}

/**
 * Funded trades that were not released before the bought currency's cut-off on their value date (a hold, money that is
 * missing, a service that stood still) get the next date on which it is paid: nothing settles on a date that has passed.
 */
export function missedValueDateSweep({ pool, clock, dates }: PaymentsRoom): Sweep {
  return {
    name: 'roll_missed_value_dates',
    does: 'Moves funded transactions that can no longer be paid on their value date to the next possible date.',
    everyMs: EVERY_MS,
    run: () =>
      throughDue(
        (after) => missedValueDates(pool, passedPayoutDates(clock.now(), dates.current), after),
        (trades) =>
          inTransaction(pool, async (connection) => {
            const now = clock.now();
            const decide = (row: TransactionRow) => {
              const valueDate =
                row.status === 'funded' ? missedValueDate(row, now, dates.current) : undefined;
              return valueDate === undefined ? undefined : rolled(row, valueDate);
            };
            const changed = await changeTransactions(connection, trades, now, decide, { skipLocked: true });
            return changed.length;
          }),
      ),
    nextDueAt: async () => {
      const now = clock.now();
      let earliest: number | undefined;
      for (const { currency, valueDate } of await fundedDates(pool)) {
        // Beyond the calendars there is no date to roll to.
        if (nextPayableDate(currency, valueDate, now, dates.current) === undefined) continue;
        const passesAt = cutOffInstant(currency, valueDate, dates.current.cutOffs);
        if (earliest === undefined || passesAt < earliest) earliest = passesAt;
      }
      return earliest;
    },
  };
}

/** Rolls payouts that go into a file after their value date to the date on which the file pays them. */
export async function rollToExecution(
  connection: Connection,
  payouts: readonly { readonly customerId: string; readonly id: string }[],
  executionDate: string,
  now: number,
): Promise<void> {
  if (payouts.length === 0) return;
  await changeTransactions(connection, payouts, now, (row) =>
    row.value_date < executionDate ? rolled(row, executionDate) : undefined,
  );
}

/** A run that was given up, as far as it has rolled payouts. */
interface CancelledRun {
  readonly execution_date: string;
  /** Epoch milliseconds. */
  readonly created_at: number;
}

/** Of what a cancelled run had rolled, that which can be paid earlier again, before cut-offs that have not passed meanwhile. */
export async function rollBack(
  connection: Connection,
  payouts: readonly TransactionId[],
  run: CancelledRun,
  now: number,
  dates: DateRules,
): Promise<void> {
  await changeTransactions(connection, payouts, now, (row) => {
    const roll = timelineOf(row).findLast(({ code }) => code === 'value_date_rolled');
    const isOfRun = roll?.valueDate === run.execution_date && roll.at === isoInstant(run.created_at);
    if (!isOfRun || row.status !== 'settling') return undefined;
    const valueDate = nextPayableDate(row.buy_currency, String(roll.previousValueDate), now, dates);
    if (valueDate === undefined || valueDate >= row.value_date) return undefined;
    return rolled(row, valueDate, 'payment_rescheduled');
  });
}
