import type { WithdrawalReason } from '@firmquote/api/operations/quotes';
import { parameterPlaces, plainArray } from '../database/arrays.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { eventIdPrefix } from '../platform/ids.ts';
import type { QuoteId } from './store.ts';

/** SQL of how quotes end, and of deleting those that ended long ago. */

export const CLOSE_PARAMETERS = parameterPlaces(7);

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

/** Waits for each locked row no longer than this from now on, until the transaction ends. */
export async function limitLockWait(connection: Connection, ms: number): Promise<void> {
  await connection.query("select set_config('lock_timeout', $1, true)", [`${ms}ms`]);
}

/** Every open quote of a customer, in key order; held until the transaction ends. */
export async function lockOpenQuotes(
  connection: Connection,
  customerId: string,
): Promise<Pick<Row<'quotes'>, 'id' | 'expires_at'>[]> {
  const { rows } = await connection.query<Pick<Row<'quotes'>, 'id' | 'expires_at'>>(
    // Those that have run out as well, however long they wait to be written down.
    `select id, expires_at from quotes
     where customer_id = $1 and status = 'open' and id = any (array(
       select o.id from ends_of_open_quotes() e
       cross join lateral open_quotes_of($1, e.since - interval '1 microsecond', e.before) as o (id)))
     order by customer_id, id for update`,
    [customerId],
  );
  return rows;
}

/** Ends those of the given quotes that are open, in the caller's transaction; answers how many. */
export async function closeQuotes(
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

export const PORTION = 2_000; // limit: Quotes, or prices, that one commit looks at to delete what is past its retention

export interface Portion {
  readonly looked: number;
  readonly gone: number;
}

/** Deletes quotes that ended without a trade and are older than what is kept, of up to `most` that are looked at. */
export async function forgetSomeQuotes(
  database: Queryable,
  { now, keptDays }: { readonly now: number; readonly keptDays: number },
  most = PORTION,
): Promise<Portion> {
  const { rows } = await database.query<Portion>('select looked, gone from forget_quotes($1, $2, $3)', [
    isoInstant(now),
    keptDays,
    most,
  ]);
  return rows[0] ?? { looked: 0, gone: 0 };
}

/** Deletes prices that only such quotes named, of up to `most` that are looked at. */
export async function forgetSomePrices(database: Queryable, most = PORTION): Promise<Portion> {
  const { rows } = await database.query<Portion>('select looked, gone from forget_prices($1)', [most]);
  return rows[0] ?? { looked: 0, gone: 0 };
}
