import { readSecret, secretSettings } from './secret-settings.ts';
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
  /** No setting: for tests, which may stand still for longer than a service may. */
  readonly transactionIdleMs?: number;
}

/** The address may hold a password: it is never part of the message. */
function postgresUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || decoded(url.hostname) === undefined) {
    throw new ConfigError(`${name} must be a postgres:// or postgresql:// address.`);
  }
  return text;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/** Over a network, the server is verified: otherwise whoever stands in between reads, and writes, the books. */
function requireProtectedWay(address: string, environment: Environment, name = 'DATABASE_URL'): void {
  const url = new URL(address);
  // As the driver reads it: the last one counts, and an address without a host leaves it to PGHOST.
  const asked = (part: string) => url.searchParams.getAll(part).at(-1);
  // The folder of a socket stands percent-encoded in the place of the host, or in the query.
  const host = asked('host') || decoded(url.hostname) || environment.PGHOST || '';
  if (LOCAL_HOSTS.has(host) || host.startsWith('/')) return;
  if (asked('sslmode') === 'verify-full') return;
  throw new ConfigError(
    `${name} must be on this machine, or have sslmode=verify-full: other connections can be read and altered on the way. FIRMQUOTE_UNSAFE_DATABASE=warn starts anyway.`,
  );
}

export const DATABASE_SETTINGS = {
  ...secretSettings(
    'DATABASE_URL',
    "PostgreSQL 15 or later to use instead of the embedded one, with the service's role.",
    postgresUrl,
  ),
  ...secretSettings(
    'DATABASE_OWNER_URL',
    'The same database with the role that owns the tables, only for `npm run migrate`: with it, a production service does not start.',
    postgresUrl,
  ),
  FIRMQUOTE_DATABASE_CONNECTIONS: setting('Database connections per process.', '10', wholeNumber(4, 200)),
  FIRMQUOTE_SYNCHRONOUS_COMMIT: setting(
    'What a commit waits for before it is acknowledged. `on`: the disk of the database and of any synchronous standbys. `remote_apply`: until readers see it on these standbys.',
    'on',
    oneOf('on', 'remote_apply'),
  ),
  FIRMQUOTE_UNSAFE_DATABASE: setting(
    "What happens when the database may lose acknowledged trades (no `fsync`, `full_page_writes` or `synchronous_commit`), is reached over a network without `sslmode=verify-full`, or lets the service's role change append-only rows: `refuse` to start, or `warn` in the log. Default: `refuse` in production, `warn` in the sandbox.",
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
  const unsafeDatabase = unsafeDatabaseOf(environment, mode);
  const databaseUrl = readSecret(environment, 'DATABASE_URL', s);
  if (databaseUrl !== undefined && unsafeDatabase === 'refuse') {
    requireProtectedWay(databaseUrl, environment);
    if (Object.keys(environment).some((name) => name.startsWith('DATABASE_OWNER_URL')))
      throw new ConfigError(
        'DATABASE_OWNER_URL is only for npm run migrate: with it, an intruder in the service could change append-only rows.',
      );
  }
  return {
    databaseUrl,
    databaseConnections: required(
      environment,
      'FIRMQUOTE_DATABASE_CONNECTIONS',
      s.FIRMQUOTE_DATABASE_CONNECTIONS,
    ),
    synchronousCommit: required(environment, 'FIRMQUOTE_SYNCHRONOUS_COMMIT', s.FIRMQUOTE_SYNCHRONOUS_COMMIT),
    unsafeDatabase,
    diskWarningBytes: BigInt(warningMb) * 1024n * 1024n,
  };
}

function unsafeDatabaseOf(environment: Environment, mode: 'sandbox' | 'production'): 'refuse' | 'warn' {
  return (
    readSetting(environment, 'FIRMQUOTE_UNSAFE_DATABASE', DATABASE_SETTINGS.FIRMQUOTE_UNSAFE_DATABASE) ??
    (mode === 'production' ? 'refuse' : 'warn')
  );
}

/** What migrating a database needs. */
export interface MigrationSettings {
  readonly databaseUrl: string;
  readonly ownerUrl: string;
}

/** @returns undefined where the database is the service's own */
export function readMigrationSettings(
  environment: Environment,
  mode: 'sandbox' | 'production',
): MigrationSettings | undefined {
  const s = DATABASE_SETTINGS;
  const databaseUrl = readSecret(environment, 'DATABASE_URL', s);
  const ownerUrl = readSecret(environment, 'DATABASE_OWNER_URL', s);
  if (databaseUrl === undefined) {
    if (ownerUrl === undefined) return undefined;
    throw new ConfigError('DATABASE_URL is required: it names the role that the service connects as.');
  }
  if (ownerUrl === undefined)
    throw new ConfigError(
      'DATABASE_OWNER_URL is required: the address of the database with the role that owns the tables, or will own them.',
    );
  if (unsafeDatabaseOf(environment, mode) === 'refuse')
    requireProtectedWay(ownerUrl, environment, 'DATABASE_OWNER_URL');
  return { databaseUrl, ownerUrl };
}
