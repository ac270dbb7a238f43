import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { JobRow } from './job-store.ts';

export type ScheduleRow = Row<'report_schedules'>;

/** Any number that nothing else locks: schedules are counted one after the other. */
const COUNT_LOCK = 4_201_991;

const COLUMNS = [
  ...[
    'id',
    'version',
    'name',
    'report',
    'format',
    'every',
    'day_on',
    'at_time',
    'zone',
    'holidays',
    'calendar',
  ],
  ...['customer_id', 'currency', 'keep_days', 'paused', 'next_date', 'left_out', 'created_by', 'created_at'],
  ...['updated_at', 'next_from', 'next_from_date'],
] as const satisfies readonly (keyof ScheduleRow)[];

const INSTANTS: ReadonlySet<keyof ScheduleRow> = new Set(['created_at', 'updated_at', 'next_from']);

/** Writes a schedule unless there are so many already. @returns whether it was written */
export async function insertSchedule(
  connection: Connection,
  row: ScheduleRow,
  schedulesMax: number,
): Promise<boolean> {
  await connection.query(`select pg_advisory_xact_lock(${COUNT_LOCK})`);
  const places = COLUMNS.map((_, i) => `$${i + 1}`);
  const { rowCount } = await connection.query(
    `insert into report_schedules (${COLUMNS.join(', ')})
     select ${places.join(', ')} where (select count(*) from report_schedules) < $${COLUMNS.length + 1}`,
    [...valuesOf(row), schedulesMax],
  );
  return rowCount === 1;
}

export async function updateSchedule(connection: Queryable, row: ScheduleRow): Promise<void> {
  const sets = COLUMNS.slice(1).map((column, i) => `${column} = $${i + 2}`);
  await connection.query(`update report_schedules set ${sets.join(', ')} where id = $1`, valuesOf(row));
}

function valuesOf(row: ScheduleRow): unknown[] {
  return COLUMNS.map((column) => {
    const value = row[column];
    return INSTANTS.has(column) && value !== null ? isoInstant(value as number) : value;
  });
}

export async function listSchedules(database: Queryable): Promise<ScheduleRow[]> {
  const { rows } = await database.query<ScheduleRow>('select * from report_schedules order by id');
  return rows;
}

export async function findSchedule(database: Queryable, id: string): Promise<ScheduleRow | undefined> {
  const { rows } = await database.query<ScheduleRow>('select * from report_schedules where id = $1', [id]);
  return rows[0];
}

/** @param passOver answers nothing where somebody else has it at this moment */
export async function lockSchedule(
  connection: Queryable,
  id: string,
  passOver = false,
): Promise<ScheduleRow | undefined> {
  const { rows } = await connection.query<ScheduleRow>(
    `select * from report_schedules where id = $1 for update${passOver ? ' skip locked' : ''}`,
    [id],
  );
  return rows[0];
}

export async function deleteSchedule(database: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await database.query('delete from report_schedules where id = $1', [id]);
  return rowCount === 1;
}

/** Says which day comes next, from when on it reports, and how many were left out on the way. */
export async function moveSchedule(
  connection: Queryable,
  {
    id,
    next_date,
    left_out,
    next_from,
    next_from_date,
  }: Pick<ScheduleRow, 'id' | 'next_date' | 'left_out' | 'next_from' | 'next_from_date'>,
): Promise<void> {
  await connection.query(
    `update report_schedules set next_date = $2, left_out = $3, next_from = $4, next_from_date = $5 where id = $1`,
    [id, next_date, left_out, next_from === null ? null : isoInstant(next_from), next_from_date],
  );
}

/** A run of a schedule, to be made as any report. A slot that has one gets no other. @returns whether it is new */
export async function insertRun(
  connection: Queryable,
  run: Pick<
    JobRow,
    'id' | 'report' | 'format' | 'parameters' | 'requested_by' | 'created_at' | 'expires_at'
  > & {
    readonly scheduleId: string;
    readonly slot: string;
    readonly dueAt: number;
  },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into report_jobs (id, report, format, parameters, requested_by, status, created_at, expires_at, schedule_id, slot, due_at)
     values ($1, $2, $3, $4, $5, 'queued', $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      run.id,
      run.report,
      run.format,
      run.parameters,
      run.requested_by,
      isoInstant(run.created_at),
      isoInstant(run.expires_at),
      run.scheduleId,
      run.slot,
      isoInstant(run.dueAt),
    ],
  );
  return rowCount === 1;
}

/** Newest first. */
export async function listRuns(
  database: Queryable,
  scheduleId: string,
  before: string | undefined,
  rowsMax: number,
): Promise<JobRow[]> {
  const { rows } = await database.query<JobRow & Record<string, unknown>>(
    `select * from report_jobs where schedule_id = $1 and ($2::date is null or slot < $2) order by slot desc limit $3`,
    [scheduleId, before ?? null, rowsMax],
  );
  return rows;
}

/** The newest run of each schedule. */
export async function lastRuns(
  database: Queryable,
  scheduleIds: readonly string[],
): Promise<ReadonlyMap<string, JobRow>> {
  const { rows } = await database.query<JobRow & Record<string, unknown>>(
    `select j.* from unnest($1::uuid[]) s (id)
     cross join lateral (select * from report_jobs r where r.schedule_id = s.id order by r.slot desc limit 1) j`,
    [scheduleIds],
  );
  return new Map(rows.flatMap((row) => (row.schedule_id === null ? [] : [[row.schedule_id, row]])));
}
