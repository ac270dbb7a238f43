import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Binaries } from '../packages/service/src/database/embedded/binaries.ts';
import { startEmbeddedPostgres } from '../packages/service/src/database/embedded/index.ts';

const FOLDER_PREFIX = 'firmquote-verify-';

/** The server on which each test file makes databases of its own. */
export interface TestDatabase {
  /** Of the `postgres` database, as a role that may create databases. */
  readonly url: string;
  close(): Promise<void>;
}

/** A folder for everything that a run leaves in files; a run that is killed leaves it to the next one to remove. */
export function openRunFolder(): { path: string; remove(): void } {
  const parent = realpathSync(tmpdir());
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
  // Started by root, PostgreSQL runs as another user, who must be able to pass.
  chmodSync(path, 0o711);
  // Tests that were interrupted have PostgreSQL servers, which are still finishing.
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return { path, remove };
}

/** The server of DATABASE_URL, or a cluster in a folder of the run. */
export async function openTestDatabase(folder: string): Promise<TestDatabase> {
  const given = process.env.DATABASE_URL;
  const isGiven = given !== undefined && given !== '';
  const database = isGiven ? { url: given, close: async () => {} } : await openThrowaway(folder);
  try {
    console.log(`Tests run on PostgreSQL ${await checkServer(database.url)}.`);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A cluster that is fast instead of safe: tests of durability start their own. */
export async function openThrowaway(folder: string, binaries?: Binaries): Promise<TestDatabase> {
  const cluster = await startEmbeddedPostgres({
    dataDir: folder,
    durable: false,
    log: (line) => console.log(line),
    ...(binaries === undefined ? {} : { binaries }),
  });
  const url = new URL(cluster.connectionString);
  url.pathname = '/postgres';
  return { url: url.href, close: cluster.stop };
}

/** Folders of runs that were killed before they could clean up. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(FOLDER_PREFIX)
      ? Number.parseInt(name.slice(FOLDER_PREFIX.length), 10)
      : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const folder = join(parent, name);
    if (statSync(folder).uid === process.getuid?.()) rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** One clear failure here instead of one in every test. Returns the server's version. */
async function checkServer(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string; allowed: boolean }>(
      `SELECT current_setting('server_version') AS version, rolcreatedb OR rolsuper AS allowed
         FROM pg_roles WHERE rolname = current_user`,
    );
    const [server] = rows;
    if (server?.allowed !== true)
      throw new Error('The role in DATABASE_URL needs CREATEDB: tests make their own databases.');
    return server.version;
  } finally {
    await client.end();
  }
}
