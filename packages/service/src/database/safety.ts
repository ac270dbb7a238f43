import { ConfigError } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Queryable } from './pool.ts';
import type { SynchronousCommit } from './session.ts';

/** What a server and its sessions are set to, as far as an acknowledgement rests on it. */
export interface ServerSettings {
  readonly server_version_num: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly data_checksums: string;
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  readonly transaction_isolation: string;
  readonly transaction_read_only: string;
  readonly TimeZone: string;
}

const NAMES = [
  'server_version_num',
  'fsync',
  'full_page_writes',
  'data_checksums',
  'synchronous_commit',
  'synchronous_standby_names',
  'transaction_isolation',
  'transaction_read_only',
  'TimeZone',
] as const satisfies readonly (keyof ServerSettings)[];

/** Columns of a statement that asks for them. */
export const SETTING_COLUMNS = NAMES.map((name) => `current_setting('${name}') as "${name}"`).join(', ');

const OLDEST_VERSION = 150_000;

export async function readServerSettings(database: Queryable): Promise<ServerSettings> {
  const { rows } = await database.query<ServerSettings>(`select ${SETTING_COLUMNS}`);
  return rows[0] as ServerSettings;
}

/** With what nothing works as it should, whatever the risk that somebody takes. */
export function unusable(settings: ServerSettings): string | undefined {
  if (!(Number.parseInt(settings.server_version_num, 10) >= OLDEST_VERSION))
    return 'must name a PostgreSQL 15 or later';
  if (settings.transaction_read_only === 'on') return 'names a database that accepts no writes';
  if (settings.TimeZone !== 'UTC' || settings.transaction_isolation !== 'read committed')
    return 'goes through a pooler that drops the `options` of connections, which the service needs';
  return undefined;
}

/** Why an acknowledged trade may be gone after a crash or a loss of power: one sentence for each reason. */
export function losesCommits(settings: ServerSettings): string[] {
  const reasons: string[] = [];
  if (settings.fsync === 'off') reasons.push('fsync is off: a loss of power may destroy the database.');
  if (settings.full_page_writes === 'off')
    reasons.push('full_page_writes is off: a half-written page cannot be repaired after a crash.');
  if (!/^(on|remote_apply)$/.test(settings.synchronous_commit))
    reasons.push(`synchronous_commit is ${settings.synchronous_commit}: acknowledged trades may be lost.`);
  return reasons;
}

interface SafetyPolicy {
  readonly unsafeDatabase: 'refuse' | 'warn';
  readonly synchronousCommit: SynchronousCommit;
}

/**
 * Holds the server against what an acknowledgement rests on.
 * @throws ConfigError when it cannot be used, or not without the risk of losing trades where that is refused
 */
export function requireSafety(settings: ServerSettings, policy: SafetyPolicy, logger: Logger): void {
  const reason = unusable(settings);
  if (reason !== undefined) throw new ConfigError(`DATABASE_URL ${reason}.`);
  const risks = losesCommits(settings);
  if (risks.length > 0 && policy.unsafeDatabase === 'refuse') {
    throw new ConfigError(
      `The database may lose acknowledged trades: ${risks.join(' ')} FIRMQUOTE_UNSAFE_DATABASE=warn starts anyway.`,
    );
  }
  if (risks.length > 0) logger.warn({ risks }, 'the database may lose acknowledged trades');
  if (settings.data_checksums === 'off')
    logger.warn('data_checksums is off: pages that the disk corrupts go unnoticed');
  if (policy.synchronousCommit === 'remote_apply' && settings.synchronous_standby_names === '')
    logger.warn(
      'FIRMQUOTE_SYNCHRONOUS_COMMIT is remote_apply, but synchronous_standby_names is empty: commits wait for no standby',
    );
}

/**
 * How many connections the session's role may have to its database: what the server has for those who are not its superusers, or fewer
 * where role or database have a limit of their own.
 */
export async function readConnectionsAllowed(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ allowed: number }>(
    `select least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0),
       (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed`,
  );
  return (rows[0] as { allowed: number }).allowed;
}

/** It would show under load only, when the connections that are missing are wanted, and look like a database that is away. */
export function warnOfFewConnections(
  allowed: number,
  { processes, databaseConnections }: { readonly processes: number; readonly databaseConnections: number },
  logger: Logger,
): void {
  const wanted = processes * databaseConnections;
  if (wanted <= allowed) return;
  logger.warn(
    { wanted, allowed },
    'FIRMQUOTE_DATABASE_CONNECTIONS is more than the database allows: under load requests will be refused with 503',
  );
}
