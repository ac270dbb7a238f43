import { type Config, ConfigError } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import { sqlState } from './failures.ts';
import { compareSchema, DEFINITIONS, migrate, readSchema, type Schema } from './migrate.ts';
import type { Pool, Queryable } from './pool.ts';
import { reportMigrated } from './report-migrated.ts';
import { type RoleReport, reportRole } from './service-role.ts';

/** How a database stands to this version, for the role that looks. */
interface Standing {
  /** What this version needs and the database has not, in words. */
  readonly behind: readonly string[];
  /** As in `Migrated`. */
  readonly newer: readonly string[];
  readonly role: RoleReport;
}

/** Changes nothing. @throws as `migrate` */
export async function standingOf(connection: Queryable, schema: Schema): Promise<Standing> {
  const role = await reportRole(connection, schema.grants);
  try {
    const { missing, isOtherEdition, newer } = await compareSchema(connection, schema);
    const behind = [
      ...missing.map(({ name }) => name),
      ...(isOtherEdition ? [DEFINITIONS] : []),
      // A newer version has given what it needs itself.
      ...(newer.length > 0 ? [] : role.lacks),
    ];
    return { behind, newer, role };
  } catch (error) {
    // Of those that say what was migrated.
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    return { behind: role.lacks, newer: [], role };
  }
}
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Holds a database that is not the service's own against this version: the service changes nothing of its schema, but for a sandbox
 * that was given the owner of the tables.
 * @throws Error when the schema is behind, or newer than this version can run with
 * @throws ConfigError when the role of the service could change what is append-only, and that is refused
 */
export async function requireSchema(
  pool: Pool,
  config: Pick<Config, 'mode' | 'unsafeDatabase'>,
  logger: Logger,
): Promise<void> {
  const schema = await readSchema();
  const { behind, newer, role } = await standingOf(pool, schema);
  if (behind.length > 0) {
    if (config.mode === 'production' || !role.isOwner)
      throw new Error(
        `The database is behind this version: it lacks ${inShort(behind)}. Run npm run migrate with DATABASE_OWNER_URL, the address of the role that owns the tables, and start again.`,
      );
    reportMigrated(await migrate(pool, schema), logger);
  }
  if (newer.length > 0) reportMigrated({ applied: [], defined: [], granted: [], newer }, logger);
  // What a newer version has given is its own to judge.
  const risks = newer.length > 0 && !role.isOwner ? [] : role.risks;
  if (risks.length === 0) return;
  if (config.unsafeDatabase === 'refuse')
    throw new ConfigError(
      `The role of DATABASE_URL could change append-only rows: ${risks.join(', ')}. Give the service a role of its own (npm run migrate creates it). FIRMQUOTE_UNSAFE_DATABASE=warn starts anyway.`,
    );
  logger.warn({ risks }, "the service's role could change append-only rows");
}

const SHOWN_MAX = 5;

function inShort(all: readonly string[]): string {
  const shown = all.slice(0, SHOWN_MAX).join(', ');
  return all.length > SHOWN_MAX ? `${shown} and ${all.length - SHOWN_MAX} more` : shown;
}
