import type { Connection, Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

/** That a source was switched off or on. The newest counts; a source without one is on. */
export interface SourceSwitch {
  readonly source: string;
  readonly number: number;
  readonly enabled: boolean;
  readonly reason: string;
  readonly changedAt: number;
  /** UUID of an OAuth client. */
  readonly changedBy: string;
}

interface SwitchRow {
  source: string;
  number: number;
  enabled: boolean;
  reason: string;
  changed_at: number;
  changed_by: string;
}

/** The newest switch of each source that has one. */
export async function readSwitches(database: Queryable, source?: string): Promise<SourceSwitch[]> {
  const { rows } = await database.query<SwitchRow>(
    `select distinct on (source) * from market_source_switches where $1::text is null or source = $1
     order by source, number desc`,
    [source ?? null],
  );
  return rows.map((row) => ({
    source: row.source,
    number: row.number,
    enabled: row.enabled,
    reason: row.reason,
    changedAt: row.changed_at,
    changedBy: row.changed_by,
  }));
}

export async function insertSwitch(connection: Connection, change: SourceSwitch): Promise<void> {
  await connection.query(
    `insert into market_source_switches (source, number, enabled, reason, changed_at, changed_by)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      change.source,
      change.number,
      change.enabled,
      change.reason,
      isoInstant(change.changedAt),
      change.changedBy,
    ],
  );
}
