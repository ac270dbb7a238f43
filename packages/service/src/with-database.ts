import { existsSync } from 'node:fs';
import { hasCluster } from '@firmquote/embedded-postgres';
import { type Config, ConfigError } from './config.ts';
import { requireDataFolder } from './data-folder.ts';
import { requireBegun, requireMode } from './database/mode.ts';
import { openBesideService } from './database/open.ts';
import type { Pool } from './database/pool.ts';
import { createLogger } from './platform/logger.ts';

interface Command<T> {
  /** What to do when the database of a running service cannot be reached. */
  readonly instead: string;
  /** It may come before the first start of the service, and then makes what that would make. */
  readonly begins?: boolean;
  readonly work: (pool: Pool) => Promise<T>;
}

/**
 * Runs a command on the service's database, whether the service runs or not.
 * @throws ConfigError for a database of the other mode, and where there is none to work on: a new, empty one in its place would make a
 * mistyped folder look like books in which all is well
 */
export async function withDatabase<T>(
  config: Config,
  { instead, begins = false, work }: Command<T>,
): Promise<T> {
  const { dataDir, databaseUrl } = config;
  const isOwn = databaseUrl === undefined;
  if (isOwn && !begins && !existsSync(dataDir)) throw noDatabase(dataDir);
  requireDataFolder(config);
  if (isOwn && !begins && !hasCluster(dataDir)) throw noDatabase(dataDir);
  // Standard output is for the result.
  const log = createLogger('warn', { write: (line) => process.stderr.write(line) });
  const database = await openBesideService(config, log, instead);
  try {
    await (begins ? requireMode : requireBegun)(database.pool, config.mode);
    return await work(database.pool);
  } finally {
    await database.close();
  }
}

function noDatabase(dataDir: string): ConfigError {
  return new ConfigError(
    `FIRMQUOTE_DATA_DIR: there is no database in ${dataDir}. The first start of the service makes it.`,
  );
}
