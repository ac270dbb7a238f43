import type { MatchingRulesDocument } from '@firmquote/api/operations/matching-rules';
import { type Queryable, sqlState } from '../database/pool.ts';
import { etagOf, requireVersion } from '../http/conditional.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import {
  DEFAULT_DOCUMENT,
  DEFAULT_MATCHING_SETTINGS,
  type MatchingSettings,
  readMatchingSettings,
} from './matching-settings.ts';
import type { DepositsRoom } from './room.ts';

export interface StoredRules {
  readonly version: number;
  readonly document: MatchingRulesDocument;
}

/** The rules in force; version 1 is that nothing was ever set. */
export async function newestRules(connection: Queryable): Promise<StoredRules> {
  const { rows } = await connection.query<{ version: number; document: string }>({
    name: 'newest_matching_rules',
    text: 'select version, document from matching_settings order by version desc limit 1',
  });
  const [row] = rows;
  if (row === undefined) return { version: 1, document: DEFAULT_DOCUMENT };
  return { version: row.version, document: JSON.parse(row.document) as MatchingRulesDocument };
}

/** The rules in force, ready to be applied. Read where they are used: a deposit is not a hot path. */
export async function rulesInForce(connection: Queryable): Promise<MatchingSettings> {
  const { version, document } = await newestRules(connection);
  return version === 1 ? DEFAULT_MATCHING_SETTINGS : readMatchingSettings(document, version);
}

/** @throws Problem version_mismatch, also when somebody else was a moment faster */
export async function replaceRules(
  { pool, clock }: DepositsRoom,
  document: MatchingRulesDocument,
  ifMatch: number | '*',
  changedBy: string,
): Promise<StoredRules> {
  const current = await newestRules(pool);
  requireVersion(ifMatch, current.version);
  const next = { version: current.version + 1, document };
  if (await writeRules(pool, next, changedBy, clock.now())) return next;
  const { version } = await newestRules(pool);
  throw new Problem('version_mismatch', `The current version is ${version}.`, {
    members: { currentVersion: version },
    headers: { ETag: etagOf(version) },
  });
}

/** Writes the next version; false when somebody else has written it first. */
async function writeRules(
  connection: Queryable,
  rules: StoredRules,
  changedBy: string,
  now: number,
): Promise<boolean> {
  try {
    await connection.query(
      'insert into matching_settings (version, document, changed_by, created_at) values ($1, $2, $3, $4)',
      [rules.version, JSON.stringify(rules.document), changedBy, isoInstant(now)],
    );
    return true;
  } catch (error) {
    if (sqlState(error) === '23505') return false;
    throw error;
  }
}
