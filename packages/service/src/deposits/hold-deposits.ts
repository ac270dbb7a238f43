import { lockBalances } from '../balances/balances.ts';
import type { Connection } from '../database/pool.ts';
import { allocationsOf } from './allocation-store.ts';
import { lockMatchContext } from './match-context.ts';
import { isOfTransaction } from './record.ts';
import { lockDeposits, lockTransactions } from './store.ts';

/**
 * Holds deposits that are worked on in one commit, and what the work changes with them: all deposits, then all trades that have them or
 * may get them, then the balances of their customers, until the transaction ends.
 * @param reach what the work changes besides the deposits: nothing, what has a part of them, or what the rules match them to
 * @returns their ids in the order in which everybody holds them; those that there are not are left out
 */
export async function holdDeposits(
  connection: Connection,
  ids: readonly string[],
  reach: 'deposits' | 'parts' | 'matches',
): Promise<string[]> {
  const deposits = await lockDeposits(connection, ids);
  const held = deposits.map(({ id }) => id);
  if (reach === 'matches') await lockMatchContext(connection, deposits);
  if (reach !== 'parts') return held;
  const parts = await allocationsOf(connection, held);
  await lockTransactions(
    connection,
    parts.filter(isOfTransaction).map(({ transactionId }) => transactionId),
  );
  await lockBalances(connection, [...new Set(parts.map(({ customerId }) => customerId))]);
  return held;
}
