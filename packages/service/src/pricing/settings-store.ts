import { type Queryable, sqlState } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';

export type SettingsKind = 'pricing_policy' | 'amount_limits' | 'exposure_limits';

/** A document of settings and its version; version 1 is that nothing was ever set. */
export interface StoredSettings {
  readonly version: number;
  /** JSON text, or undefined in version 1. */
  readonly document: string | undefined;
}

export const NEVER_SET: StoredSettings = Object.freeze({ version: 1, document: undefined });

/** The newest document of each kind. */
export async function newestSettings(connection: Queryable): Promise<Map<SettingsKind, StoredSettings>> {
  const { rows } = await connection.query<{ kind: SettingsKind; version: number; document: string }>({
    name: 'newest_pricing_settings',
    text: 'select distinct on (kind) kind, version, document from pricing_settings order by kind, version desc',
  });
  return new Map(rows.map(({ kind, version, document }) => [kind, { version, document }]));
}

export async function newestOf(connection: Queryable, kind: SettingsKind): Promise<StoredSettings> {
  const { rows } = await connection.query<{ version: number; document: string }>(
    'select version, document from pricing_settings where kind = $1 order by version desc limit 1',
    [kind],
  );
  return rows[0] ?? NEVER_SET;
}

/** Writes the next version; false when somebody else has written it first. */
export async function writeSettings(
  connection: Queryable,
  kind: SettingsKind,
  version: number,
  document: string,
  changedBy: string,
  now: number,
): Promise<boolean> {
  try {
    await connection.query(
      'insert into pricing_settings (kind, version, document, changed_by, created_at) values ($1, $2, $3, $4, $5)',
      [kind, version, document, changedBy, isoInstant(now)],
    );
    return true;
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

const UNIQUE_VIOLATION = '23505';
