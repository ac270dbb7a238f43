import type { Connection, Queryable } from '../database/pool.ts';
import type { WithdrawalReason } from './record.ts';
import { CLOSE_PARAMETERS, closeParameters, type QuoteId } from './store.ts';

/** How long each of the customer's rows is waited for; an execution that holds one is over in milliseconds. */
const LOCK_WAIT_MS = 1_000;

/**
 * Ends every open quote of a customer in the caller's transaction: those that still run are withdrawn, those that have run
 * out have expired, also while an execution that came in time waits. With the suspension in the same commit, a quote is
 * either executed before it or never.
 * @returns how many were ended
 * @throws a database error with SQLSTATE 55P03 when somebody holds one of them
 */
export async function endQuotesOf(
  connection: Connection,
  customerId: string,
  reason: WithdrawalReason,
  at: number,
): Promise<number> {
  await connection.query("select set_config('lock_timeout', $1, true)", [`${LOCK_WAIT_MS}ms`]);
  const { rows } = await connection.query<{ id: string; expires_at: number }>(
    `select id, expires_at from quotes where customer_id = $1 and status = 'open' order by customer_id, id for update`,
    [customerId],
  );
  const ids = (kept: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(kept).map(({ id }) => ({ customerId, id }));
  const running = ids((row) => row.expires_at > at);
  const over = ids((row) => row.expires_at <= at);
  let ended = 0;
  if (running.length > 0) ended += await endQuotes(connection, running, 'withdrawn', reason, at);
  if (over.length > 0) ended += await endQuotes(connection, over, 'expired', null, at);
  return ended;
}

/** Ends those of the given quotes that are open, in the caller's transaction; answers how many. */
async function endQuotes(
  connection: Queryable,
  ids: readonly QuoteId[],
  kind: 'withdrawn' | 'expired',
  reason: WithdrawalReason | null,
  at: number,
): Promise<number> {
  const { rows } = await connection.query<{ closed: number }>(
    `select count(*)::int as closed from close_quotes(${CLOSE_PARAMETERS})`,
    closeParameters(ids, kind, reason, at, false),
  );
  return rows[0]?.closed ?? 0;
}
