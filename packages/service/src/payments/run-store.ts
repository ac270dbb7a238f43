import { FILE_FORMATS, type FileFormat, type RunStatus } from '@firmquote/api/operations/settlement-runs';
import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** A row of `settlement_runs` as the driver gives it, with the checksums of its files. */
export type RunRow = Row<'settlement_runs'> & {
  readonly files: readonly { readonly format: FileFormat; readonly sha256: string; readonly bytes: number }[];
  readonly downloads: readonly Download[];
};

/** Who has had a file of a run, and how often. */
export interface Download {
  readonly format: FileFormat;
  /** Person or OAuth client (UUID). */
  readonly by: string;
  readonly count: number;
  /** Epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
}

const RUNS = `select r.*, (
    select json_agg(json_build_object('format', f.format, 'sha256', f.sha256, 'bytes', length(f.content)) order by f.format desc)
    from settlement_run_files f where f.run_id = r.id)::text as files, (
    select json_agg(json_build_object('format', d.format, 'by', d.by, 'count', d.count,
      'firstAt', trunc(extract(epoch from d.first_at) * 1000), 'lastAt', trunc(extract(epoch from d.last_at) * 1000))
      order by d.first_at, d.by, d.format)
    from settlement_run_downloads d where d.run_id = r.id)::text as downloads
  from settlement_runs r`;

type StoredRun = Omit<RunRow, 'files' | 'downloads'> & { files: string | null; downloads: string | null };

function ofRow(row: StoredRun): RunRow {
  return {
    ...row,
    files: JSON.parse(row.files ?? '[]') as RunRow['files'],
    downloads: JSON.parse(row.downloads ?? '[]') as RunRow['downloads'],
  };
}

/** Runs of a currency are made one after the other, so that two never take the same payout. */
export async function lockRuns(connection: Queryable, currency: string): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(hashtext('settlement_runs'), hashtext($1))`, [
    currency,
  ]);
}

export async function insertRun(
  connection: Queryable,
  run: Omit<
    RunRow,
    'files' | 'downloads' | 'are_downloads_recorded' | 'ended_by' | 'ended_at' | 'version' | 'status'
  >,
  files: Readonly<Record<FileFormat, string>>,
): Promise<void> {
  await connection.query(
    `insert into settlement_runs (id, currency, value_date, execution_date, charge_bearer, status, message_id,
       payment_count, total_minor, created_by, created_at, are_downloads_recorded)
     values ($1, $2, $3, $4, $5, 'created', $6, $7, $8, $9, $10, true)`,
    [
      run.id,
      run.currency,
      run.value_date,
      run.execution_date,
      run.charge_bearer,
      run.message_id,
      run.payment_count,
      run.total_minor,
      run.created_by,
      isoInstant(run.created_at),
    ],
  );
  for (const format of FILE_FORMATS) {
    await connection.query(
      `insert into settlement_run_files (run_id, format, content, sha256)
       values ($1, $2, $3, encode(sha256($3), 'hex'))`,
      [run.id, format, Buffer.from(files[format], 'utf8')],
    );
  }
}

export async function findRun(connection: Queryable, id: string, lock = false): Promise<RunRow | undefined> {
  const { rows } = await connection.query<StoredRun>(
    `${RUNS} where r.id = $1 ${lock ? 'for update of r' : ''}`,
    [id],
  );
  return rows[0] && ofRow(rows[0]);
}

export async function listRuns(
  connection: Queryable,
  filter: { readonly currency: string | undefined; readonly status: readonly RunStatus[] | undefined },
  before: string | undefined,
  rowsMax: number,
): Promise<RunRow[]> {
  const { rows } = await connection.query<StoredRun>(
    `${RUNS} where ($1::text is null or r.currency = $1) and ($2::text[] is null or r.status = any ($2))
       and ($3::uuid is null or r.id < $3)
     order by r.id desc limit $4`,
    [filter.currency ?? null, filter.status ?? null, before ?? null, rowsMax],
  );
  return rows.map(ofRow);
}

export async function endRun(
  connection: Queryable,
  id: string,
  status: 'sent' | 'cancelled',
  by: string,
  at: number,
): Promise<void> {
  await connection.query(
    `update settlement_runs set status = $2, version = version + 1, ended_by = $3, ended_at = $4 where id = $1`,
    [id, status, by, isoInstant(at)],
  );
  if (status !== 'cancelled') return;
  await connection.query(
    `update payment_items i set live = false from payments p where p.run_id = $1 and i.payment_id = p.id`,
    [id],
  );
}

export async function findFile(
  connection: Queryable,
  runId: string,
  format: FileFormat,
): Promise<{ readonly content: Buffer; readonly sha256: string } | undefined> {
  const { rows } = await connection.query<Pick<Row<'settlement_run_files'>, 'content' | 'sha256'>>(
    'select content, sha256 from settlement_run_files where run_id = $1 and format = $2',
    [runId, format],
  );
  return rows[0];
}

export async function noteDownload(
  connection: Queryable,
  runId: string,
  format: FileFormat,
  by: string,
  at: number,
): Promise<void> {
  await connection.query(
    `insert into settlement_run_downloads as d (run_id, format, by, count, first_at, last_at)
     values ($1, $2, $3, 1, $4, $4)
     on conflict (run_id, format, by) do update set count = d.count + 1, last_at = excluded.last_at`,
    [runId, format, by, isoInstant(at)],
  );
}
