import {
  ConfigError,
  type Environment,
  oneOf,
  readSetting,
  required,
  setting,
  wholeNumber,
} from './setting.ts';

/** Which database, how it is reached, and what is asked of it. */
export interface DatabaseSettings {
  readonly databaseUrl: string | undefined;
  readonly databaseConnections: number;
  readonly synchronousCommit: 'on' | 'remote_apply';
  readonly unsafeDatabase: 'refuse' | 'warn';
  readonly diskWarningBytes: bigint;
}

/** The address may hold a password: it is never part of the message. */
function postgresUrl(text: string, name: string): string {
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new ConfigError(`${name} must be a postgres:// or postgresql:// address.`);
  }
  return text;
}

export const DATABASE_SETTINGS = {
  DATABASE_URL: setting('PostgreSQL 15 or later to use instead of the embedded one.', undefined, postgresUrl),
  FIRMQUOTE_DATABASE_CONNECTIONS: setting('Connections to the database.', '10', wholeNumber(4, 200)),
  FIRMQUOTE_SYNCHRONOUS_COMMIT: setting(
    'What a commit waits for before it is acknowledged: `on`, the disk of the database and of its synchronous standbys, where it has any; `remote_apply`, until these standbys show it to readers.',
    'on',
    oneOf('on', 'remote_apply'),
  ),
  FIRMQUOTE_UNSAFE_DATABASE: setting(
    'What happens when the database runs without `fsync`, `full_page_writes` or `synchronous_commit`, and so may lose acknowledged trades: `refuse` to start, or `warn` in the log. Default: `refuse` in production, `warn` in the sandbox.',
    undefined,
    oneOf('refuse', 'warn'),
  ),
  FIRMQUOTE_DISK_WARNING_MB: setting(
    'Free space on the disk of the embedded database, in MiB, below which the service warns.',
    '2048',
    wholeNumber(0, 999_999_999),
  ),
} as const;

export function readDatabaseSettings(
  environment: Environment,
  mode: 'sandbox' | 'production',
): DatabaseSettings {
  const s = DATABASE_SETTINGS;
  const warningMb = required(environment, 'FIRMQUOTE_DISK_WARNING_MB', s.FIRMQUOTE_DISK_WARNING_MB);
  return {
    databaseUrl: readSetting(environment, 'DATABASE_URL', s.DATABASE_URL),
    databaseConnections: required(
      environment,
      'FIRMQUOTE_DATABASE_CONNECTIONS',
      s.FIRMQUOTE_DATABASE_CONNECTIONS,
    ),
    synchronousCommit: required(environment, 'FIRMQUOTE_SYNCHRONOUS_COMMIT', s.FIRMQUOTE_SYNCHRONOUS_COMMIT),
    unsafeDatabase:
      readSetting(environment, 'FIRMQUOTE_UNSAFE_DATABASE', s.FIRMQUOTE_UNSAFE_DATABASE) ??
      (mode === 'production' ? 'refuse' : 'warn'),
    diskWarningBytes: BigInt(warningMb) * 1024n * 1024n,
  };
}
