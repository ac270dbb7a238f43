import {
  DataFolderInUse,
  runningPostgres,
  SERVICE_ROLE,
  startEmbeddedPostgres,
} from '@firmquote/embedded-postgres';
import type { Config } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import { logFailure } from './log-failure.ts';
import { migrateAsOwner, readSchema } from './migrate.ts';
import { createPool, type Pool, type PoolOptions } from './pool.ts';
import { reportMigrated } from './report-migrated.ts';
import {
  readConnectionsAllowed,
  readServerSettings,
  requireSafety,
  type ServerSettings,
  warnOfFewConnections,
} from './safety.ts';
import { requireSchema, standingOf } from './schema-check.ts';
import { SERVICE_IDLE_MS } from './session.ts';
import { reasonOf, unusableDatabase } from './unusable.ts';

/** How the embedded server is reached, and where it keeps its files. */
export interface OwnDatabase {
  readonly connection: Exclude<PoolOptions['connection'], string>;
  readonly dataFolder: string;
}

/** For commands beside the service, and backups. */
const SPARE_CONNECTIONS = 20;

export interface Database {
  readonly pool: Pool;
  /** The embedded server, for other processes of the service; undefined for one of somebody else's. */
  readonly own: OwnDatabase | undefined;
  /** PGDATA of the embedded server; undefined for one of somebody else's. */
  readonly dataFolder: string | undefined;
  /** Rejects if the embedded server ends by itself; stays pending otherwise. */
  readonly lost: Promise<never>;
  close(): Promise<void>;
}

/**
 * The database of the settings, with the schema of this version: the given PostgreSQL, or one of the service's own in the data
 * folder, which it migrates as its owner and then uses as a role that owns nothing.
 */
export async function openDatabase(config: Config, logger: Logger): Promise<Database> {
  let closing = false;
  const onError = (error: Error) => {
    // While the service stops, connections end because it ends them.
    if (!closing) logFailure(logger, error, {}, 'an idle database connection failed', 'warn');
  };
  if (config.databaseUrl !== undefined) {
    const pool = poolOf(config, config.databaseUrl, onError);
    await closingOnFailure(pool, async () => {
      requireSafety(await settingsOf(pool), config, logger);
      warnOfFewConnections(await readConnectionsAllowed(pool), config, logger);
      await requireSchema(pool, config, logger);
    });
    const close = () => {
      closing = true;
      return pool.end();
    };
    return { pool, own: undefined, dataFolder: undefined, lost: new Promise(() => undefined), close };
  }
  const server = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    connections: config.processes * config.databaseConnections + SPARE_CONNECTIONS,
    isChosen: config.isDataDirChosen,
    log: (message) => logger.info(message),
  });
  const connection = { ...server.poolOptions, user: SERVICE_ROLE };
  const pool = poolOf(config, connection, onError);
  try {
    reportMigrated(await migrateAsOwner(server.poolOptions, { name: SERVICE_ROLE }), logger);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const lost = server.ended.then((end) => {
    if (closing) return new Promise<never>(() => undefined);
    throw new Error(
      `The embedded database ended: ${JSON.stringify(end)}. Its log is ${config.dataDir}/postgres.log.`,
    );
  });
  lost.catch(() => undefined);
  return {
    pool,
    own: { connection, dataFolder: server.dataDir },
    dataFolder: server.dataDir,
    lost,
    async close() {
      closing = true;
      await pool.end();
      await server.stop();
    },
  };
}

/** The embedded database that another process of this service has started, migrated, and ends. */
export function databaseOfParent(
  config: Config,
  { connection, dataFolder }: OwnDatabase,
  logger: Logger,
): Database {
  let closing = false;
  const pool = poolOf(config, connection, (error) => {
    if (!closing) logFailure(logger, error, {}, 'an idle database connection failed', 'warn');
  });
  const close = () => {
    closing = true;
    return pool.end();
  };
  return { pool, own: undefined, dataFolder, lost: new Promise(() => undefined), close };
}

/**
 * The database for a command: as {@link openDatabase}, and where a service runs on the data folder, the one that it runs.
 * @param instead what to do when that cannot be reached
 * @throws Error
 */
export async function openBesideService(config: Config, logger: Logger, instead: string): Promise<Database> {
  try {
    return await openDatabase(config, logger);
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    try {
      const running = runningPostgres(config.dataDir, config.isDataDirChosen);
      const pool = poolOf(config, { ...running, user: SERVICE_ROLE }, () => undefined);
      await closingOnFailure(pool, async () => {
        const { behind } = await standingOf(pool, await readSchema());
        if (behind.length > 0) throw new Error('it runs an earlier version: restart it');
      });
      return {
        pool,
        own: undefined,
        dataFolder: undefined,
        lost: new Promise(() => undefined),
        close: () => pool.end(),
      };
    } catch (cause) {
      throw new Error(
        `A service is running on the data folder ${config.dataDir}, and its database cannot be reached (${reasonOf(cause)}). Run this as the user that runs the service, or ${instead}.`,
        { cause },
      );
    }
  }
}

function poolOf(
  config: Config,
  connection: PoolOptions['connection'],
  onError: PoolOptions['onError'],
): Pool {
  const { databaseConnections: max, synchronousCommit, transactionIdleMs: idleMs = SERVICE_IDLE_MS } = config;
  return createPool({ connection, max, onError, synchronousCommit, idleMs });
}

async function closingOnFailure(pool: Pool, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function settingsOf(pool: Pool): Promise<ServerSettings> {
  try {
    return await readServerSettings(pool);
  } catch (error) {
    throw unusableDatabase('DATABASE_URL', error);
  }
}
