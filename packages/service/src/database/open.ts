import { type Config, ConfigError } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import { startEmbeddedPostgres } from './embedded/index.ts';
import { createPool, type Pool } from './pool.ts';

export interface Database {
  readonly pool: Pool;
  /** Rejects if the embedded server ends by itself; stays pending otherwise. */
  readonly lost: Promise<never>;
  close(): Promise<void>;
}

const OLDEST_VERSION = 150_000;

/** The database of the settings: the given PostgreSQL, or one of the service's own in the data folder. */
export async function openDatabase(config: Config, logger: Logger): Promise<Database> {
  let closing = false;
  const onError = (error: Error) => {
    // While the service stops, connections end because it ends them.
    if (!closing) logger.warn({ err: error }, 'an idle database connection failed');
  };
  if (config.databaseUrl !== undefined) {
    const pool = createPool({ connection: config.databaseUrl, max: config.databaseConnections, onError });
    await requireVersion(pool);
    const close = () => {
      closing = true;
      return pool.end();
    };
    return { pool, lost: new Promise(() => undefined), close };
  }
  const server = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (message) => logger.info(message),
  });
  const pool = createPool({ connection: server.poolOptions, max: config.databaseConnections, onError });
  const lost = server.ended.then((end) => {
    if (closing) return new Promise<never>(() => undefined);
    throw new Error(
      `The embedded database ended: ${JSON.stringify(end)}. Its log is ${config.dataDir}/postgres.log.`,
    );
  });
  lost.catch(() => undefined);
  return {
    pool,
    lost,
    async close() {
      closing = true;
      await pool.end();
      await server.stop();
    },
  };
}

async function requireVersion(pool: Pool): Promise<void> {
  try {
    const { rows } = await pool.query<{ version: string }>(
      `select current_setting('server_version_num') as version`,
    );
    if (Number.parseInt(rows[0]?.version ?? '0', 10) >= OLDEST_VERSION) return;
  } catch (error) {
    await pool.end();
    throw new ConfigError(`DATABASE_URL cannot be used: ${reasonOf(error)}`, { cause: error });
  }
  await pool.end();
  throw new ConfigError('DATABASE_URL must name a PostgreSQL 15 or later.');
}

/** A host with several addresses fails with an error for each, and nothing said of the whole. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
