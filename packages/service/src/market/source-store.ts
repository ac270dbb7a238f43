import type { Connection, Queryable } from '../database/pool.ts';
import type { CamelRow, Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';

/** That a source was switched off or on, by whom (a UUID). The newest counts; a source without one is on. */
export type SourceSwitch = CamelRow<'market_source_switches'>;

type SwitchRow = Row<'market_source_switches'>;

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

/** That an operator (a UUID) set the sequence numbers of a FIX session. Every one is kept: 1, 2, 3 … of a source. */
export type SequenceReset = CamelRow<'market_sequence_resets'>;

type ResetRow = Row<'market_sequence_resets'>;

/** The newest of each source that has one. */
export async function readSequenceResets(database: Queryable, source?: string): Promise<SequenceReset[]> {
  const { rows } = await database.query<ResetRow>(
    `select distinct on (source) * from market_sequence_resets where $1::text is null or source = $1
     order by source, number desc`,
    [source ?? null],
  );
  return rows.map((row) => ({
    source: row.source,
    number: row.number,
    nextSent: row.next_sent,
    nextReceived: row.next_received,
    reason: row.reason,
    resetAt: row.reset_at,
    resetBy: row.reset_by,
  }));
}

export async function insertSequenceReset(connection: Connection, reset: SequenceReset): Promise<void> {
  await connection.query(
    `insert into market_sequence_resets (source, number, next_sent, next_received, reason, reset_at, reset_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      reset.source,
      reset.number,
      reset.nextSent,
      reset.nextReceived,
      reset.reason,
      isoInstant(reset.resetAt),
      reset.resetBy,
    ],
  );
}
