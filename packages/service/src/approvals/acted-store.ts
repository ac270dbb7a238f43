import { eyesOf } from '../authorization/eyes.ts';
import { insertRows } from '../database/insert-rows.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

interface ActedAmount {
  readonly id: string;
  readonly kind: string;
  readonly actedBy: string;
  readonly customerId: string | null;
  readonly usdMinor: bigint;
  readonly at: number;
}

/** Customers share so many locks: a payment file is for thousands, and the server has room for as many locks as that. */
const CUSTOMER_LOCKS = 64;

/**
 * Holds the sums of one who acts, and of customers, until the transaction ends.
 * @returns the pair of eyes: the person, or the client where nobody answers for it
 */
export async function lockSums(
  connection: Connection,
  actorId: string,
  customerIds: readonly string[],
): Promise<string> {
  const eyes = (await eyesOf(connection, actorId)) ?? actorId;
  // In one order for everybody: first who acts, then whom it is for.
  await connection.query("select pg_advisory_xact_lock(hashtextextended('acted ' || $1, 0))", [eyes]);
  if (customerIds.length === 0) return eyes;
  await connection.query(
    `select pg_advisory_xact_lock(hashtextextended('acted for ' || n, 0))
     from (select distinct abs(hashtextextended(id, 0) % $2) as n from unnest($1::text[]) id order by n) numbers`,
    [customerIds, CUSTOMER_LOCKS],
  );
  return eyes;
}

export async function sumOfActor(connection: Queryable, actedBy: string, since: number): Promise<bigint> {
  const { rows } = await connection.query<{ sum: string }>(
    'select coalesce(sum(usd_minor), 0) as sum from acted_amounts where acted_by = $1 and at > $2',
    [actedBy, isoInstant(since)],
  );
  return BigInt(rows[0]?.sum ?? '0');
}

/** Of those that have any. */
export async function sumsOfCustomers(
  connection: Queryable,
  customerIds: readonly string[],
  since: number,
): Promise<Map<string, bigint>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await connection.query<{ id: string; sum: string }>(
    `select customer_id as id, sum(usd_minor) as sum from acted_amounts
     where customer_id = any ($1::uuid[]) and at > $2 group by customer_id`,
    [customerIds, isoInstant(since)],
  );
  return new Map(rows.map(({ id, sum }) => [id, BigInt(sum)]));
}

export async function insertActed(connection: Connection, acted: readonly ActedAmount[]): Promise<void> {
  const rows = acted.map(({ id, kind, actedBy, customerId, usdMinor, at }) => ({
    ...{ id, kind, acted_by: actedBy, customer_id: customerId },
    ...{ usd_minor: usdMinor.toString(), at: isoInstant(at) },
  }));
  await insertRows(connection, 'acted_amounts', rows);
}

/** Forgets what no policy adds up any more. @returns how many rows */
export async function forgetActed(connection: Queryable, before: number, rowsMax: number): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from acted_amounts where id in
       (select id from acted_amounts where at < $1 order by at limit $2)`,
    [isoInstant(before), rowsMax],
  );
  return rowCount ?? 0;
}
