import type { Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { newUuid } from '../platform/ids.ts';
import type { LogName } from './sealed-log.ts';

/** Up to where rows were removed, which exports have. */
export type Archived = Pick<Row<'log_archives'>, 'seals' | 'size'>;
export type ExportRow = Row<'log_exports'>;

export const NOTHING_ARCHIVED: Archived = { seals: '0', size: '0' };

export async function readArchived(database: Queryable, log: LogName): Promise<Archived> {
  const { rows } = await database.query<Archived>(
    'select seals, size from log_archives where log = $1 order by seals desc limit 1',
    [log],
  );
  return rows[0] ?? NOTHING_ARCHIVED;
}

/** An export as it was handed out. */
export interface MadeExport {
  readonly log: LogName;
  readonly fromSize: number;
  readonly size: number;
  readonly root: Buffer;
  /** Of the file. */
  readonly sha256: Buffer;
}

/** Writes down that all of an export was handed out. When it was, the database says. */
export async function recordExport(
  database: Queryable,
  { log, fromSize, size, root, sha256 }: MadeExport,
  now: number,
): Promise<void> {
  await database.query(
    'insert into log_exports (id, log, from_size, size, root, sha256) values ($1, $2, $3, $4, $5, $6)',
    [newUuid(now), log, fromSize, size, root, sha256],
  );
}

/**
 * Of the exports that have the row behind so many, and are followed by one another without a gap, the one that goes furthest.
 * @param isOld only those that `archive_audit` counts
 */
export async function exportOver(
  database: Queryable,
  log: LogName,
  size: string,
  isOld: boolean,
): Promise<ExportRow | undefined> {
  const { rows } = await database.query<ExportRow>(
    `select e.id, e.log, e.from_size, e.size, e.root, e.sha256, e.exported_at from log_exports e
     join log_seals s on s.log = e.log and s.size = e.size and s.root = e.root
     where e.log = $1 and e.from_size <= $2 and e.size > $2
       and exists (select from log_heads h where h.log = e.log and h.size = e.size and h.root = e.root)
       and (not $3 or e.exported_at < clock_timestamp() - interval '7 days')
     order by e.size desc, e.exported_at limit 1`,
    [log, size, isOld],
  );
  return rows[0];
}

/** Removes the rows under the next seals, with the right of the tables' owner. */
export async function removeRows(
  database: Queryable,
  throughSeal: string,
  keptDays: number,
): Promise<number> {
  const { rows } = await database.query<{ removed: string }>('select archive_audit($1, $2) as removed', [
    throughSeal,
    keptDays,
  ]);
  return Number.parseInt(rows[0]?.removed ?? '0', 10);
}
