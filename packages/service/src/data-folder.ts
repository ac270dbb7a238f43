import { accessSync, constants, mkdirSync } from 'node:fs';
import { type Config, ConfigError } from './config.ts';

/**
 * Makes the data folder when it is missing. A production service with a database elsewhere keeps nothing in it.
 * @throws ConfigError when it cannot be made or written to
 */
export function requireDataFolder({ dataDir, databaseUrl, mode }: Config): void {
  if (databaseUrl !== undefined && mode === 'production') return;
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : String(error);
    throw new ConfigError(
      `FIRMQUOTE_DATA_DIR: the folder ${dataDir} cannot be made or written to (${code}).`,
      {
        cause: error,
      },
    );
  }
}
