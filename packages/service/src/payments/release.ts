import type { DateRules } from '@firmquote/fx';
import { wantProceedsInBalance } from '../customers/standing.ts';
import type { Connection } from '../database/pool.ts';
import { type ChangeOptions, changeTransactions, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { creditProceeds, startSettlement } from './payout-changes.ts';
import { missedValueDate, rolled } from './roll-missed.ts';

/**
 * Transition 8 for trades that may go, and transition 9 at once for what is credited to a balance, which needs no bank.
 * @param decide who releases a locked trade; undefined leaves it
 */
export async function releasePayouts(
  connection: Connection,
  ids: readonly TransactionId[],
  now: number,
  dates: DateRules,
  decide: (row: TransactionRow) => 'system' | 'operator' | undefined,
  options: ChangeOptions = {},
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  const toBalance = await wantProceedsInBalance(connection, [...new Set(ids.map((each) => each.customerId))]);
  const released = await changeTransactions(
    connection,
    ids,
    now,
    (row): TransactionChange | undefined => {
      const actor = decide(row);
      if (actor === undefined) return undefined;
      const change = startSettlement(row, actor, toBalance.has(row.customer_id));
      // What the roll has not come to yet, and goes now, goes on a date that has not passed.
      const valueDate = missedValueDate(row, now, dates);
      if (valueDate === undefined) return change;
      const { patch, detail } = rolled(row, valueDate);
      return { ...change, patch: { ...change.patch, ...patch }, ...(detail === undefined ? {} : { detail }) };
    },
    options,
  );
  const credited = released.filter((row) => row.proceeds === 'balance');
  if (credited.length === 0) return released;
  const settled = await changeTransactions(
    connection,
    credited.map((row) => ({ customerId: row.customer_id, id: row.id })),
    now,
    (row) => creditProceeds(row, now),
  );
  return [...released.filter((row) => row.proceeds !== 'balance'), ...settled];
}
