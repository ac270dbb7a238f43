import type { Connection, Pool } from '../database/pool.ts';

/**
 * Lets the work read the database as it is at one moment, however many statements it takes. The session is given back
 * only when the work has ended well; else it ends with its transaction.
 */
export async function inSnapshot<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let failed = true;
  try {
    await connection.query('begin isolation level repeatable read read only');
    const result = await work(connection);
    await connection.query('commit');
    failed = false;
    return result;
  } finally {
    connection.release(failed);
  }
}
