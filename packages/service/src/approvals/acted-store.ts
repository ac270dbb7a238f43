import { eyesOf } from '../authorization/eyes.ts';
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
  for (const id of [eyes, ...[...customerIds].sort()]) {
    await connection.query("select pg_advisory_xact_lock(hashtextextended('acted ' || $1, 0))", [id]);
  }
  return eyes;
}

export async function sumOfActor(connection: Queryable, actedBy: string, since: number): Promise<bigint> {
  const { rows } = await connection.query<{ sum: string }>(
    'select coalesce(sum(usd_minor), 0) as sum from acted_amounts where acted_by = $1 and at > $2',
    [actedBy, isoInstant(since)],
  );
  return BigInt(rows[0]?.sum ?? '0');
}

export async function sumOfCustomer(
  connection: Queryable,
  customerId: string,
  since: number,
): Promise<bigint> {
  const { rows } = await connection.query<{ sum: string }>(
    'select coalesce(sum(usd_minor), 0) as sum from acted_amounts where customer_id = $1 and at > $2',
    [customerId, isoInstant(since)],
  );
  return BigInt(rows[0]?.sum ?? '0');
}

export async function insertActed(connection: Connection, acted: ActedAmount): Promise<void> {
  const { id, kind, actedBy, customerId, usdMinor, at } = acted;
  await connection.query(
    `insert into acted_amounts (id, kind, acted_by, customer_id, usd_minor, at) values ($1, $2, $3, $4, $5, $6)`,
    [id, kind, actedBy, customerId, usdMinor.toString(), isoInstant(at)],
  );
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
