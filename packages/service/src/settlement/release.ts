import type { Connection, Queryable } from '../database/pool.ts';
import { type ChangeOptions, changeTransactions, type TransactionChange } from '../transactions/change.ts';
import type { TransactionRow } from '../transactions/record.ts';
import type { TransactionId } from '../transactions/store.ts';
import { creditProceeds, startSettlement } from './payout-changes.ts';

/** Customers who want what they buy in their balance. */
async function wantBalance(connection: Queryable, ids: readonly TransactionId[]): Promise<Set<string>> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from customers where id = any ($1::uuid[]) and settings ->> 'proceedsToBalance' = 'true'`,
    [[...new Set(ids.map((each) => each.customerId))]],
  );
  return new Set(rows.map((row) => row.id));
}

/**
 * Transition 8 for trades that may go, and transition 9 at once for what is credited to a balance, which needs no bank.
 * @param decide who releases a locked trade; undefined leaves it
 */
export async function releasePayouts(
  connection: Connection,
  ids: readonly TransactionId[],
  now: number,
  decide: (row: TransactionRow) => 'system' | 'operator' | undefined,
  options: ChangeOptions = {},
): Promise<TransactionRow[]> {
  if (ids.length === 0) return [];
  const toBalance = await wantBalance(connection, ids);
  const released = await changeTransactions(
    connection,
    ids,
    now,
    (row): TransactionChange | undefined => {
      const actor = decide(row);
      return actor && startSettlement(row, actor, toBalance.has(row.customer_id));
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
