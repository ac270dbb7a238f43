import type { Pool } from '../../src/database/pool.ts';

/** Reports as if they had been asked for long ago: failed ones, or ones that another instance is making. */
export async function keepReports(
  pool: Pool,
  count: number,
  status: 'running' | 'failed',
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into report_jobs (id, report, format, parameters, requested_by, status, lease, lease_until, failure,
       created_at, expires_at)
     select gen_random_uuid(), 'overdue', 'csv', '{}', gen_random_uuid(), $2,
       case $2 when 'running' then gen_random_uuid() end, now() + interval '1 day',
       case $2 when 'failed' then 'x' end, '2026-03-01', '2036-03-01'
     from generate_series(1, $1) returning id`,
    [count, status],
  );
  return rows.map(({ id }) => id);
}
