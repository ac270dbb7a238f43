import type { Pool } from 'pg';
import type { Queryable } from '../../src/database/pool.ts';

/** Rows of sealed logs and of what seals them that the work read, of a database that nobody else uses. */
export async function rowsRead(pool: Pool, work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    // Sessions tell of what they did when they are idle, at once when they are asked.
    const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    try {
      // A small table is rather read whole, which tells nothing of what is read of a large one.
      for (const each of connections)
        await each.query('set enable_seqscan = off; select pg_stat_force_next_flush()');
    } finally {
      for (const each of connections) each.release();
    }
    const { rows } = await pool.query<{ read: string }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_user_tables
       where relname in ('audit_log', 'journal_entries', 'log_seals', 'log_heads', 'log_nodes', 'log_tips')`,
    );
    return Number(rows[0]?.read);
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

/**
 * Rows that the work read of each table, within the transaction that its connection is in.
 * @param tables those that are asked about, or all
 */
export async function rowsReadWithin(
  connection: Queryable,
  work: () => Promise<unknown>,
  tables: readonly string[] | null = null,
): Promise<Map<string, number>> {
  const count = async () => {
    const { rows } = await connection.query<{ name: string; read: string }>(
      `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
       where $1::text[] is null or relname = any ($1)`,
      [tables],
    );
    return new Map(rows.map(({ name, read }) => [name, Number(read)]));
  };
  const first = await count();
  await work();
  return new Map([...(await count())].map(([name, read]) => [name, read - (first.get(name) ?? 0)]));
}
