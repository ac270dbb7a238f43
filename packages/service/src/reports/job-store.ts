import type { ReportFormat, ReportName } from '@firmquote/api/operations/reports';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { ReportParameters } from './report.ts';

export type JobRow = Omit<Row<'report_jobs'>, 'lease' | 'lease_until'> & {
  readonly report: ReportName;
};

interface NewJob {
  readonly id: string;
  readonly report: ReportName;
  readonly format: ReportFormat;
  readonly parameters: ReportParameters;
  readonly requestedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Any number that nothing else locks: requests for reports are counted one after the other. */
const COUNT_LOCK = 4_201_992;

/** Writes a job unless there are so many already. @returns the job, or undefined when there are */
export async function insertJob(
  connection: Connection,
  job: NewJob,
  jobsMax: number,
): Promise<JobRow | undefined> {
  await connection.query(`select pg_advisory_xact_lock(${COUNT_LOCK})`);
  const { rows } = await connection.query<JobRow & Record<string, unknown>>(
    `insert into report_jobs (id, report, format, parameters, requested_by, status, created_at, expires_at)
     select $1, $2, $3, $4, $5, 'queued', $6, $7 where (select count(*) from report_jobs where slot is null) < $8
     returning *`,
    [
      job.id,
      job.report,
      job.format,
      JSON.stringify(job.parameters),
      job.requestedBy,
      isoInstant(job.createdAt),
      isoInstant(job.expiresAt),
      jobsMax,
    ],
  );
  return rows[0];
}

export async function findJob(database: Queryable, id: string): Promise<JobRow | undefined> {
  const { rows } = await database.query<JobRow & Record<string, unknown>>(
    'select * from report_jobs where id = $1',
    [id],
  );
  return rows[0];
}

/** Newest first. */
export async function listJobs(
  database: Queryable,
  before: string | undefined,
  rowsMax: number,
): Promise<JobRow[]> {
  const { rows } = await database.query<JobRow & Record<string, unknown>>(
    'select * from report_jobs where $1::uuid is null or id < $1 order by id desc limit $2',
    [before ?? null, rowsMax],
  );
  return rows;
}

export async function deleteJob(database: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await database.query('delete from report_jobs where id = $1', [id]);
  return rowCount === 1;
}

export async function deleteExpiredJobs(database: Queryable, now: number): Promise<number> {
  const { rowCount } = await database.query('delete from report_jobs where expires_at <= $1', [
    isoInstant(now),
  ]);
  return rowCount ?? 0;
}

/**
 * Takes the oldest job that nobody is making, also one whose maker has not been heard of for the time of its lease.
 * What a maker before has written is removed.
 */
export async function claimJob(
  connection: Connection,
  lease: string,
  leaseSeconds: number,
  now: number,
): Promise<JobRow | undefined> {
  const { rows } = await connection.query<JobRow & Record<string, unknown>>(
    `update report_jobs set status = 'running', lease = $1, lease_until = now() + make_interval(secs => $2),
       attempts = attempts + 1, started_at = $3, rows_written = 0, bytes_written = 0, pieces = 0
     where id = (
       select id from report_jobs
       where status = 'queued' or (status = 'running' and lease_until < now())
       order by created_at limit 1 for update skip locked
     )
     returning *`,
    [lease, leaseSeconds, isoInstant(now)],
  );
  const [job] = rows;
  if (job !== undefined) await connection.query('delete from report_pieces where report_id = $1', [job.id]);
  return job;
}

/** Progress of a maker who still has the lease, which is renewed. */
interface Progress {
  readonly id: string;
  readonly lease: string;
  readonly leaseSeconds: number;
  readonly rows: number;
  readonly bytes: number;
  readonly piece: number;
  readonly content: string;
}

/** Writes the next piece. @returns false when somebody else has the job now, or it is gone: nothing was written */
export async function writePiece(database: Queryable, progress: Progress): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'write_report_piece',
    text: `with held as (
        update report_jobs set rows_written = $3, bytes_written = $4, pieces = $5,
          lease_until = now() + make_interval(secs => $7)
        where id = $1 and lease = $2 returning id
      )
      insert into report_pieces (report_id, piece, content) select id, $5, $6 from held`,
    values: [
      progress.id,
      progress.lease,
      progress.rows,
      progress.bytes,
      progress.piece,
      progress.content,
      progress.leaseSeconds,
    ],
  });
  return rowCount === 1;
}

/** Says that a report is still being made. @returns false when somebody else has the job now, or it is gone */
export async function renewLease(
  database: Queryable,
  id: string,
  lease: string,
  leaseSeconds: number,
): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'renew_report_lease',
    text: 'update report_jobs set lease_until = now() + make_interval(secs => $3) where id = $1 and lease = $2',
    values: [id, lease, leaseSeconds],
  });
  return rowCount === 1;
}

export async function completeJob(
  database: Queryable,
  id: string,
  lease: string,
  end: { readonly sha256: string; readonly balanced: boolean | null; readonly now: number },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update report_jobs set status = 'completed', sha256 = $3, balanced = $4, completed_at = $5, lease = null,
       lease_until = null
     where id = $1 and lease = $2`,
    [id, lease, end.sha256, end.balanced, isoInstant(end.now)],
  );
  return rowCount === 1;
}

/** Gives a job back, or ends it when it has been tried often enough. @returns whether it still had it */
export async function releaseJob(
  database: Queryable,
  id: string,
  lease: string,
  failure: string | undefined,
  now: number,
): Promise<boolean> {
  const { rowCount } = await database.query(
    failure === undefined
      ? `update report_jobs set status = 'queued', attempts = attempts - 1, lease = null, lease_until = null
         where id = $1 and lease = $2`
      : `update report_jobs set status = 'failed', failure = $3, completed_at = $4, lease = null, lease_until = null
         where id = $1 and lease = $2`,
    failure === undefined ? [id, lease] : [id, lease, failure, isoInstant(now)],
  );
  return rowCount === 1;
}

export async function readPiece(database: Queryable, id: string, piece: number): Promise<string | undefined> {
  const { rows } = await database.query<Pick<Row<'report_pieces'>, 'content'>>(
    'select content from report_pieces where report_id = $1 and piece = $2',
    [id, piece],
  );
  return rows[0]?.content;
}
