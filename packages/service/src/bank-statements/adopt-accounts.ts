import { inTransaction } from '../database/pool.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import { adoptAccount, ownAccounts, unknownAccounts } from './account-store.ts';
import { ownAccountOf } from './own-accounts.ts';
import { lockImports } from './statement-store.ts';

/**
 * Statements of accounts that were unknown when they came, and that an operator has made the house's since: their
 * credits become due as deposits.
 * @returns how many accounts were found
 */
export async function adoptAccounts({ pool }: Pick<DepositsRoom, 'pool'>): Promise<number> {
  const unknown = await unknownAccounts(pool);
  if (unknown.length === 0) return 0;
  const own = await ownAccounts(pool);
  const found = unknown.flatMap(({ account, currency }) => {
    const match = ownAccountOf(own, account, currency);
    return match === undefined ? [] : [{ written: account, account: match.account }];
  });
  if (found.length === 0) return 0;
  await inTransaction(pool, async (connection) => {
    await lockImports(connection);
    for (const each of found) await adoptAccount(connection, each.written, each.account);
  });
  return found.length;
}
