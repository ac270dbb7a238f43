import type { WithdrawalReason } from '@firmquote/api/operations/quotes';
import { holdTrading } from '../customers/standing.ts';
import type { Connection } from '../database/pool.ts';
import { closeQuotes, limitLockWait, lockOpenQuotes } from './end-store.ts';
import type { QuoteId } from './store.ts';

/** How long each of the customer's rows is waited for; an execution that holds its trading is over in milliseconds. */
const LOCK_WAIT_MS = 1_000;

/**
 * Ends every open quote of a customer in the caller's transaction: those that still run are withdrawn, those that have run
 * out have expired, also while an execution that came in time waits. With the suspension in the same commit, a quote is
 * either executed before it or never.
 * @returns how many were ended, by how
 * @throws a database error with SQLSTATE 55P03 when somebody holds one of them
 */
export async function endQuotesOf(
  connection: Connection,
  customerId: string,
  reason: WithdrawalReason,
  at: number,
): Promise<Record<'withdrawn' | 'expired', number>> {
  await limitLockWait(connection, LOCK_WAIT_MS);
  await holdTrading(connection, customerId);
  const rows = await lockOpenQuotes(connection, customerId);
  const idsOf = (kept: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(kept).map(({ id }) => ({ customerId, id }));
  const running = idsOf((row) => row.expires_at > at);
  const over = idsOf((row) => row.expires_at <= at);
  const ended = (ids: QuoteId[], how: 'withdrawn' | 'expired', why: WithdrawalReason | null) =>
    ids.length === 0 ? 0 : closeQuotes(connection, ids, how, why, at);
  return {
    withdrawn: await ended(running, 'withdrawn', reason),
    expired: await ended(over, 'expired', null),
  };
}
