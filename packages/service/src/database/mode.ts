import { ConfigError, type Mode } from '../config.ts';
import type { Pool, Queryable } from './pool.ts';

/** What to do about a database of the other mode. */
const REFUSALS: Readonly<Record<Mode, string>> = {
  production:
    'FIRMQUOTE_MODE is production, and this database was made by a sandbox: its credentials, limits and trades must not go live. Give production a database of its own (DATABASE_URL, or another FIRMQUOTE_DATA_DIR).',
  sandbox:
    'FIRMQUOTE_MODE is sandbox, and this is a production database: a sandbox moves its clock and its money. Set FIRMQUOTE_MODE=production, or give the sandbox a database of its own (DATABASE_URL, or another FIRMQUOTE_DATA_DIR).',
};

/**
 * The first start says what a database is, and it stays that.
 * @throws ConfigError when it is the other one's
 */
export async function requireMode(pool: Pool, mode: Mode): Promise<void> {
  await pool.query('insert into database_mode (mode) values ($1) on conflict do nothing', [mode]);
  if ((await readMode(pool)) !== mode) throw new ConfigError(REFUSALS[mode]);
}

/**
 * Looks at what the first start has said, and says nothing itself.
 * @throws ConfigError when it is the other one's, or no service has started on it
 */
export async function requireBegun(pool: Pool, mode: Mode): Promise<void> {
  const found = await readMode(pool);
  if (found === undefined)
    throw new ConfigError(
      'No service has started on this database yet. Check the settings (DATABASE_URL, FIRMQUOTE_DATA_DIR), or start the service first.',
    );
  if (found !== mode) throw new ConfigError(REFUSALS[mode]);
}

/** What the database is; one that no service has started on is one of tests. */
export async function modeOf(connection: Queryable): Promise<Mode> {
  return (await readMode(connection)) ?? 'sandbox';
}

async function readMode(connection: Queryable): Promise<Mode | undefined> {
  const { rows } = await connection.query<{ mode: Mode }>('select mode from database_mode');
  return rows[0]?.mode;
}
