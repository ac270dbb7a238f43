import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, startEmbeddedPostgres } from '@firmquote/embedded-postgres';
import pg from 'pg';

const FOLDER_PREFIX = 'firmquote-verify-';
/** Files in memory (tmpfs). A run makes and deletes some 100,000 files; a disk's file system takes minutes for them. */
const MEMORY = '/dev/shm';
/** What a run needs of it at the most, and what must be left for everything else. */
const MEMORY_FOR_FILES = 4 * 2 ** 30;
const MEMORY_FOR_REST = 4 * 2 ** 30;

/** The server on which each test file makes databases of its own. */
export interface TestDatabase {
  /** Of the `postgres` database, as a role that may create databases. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A folder for everything that a run leaves in files: in memory where there is enough of it and TMPDIR names no other
 * place. A run that is killed leaves it to the next one to remove.
 */
export function openRunFolder(): { path: string; remove(): void } {
  const parents = [realpathSync(tmpdir())];
  if (process.env.TMPDIR === undefined && hasMemory()) parents.unshift(MEMORY);
  for (const parent of parents) removeAbandoned(parent);
  const path = makeFolder(parents.find(runsPrograms) ?? tmpdir());
  // Tests that were interrupted have PostgreSQL servers, which are still finishing.
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return { path, remove };
}

function makeFolder(parent: string): string {
  const path = mkdtempSync(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
  // Started by root, PostgreSQL runs as another user, who must be able to pass.
  chmodSync(path, 0o711);
  return path;
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY) || process.availableMemory() < MEMORY_FOR_FILES + MEMORY_FOR_REST) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_FOR_FILES;
}

/** Containers often forbid it there, and some tests put programs into folders of their own. */
function runsPrograms(parent: string): boolean {
  const folder = makeFolder(parent);
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
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
  await letAllRolesIn(url.href);
  return { url: url.href, close: cluster.stop };
}

/** Tests make roles of their own; the embedded server lets in those of the service alone. */
async function letAllRolesIn(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ file: string }>(`select current_setting('hba_file') as file`);
    for (const { file } of rows) appendFileSync(file, 'local all all trust\n');
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
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
      throw new Error('The role in DATABASE_URL needs CREATEDB: tests create their own databases.');
    return server.version;
  } finally {
    await client.end();
  }
}
