import { type Decimal, formatDecimal, parseDecimal } from '@firmquote/fx';
import { textArray } from '../database/arrays.ts';
import type { Connection, Queryable } from '../database/pool.ts';
import type { Row } from '../database/rows.ts';
import { isoInstant } from '../platform/clock.ts';
import type { PairDefaults, PriceLimits } from './pair-settings.ts';

/** One version of how a pair is treated. Versions begin at 2: 1 is the default, which is no row. */
export interface PairRecord {
  readonly pair: string;
  readonly version: number;
  /** Limits that are not set are those of the pair's class. */
  readonly settings: PairDefaults;
  readonly changedAt: number;
  /** UUID of a person or OAuth client. */
  readonly changedBy: string;
}

type PairRow = Row<'market_pairs'>;

function pairFromRow(row: PairRow): PairRecord {
  return {
    pair: row.pair,
    version: row.version,
    settings: {
      enabled: row.enabled,
      stalenessMs: row.staleness_ms,
      composite: row.composite,
      priority: row.priority,
      lockedPrices: row.locked_prices,
      outlierBps: bpsOf(row.outlier_bps),
      jumpTicks: row.jump_ticks,
      jumpMs: row.jump_ms,
      frozenMs: row.frozen_ms,
      deviationBps: bpsOf(row.deviation_bps),
      agreementMs: row.agreement_ms,
      ...limit('maxWidthBps', row.max_width_bps),
      ...limit('bandBps', row.band_bps),
      ...limit('referenceBps', row.reference_bps),
    },
    changedAt: row.changed_at,
    changedBy: row.changed_by,
  };
}

function bpsOf(text: string | null): Decimal | null {
  return text === null ? null : (parseDecimal(text) ?? null);
}

function limit(name: keyof PriceLimits, text: string | null): Partial<PriceLimits> {
  const value = bpsOf(text);
  return value === null ? {} : { [name]: value };
}

/** The newest version of each pair that has one, or of one pair, by code. */
export async function readPairs(database: Queryable, pair?: string): Promise<PairRecord[]> {
  const { rows } = await database.query<PairRow>(
    `select distinct on (pair) * from market_pairs where $1::text is null or pair = $1 order by pair, version desc`,
    [pair ?? null],
  );
  return rows.map(pairFromRow);
}

/** The versions of a pair, newest first, after the version `before`. */
export async function pairVersions(
  database: Queryable,
  pair: string,
  before: bigint | undefined,
  rowsMax: number,
): Promise<PairRecord[]> {
  const { rows } = await database.query<PairRow>(
    `select * from market_pairs where pair = $1 and ($2::int is null or version < $2) order by version desc limit $3`,
    [pair, before ?? null, rowsMax],
  );
  return rows.map(pairFromRow);
}

function bpsText(value: Decimal | null | undefined): string | null {
  return value === null || value === undefined ? null : formatDecimal(value);
}

export async function insertPair(connection: Connection, record: PairRecord): Promise<void> {
  const { settings } = record;
  await connection.query(
    `insert into market_pairs (pair, version, enabled, staleness_ms, composite, priority, locked_prices, outlier_bps,
       jump_ticks, jump_ms, frozen_ms, deviation_bps, agreement_ms, max_width_bps, band_bps, reference_bps, changed_at,
       changed_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      record.pair,
      record.version,
      settings.enabled,
      settings.stalenessMs,
      settings.composite,
      textArray(settings.priority),
      settings.lockedPrices,
      bpsText(settings.outlierBps),
      settings.jumpTicks,
      settings.jumpMs,
      settings.frozenMs,
      bpsText(settings.deviationBps),
      settings.agreementMs,
      bpsText(settings.maxWidthBps),
      bpsText(settings.bandBps),
      bpsText(settings.referenceBps),
      isoInstant(record.changedAt),
      record.changedBy,
    ],
  );
}
