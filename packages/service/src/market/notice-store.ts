import type { Connection } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid } from '../platform/ids.ts';

/** What customers are notified of, and how far they have been notified. */
export interface MarketNotice
  extends Pick<
    Row<'market_halts'>,
    'id' | 'pair' | 'customer_id' | 'reason' | 'closed_told_to' | 'closed_told' | 'opened_told_to'
  > {
  readonly table: 'market_halts' | 'market_closures';
  /** Null for a closure of the calendar. */
  readonly scope: Row<'market_halts'>['scope'] | null;
  /** Epoch milliseconds; null while it lasts. */
  readonly ended_at: number | null;
  /** Epoch milliseconds; null when nobody knows, as in a halt. */
  readonly reopens_at: Row<'market_closures'>['reopens_at'] | null;
}

const UNNOTIFIED = [
  `select 'market_halts' as table, id, scope, pair, customer_id, 'halt' as reason, resumed_at as ended_at,
     null::timestamptz as reopens_at, closed_told_to, closed_told, opened_told_to from market_halts
   where not closed_told or (resumed_at is not null and not opened_told)
   order by halted_at, id limit 1 for update skip locked`,
  `select 'market_closures' as table, id, null as scope, null as pair, null::uuid as customer_id, reason,
     opened_at as ended_at, reopens_at, closed_told_to, closed_told, opened_told_to from market_closures
   where not closed_told or (opened_at is not null and not opened_told)
   order by closed_at, id limit 1 for update skip locked`,
];

/** The oldest halt, else closure, that somebody has yet to be notified of, unless another instance is just doing it. */
export async function lockUnnotified(connection: Connection): Promise<MarketNotice | undefined> {
  for (const query of UNNOTIFIED) {
    const { rows } = await connection.query<MarketNotice & Record<string, unknown>>(query);
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

/** @param part which of the two announcements has come as far as `to`; null leaves that as it is */
export async function writeNotified(
  connection: Connection,
  { table, id }: Pick<MarketNotice, 'table' | 'id'>,
  part: 'closed' | 'opened',
  to: string | null,
  done: boolean,
): Promise<void> {
  await connection.query(
    `update ${table} set ${part}_told_to = coalesce($2, ${part}_told_to), ${part}_told = $3 where id = $1`,
    [id, to, done],
  );
}

/** Keeps a closure that has begun; one that is known already is left as it is. */
export async function writeClosure(
  connection: Connection,
  now: number,
  reopensAt: number,
  reason: 'weekend' | 'holiday',
): Promise<void> {
  await connection.query(
    `insert into market_closures (id, reopens_at, closed_at, reason) values ($1, $2, $3, $4)
     on conflict (reopens_at) do nothing`,
    [newUuid(now), isoInstant(reopensAt), isoInstant(now), reason],
  );
}

/** Ends the closures whose time is over. */
export async function endClosures(connection: Connection, now: number): Promise<void> {
  await connection.query(
    'update market_closures set opened_at = reopens_at where opened_at is null and reopens_at <= $1',
    [isoInstant(now)],
  );
}
