import type { RollReason } from '@firmquote/api/operations/operator-transactions';
import {
  addDays,
  earlierCutOff,
  isGoodValueDate,
  isIsoDate,
  type TransactionStatus,
  tradeDateOf,
} from '@firmquote/fx';
import { inWords, Problem } from '../problems/problem.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { changeOne, type OperatorCommand } from './operate.ts';
import type { PaymentsRoom } from './room.ts';
import { withinCalendars } from './value-dates.ts';

/** How far ahead of the present value date a new one may lie, or of today where that has passed. */
const ROLL_DAYS_MAX = 31; // limit: How far a value date is put off

const ROLLABLE: readonly TransactionStatus[] = ['awaiting_funds', 'partially_funded', 'funded', 'overdue'];

/** What rolling makes of a trade that is not what it was: an overdue one waits for its money again, before its new cut-off. */
function reopened(row: TransactionRow): { readonly to?: TransactionStatus } {
  if (row.status !== 'overdue') return {};
  return { to: BigInt(row.received_minor) > 0n ? 'partially_funded' : 'awaiting_funds' };
}

/**
 * Moves the value date of a trade that is not paid out to a later one, and the funding cut-off with it. Amounts stay, and
 * so does the original value date. An overdue trade is not overdue any more (transition 15), so that nothing closes it out
 * before the late payment that was agreed.
 * @throws Problem transaction_not_found, version_mismatch, invalid_state_transition, value_date_invalid
 */
export function rollValueDate(
  room: PaymentsRoom,
  command: OperatorCommand,
  valueDate: string,
  reason: RollReason,
): Promise<TransactionRow> {
  return changeOne(room, command, (row, now) => {
    if (!ROLLABLE.includes(row.status)) {
      throw new Problem(
        'invalid_state_transition',
        `The value date of a transaction that is ${inWords(row.status)} cannot change.`,
        { members: { from: row.status, to: row.status } },
      );
    }
    const fundingCutoffAt = requireRollable(room, row, valueDate, now);
    const change = reopened(row);
    return {
      ...change,
      code: 'value_date_rolled',
      actor: 'operator',
      patch: { valueDate, fundingCutoffAt, ...(change.to === undefined ? {} : { statusReason: null }) },
      detail: { valueDate, previousValueDate: row.value_date, reason },
    };
  });
}

/** @returns the funding cut-off of the new value date */
function requireRollable(room: PaymentsRoom, row: TransactionRow, valueDate: string, now: number): number {
  const { calendars, cutOffs } = room.dates.current;
  const refuse = (reason: string, detail: string) =>
    new Problem('value_date_invalid', detail, {
      field: '/valueDate',
      members: { reasons: [{ date: valueDate, reason }] },
    });
  if (!isIsoDate(valueDate)) throw refuse('not_a_date', `${valueDate} is not a valid date.`);
  if (valueDate <= row.value_date) throw refuse('not_later', `It must be later than ${row.value_date}.`);
  const pair = [row.sell_currency, row.buy_currency] as const;
  const today = tradeDateOf(pair, now, room.dates.current);
  const from = row.value_date > today ? row.value_date : today;
  if (valueDate > addDays(from, ROLL_DAYS_MAX)) {
    throw refuse('too_far', `It must be at most ${ROLL_DAYS_MAX} days after ${from}.`);
  }
  const isGood = withinCalendars(() => isGoodValueDate(pair, valueDate, calendars));
  if (isGood === undefined) throw refuse('calendar_missing', `The calendars do not reach ${valueDate}.`);
  if (!isGood)
    throw refuse('closed', `${row.sell_currency} and ${row.buy_currency} do not both settle then.`);
  // As of any trade: the money has to come, and the payment has to leave.
  const cutoff = earlierCutOff(pair, valueDate, cutOffs);
  if (cutoff <= now) throw refuse('cutoff_passed', 'The funding cut-off of that date has passed.');
  return cutoff;
}
