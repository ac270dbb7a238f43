import type { Queryable } from '../database/pool.ts';

/** How many customers what the house changes is for. */
export async function countActiveCustomers(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    "select count(*)::integer as count from customers where status = 'active'",
  );
  return rows[0]?.count ?? 0;
}
