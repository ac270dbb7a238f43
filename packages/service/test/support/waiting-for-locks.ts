import type { Pool } from '../../src/database/pool.ts';
import { until } from './process.ts';

/**
 * Waits until at least so many statements in this database wait for a lock that somebody else holds. Asks through the pool: in a
 * transaction PostgreSQL answers what it saw when it was first asked.
 */
export function untilLocked(pool: Pool, count = 1): Promise<void> {
  return until(`${count} wait for a lock`, async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
    );
    return (rowCount ?? 0) >= count;
  });
}
