import { type Connection, type Queryable, UNLIMITED } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** SQL of what the first start in a sandbox has made. */

/** Any number that nothing else locks: keeps two instances from setting the sandbox up at once. */
const LOCK = 4_201_986;

/**
 * Held by the connection until {@link unlockFirstStart}. Whoever has it gives it back when it serves, with all its processes, which may take
 * longer than a statement may wait.
 */
export async function lockFirstStart(lock: Connection): Promise<void> {
  await lock.query('set lock_timeout = 0; set statement_timeout = 0');
  await lock.query({ text: `select pg_advisory_lock(${LOCK})`, ...UNLIMITED });
  await lock.query('reset lock_timeout; reset statement_timeout');
}

export async function unlockFirstStart(lock: Connection): Promise<void> {
  await lock.query(`select pg_advisory_unlock(${LOCK})`);
}

/** The first customer (a UUID), if there is one, and whether all that it trades with is there. */
export async function readSeeding(
  connection: Queryable,
): Promise<Pick<Row<'sandbox_settings'>, 'customer_id' | 'seeded'> | undefined> {
  const { rows } = await connection.query<Pick<Row<'sandbox_settings'>, 'customer_id' | 'seeded'>>(
    'select customer_id, seeded from sandbox_settings',
  );
  return rows[0];
}

export async function writeFirstCustomer(connection: Queryable, customerId: string): Promise<void> {
  await connection.query('update sandbox_settings set customer_id = $1', [customerId]);
}

export async function writeSeeded(connection: Queryable): Promise<void> {
  await connection.query('update sandbox_settings set seeded = true');
}

/** Whether a client (`cli_…`) was made for a sandbox on this database. */
export async function isSandboxClient(connection: Queryable, clientId: string): Promise<boolean> {
  const { rowCount } = await connection.query('select 1 from sandbox_clients where client_id = $1', [
    clientId,
  ]);
  return rowCount === 1;
}

/** Clients (`cli_…`) of a kind, newest first, without the `kept` newest. */
export async function olderClients(
  connection: Queryable,
  kind: 'customer' | 'operator',
  kept: number,
): Promise<string[]> {
  const { rows } = await connection.query<Pick<Row<'sandbox_clients'>, 'client_id'>>(
    'select client_id from sandbox_clients where kind = $1 order by created_at desc, client_id offset $2',
    [kind, kept],
  );
  return rows.map((row) => row.client_id);
}

export async function deleteSandboxClient(connection: Queryable, clientId: string): Promise<void> {
  await connection.query('delete from sandbox_clients where client_id = $1', [clientId]);
}

/** @param at real time, epoch milliseconds */
export async function insertSandboxClient(
  connection: Queryable,
  clientId: string,
  kind: 'customer' | 'operator',
  at: number,
): Promise<void> {
  await connection.query('insert into sandbox_clients (client_id, kind, created_at) values ($1, $2, $3)', [
    clientId,
    kind,
    isoInstant(at),
  ]);
}
