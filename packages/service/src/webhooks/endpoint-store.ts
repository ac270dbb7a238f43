import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { Owner } from './room.ts';

/** SQL of endpoints. */

export type EndpointRow = Row<'webhook_endpoints'>;

const OWNED = '(customer_id = $1 or ($1::uuid is null and customer_id is null))';

export async function insertEndpoint(
  connection: Connection,
  row: Pick<
    EndpointRow,
    | 'id'
    | 'customer_id'
    | 'url'
    | 'description'
    | 'types'
    | 'ordering'
    | 'sealed'
    | 'sealed_under'
    | 'public_key'
    | 'created_at'
    | 'sequence'
  >,
): Promise<EndpointRow> {
  const { rows } = await connection.query<EndpointRow>(
    `insert into webhook_endpoints
       (id, customer_id, url, description, types, ordering, sealed, sealed_under, public_key, created_at, updated_at, sequence)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11) returning *`,
    [
      row.id,
      row.customer_id,
      row.url,
      row.description,
      row.types,
      row.ordering,
      row.sealed,
      row.sealed_under,
      row.public_key,
      isoInstant(row.created_at),
      row.sequence,
    ],
  );
  return rows[0] as EndpointRow;
}

export async function countEndpoints(connection: Queryable, owner: Owner): Promise<number> {
  const { rows } = await connection.query<{ n: number }>(
    `select count(*)::int as n from webhook_endpoints where ${OWNED}`,
    [owner],
  );
  return rows[0]?.n ?? 0;
}

export async function findEndpoint(
  connection: Queryable,
  owner: Owner,
  id: string,
  lock = false,
): Promise<EndpointRow | undefined> {
  const { rows } = await connection.query<EndpointRow>(
    `select * from webhook_endpoints where ${OWNED} and id = $2 ${lock ? 'for update' : ''}`,
    [owner, id],
  );
  return rows[0];
}

/** Newest first. `before` is the id that the page begins after. */
export async function listEndpoints(
  connection: Queryable,
  owner: Owner,
  before: string | undefined,
  rowsMax: number,
): Promise<EndpointRow[]> {
  const { rows } = await connection.query<EndpointRow>(
    `select * from webhook_endpoints where ${OWNED} and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [owner, before ?? null, rowsMax],
  );
  return rows;
}

/**
 * What its owner sets, of a locked row; it is to be woken. One that is disabled, or is to be served otherwise, is taken from whoever is at
 * it: what comes of attempts at the old address says nothing of the new one, who knows the old types would pass over events of new ones, and who
 * has the old secret would sign with that alone.
 */
export async function writeEndpoint(connection: Connection, row: EndpointRow): Promise<EndpointRow> {
  const { rows } = await connection.query<EndpointRow>(
    `update webhook_endpoints set url = $2, description = $3, types = $4, ordering = $5, status = $6, disabled_reason = $7,
       disabled_at = $8, sealed = $9, sealed_under = $10, public_key = $11, previous_until = $12, version = version + 1,
       updated_at = $13,
       lease = case when $6 = 'enabled' and url = $2 and types = $4 and ordering = $5 and sealed = $9 then lease end,
       due_at = case when $6 = 'enabled' then due_at end
     where id = $1 returning *`,
    [
      row.id,
      row.url,
      row.description,
      row.types,
      row.ordering,
      row.status,
      row.disabled_reason,
      row.disabled_at === null ? null : isoInstant(row.disabled_at),
      row.sealed,
      row.sealed_under,
      row.public_key,
      row.previous_until === null ? null : isoInstant(row.previous_until),
      isoInstant(row.updated_at),
    ],
  );
  return rows[0] as EndpointRow;
}

/** Something is to be done for it: at once, or when who is at it is done. */
export async function wakeEndpoint(connection: Queryable, id: string, at: number): Promise<void> {
  await connection.query(
    `update webhook_endpoints set has_news = true, due_at = case when lease is null then $2 else due_at end
     where id = $1 and status = 'enabled'`,
    [id, isoInstant(at)],
  );
}

/** As {@link wakeEndpoint}, at once: taken from whoever is at it, so that what comes of attempts under way is not written over what was ordered. */
export async function takeEndpoint(connection: Queryable, id: string, at: number): Promise<void> {
  await connection.query(
    `update webhook_endpoints set has_news = true, lease = null, due_at = $2 where id = $1 and status = 'enabled'`,
    [id, isoInstant(at)],
  );
}

export async function deleteEndpoint(connection: Connection, id: string): Promise<void> {
  await connection.query('delete from webhook_endpoints where id = $1', [id]);
}

/** Operators' endpoints are made one at a time; what holds customers' is the end of their feed. */
export async function lockOperators(connection: Connection): Promise<void> {
  await connection.query('select pg_advisory_xact_lock(7105, 1)');
}

/** A lease of endpoints. */
interface Lease {
  readonly id: string;
  readonly until: number;
}

/** Takes endpoints that are due. */
export async function claimEndpoints(
  connection: Queryable,
  lease: Lease,
  at: number,
  most: { readonly quick: number; readonly slow: number },
): Promise<EndpointRow[]> {
  const { rowCount } = await connection.query({
    name: 'claim_webhooks',
    text: 'select claim_webhooks($1, $2, $3, $4, $5)',
    values: [isoInstant(at), lease.id, isoInstant(lease.until), most.quick, most.slow],
  });
  if (rowCount === 0) return [];
  const { rows } = await connection.query<EndpointRow>(
    'select * from webhook_endpoints where lease = $1 and due_at is not null',
    [lease.id],
  );
  return rows;
}

/** How long the endpoint that waits longest has been due, milliseconds; 0 when none waits. */
export async function longestDue(connection: Queryable, at: number): Promise<number> {
  const { rows } = await connection.query<{ due: number | null }>(
    `select least((select min(due_at) from webhook_endpoints where not is_slow and due_at is not null),
                  (select min(due_at) from webhook_endpoints where is_slow and due_at is not null)) as due`,
  );
  const due = rows[0]?.due ?? at;
  return Math.max(at - due, 0);
}
