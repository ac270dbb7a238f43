import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Config, ConfigError } from './config.ts';

/** What a sandbox leaves for its newcomers. */
const SANDBOX_FILE = 'sandbox.json';

/**
 * Makes the data folder when it is missing. A production service with a database elsewhere keeps nothing in it.
 * @throws ConfigError when it cannot be made or written to, or is a sandbox's and this is production
 */
export function requireDataFolder({ dataDir, databaseUrl, mode, statementFolder }: Config): void {
  if (statementFolder !== undefined) requireStatementsApart(dataDir, statementFolder);
  if (mode === 'production') {
    if (databaseUrl !== undefined) return;
    if (existsSync(join(dataDir, SANDBOX_FILE))) {
      throw new ConfigError(
        `FIRMQUOTE_DATA_DIR: ${dataDir} is a sandbox folder (it holds ${SANDBOX_FILE}), whose credentials and trades must not go live. Give production a folder of its own.`,
      );
    }
  }
  try {
    // Those above it stay passable: the database may run as another user.
    if (mkdirSync(dataDir, { recursive: true }) !== undefined) chmodSync(dataDir, 0o700);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : String(error);
    throw new ConfigError(
      `FIRMQUOTE_DATA_DIR: the folder ${dataDir} cannot be created or written to (${code}).`,
      {
        cause: error,
      },
    );
  }
}

/** What the service has in its data folder: the database, and where FIX sessions stand. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['', 'postgres', 'fix']);

/** What lies in the watched folder is moved out of it, and kept where operators read it. Credentials and a database must not be. */
function requireStatementsApart(dataDir: string, statementFolder: string): void {
  const [first = ''] = relative(placeOf(dataDir), placeOf(statementFolder)).split(sep);
  if (!OWN_FOLDERS.has(first)) return;
  throw new ConfigError(
    `FIRMQUOTE_STATEMENT_FOLDER must not be FIRMQUOTE_DATA_DIR, or its database or FIX sessions: the files in ${statementFolder} would be taken for bank statements. Name a folder of its own.`,
  );
}

/** Where a link leads to. */
function placeOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
