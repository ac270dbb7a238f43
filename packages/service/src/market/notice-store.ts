import type { Connection } from '../database/pool.ts';
import type { HaltScope } from './halts.ts';

/** How far the customers have been told of a halt. */
export interface HaltNotice {
  readonly id: string;
  readonly scope: HaltScope;
  readonly pair: string | null;
  readonly customer_id: string | null;
  readonly resumed_at: number | null;
  readonly closed_told_to: string | null;
  readonly closed_told: boolean;
  readonly opened_told_to: string | null;
}

/** The oldest halt that somebody has yet to be told of, unless another instance is just telling. */
export async function lockUntoldHalt(connection: Connection): Promise<HaltNotice | undefined> {
  const { rows } = await connection.query<HaltNotice & Record<string, unknown>>(
    `select id, scope, pair, customer_id, resumed_at, closed_told_to, closed_told, opened_told_to from market_halts
     where not closed_told or (resumed_at is not null and not opened_told)
     order by halted_at, id limit 1 for update skip locked`,
  );
  return rows[0];
}

/** Active customers in the order of their ids. */
export async function customersBetween(
  connection: Connection,
  after: string | null,
  upTo: string | null,
  limit: number,
): Promise<string[]> {
  const { rows } = await connection.query<{ id: string }>(
    `select id from customers where status = 'active' and ($1::uuid is null or id > $1) and ($2::uuid is null or id <= $2)
     order by id limit $3`,
    [after, upTo, limit],
  );
  return rows.map(({ id }) => id);
}

export async function writeClosedTold(
  connection: Connection,
  id: string,
  to: string | null,
  done: boolean,
): Promise<void> {
  await connection.query(
    'update market_halts set closed_told_to = coalesce($2, closed_told_to), closed_told = $3 where id = $1',
    [id, to, done],
  );
}

export async function writeOpenedTold(
  connection: Connection,
  id: string,
  to: string | null,
  done: boolean,
): Promise<void> {
  await connection.query(
    'update market_halts set opened_told_to = coalesce($2, opened_told_to), opened_told = $3 where id = $1',
    [id, to, done],
  );
}
