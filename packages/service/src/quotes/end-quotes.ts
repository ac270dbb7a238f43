import type { WithdrawalReason } from '@firmquote/api/operations/quotes';
import { holdTrading } from '../customers/standing.ts';
import { plainArray } from '../database/arrays.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventIdPrefix } from '../platform/ids.ts';

import type { QuoteId } from './store.ts';

export const CLOSE_PARAMETERS = '$1, $2, $3, $4, $5, $6, $7';

export function closeParameters(
  ids: readonly QuoteId[],
  kind: 'cancelled' | 'withdrawn' | 'expired',
  reason: WithdrawalReason | null,
  at: number,
  skipLocked: boolean,
): unknown[] {
  return [
    plainArray(ids.map((each) => each.customerId)),
    plainArray(ids.map((each) => each.id)),
    plainArray(ids.map(() => eventIdPrefix(at))),
    kind,
    reason,
    isoInstant(at),
    skipLocked,
  ];
}

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
  await connection.query("select set_config('lock_timeout', $1, true)", [`${LOCK_WAIT_MS}ms`]);
  await holdTrading(connection, customerId);
  const { rows } = await connection.query<Pick<Row<'quotes'>, 'id' | 'expires_at'>>(
    // Those that have run out as well, however long they wait to be written down.
    `select id, expires_at from quotes
     where customer_id = $1 and status = 'open' and id = any (array(
       select o.id from ends_of_open_quotes() e
       cross join lateral open_quotes_of($1, e.since - interval '1 microsecond', e.before) as o (id)))
     order by customer_id, id for update`,
    [customerId],
  );
  const idsOf = (kept: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(kept).map(({ id }) => ({ customerId, id }));
  const running = idsOf((row) => row.expires_at > at);
  const over = idsOf((row) => row.expires_at <= at);
  const ended = (ids: QuoteId[], how: 'withdrawn' | 'expired', why: WithdrawalReason | null) =>
    ids.length === 0 ? 0 : endQuotes(connection, ids, how, why, at);
  return {
    withdrawn: await ended(running, 'withdrawn', reason),
    expired: await ended(over, 'expired', null),
  };
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
