import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { findAccount } from './account.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
import { SERVICE_ROLE } from './initialise.ts';
import { clusterProcesses } from './leftover.ts';

export { packagedBinaries } from './binaries.ts';

/** A folder of its own for a test, passable for other users, removed after it. */
export function temporaryFolder(t: TestContext, parent = realpathSync(tmpdir())): string {
  const folder = mkdtempSync(join(parent, 'firmquote-embedded-'));
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One that any user of the machine gets to: the folder of a run of tests lets only the user of its own database pass. */
export function folderForAnybody(t: TestContext): string {
  return temporaryFolder(t, '/tmp');
}

/** A cluster that the end of the test stops, whatever the test has come to. */
export async function startForTest(
  t: TestContext,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ durable: false, ...options });
  t.after(() => database.stop());
  return database;
}

/** Runs statements on a connection of their own and returns the rows of the last. */
export async function query(
  connection: string | pg.ClientConfig,
  ...statements: string[]
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  // A server that is shut down tells its clients so; the test sees it from the query.
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Waits for something that the operating system brings about. */
export async function until(what: string, condition: () => boolean, limitMs = 15_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Process ids of the data folder's embedded PostgreSQL: the postmaster and its children. */
export function databaseProcesses(dataDir: string): number[] {
  const data = join(dataDir, 'postgres');
  return existsSync(data) ? clusterProcesses(data, findAccount(statSync(data).uid)) : [];
}

/** Process id of the postmaster, from the file that PostgreSQL keeps. */
export function postmasterOf(dataDir: string): number {
  return Number.parseInt(postmasterFile(dataDir)[0] ?? '', 10);
}

/** As in a power cut: nobody gets to write anything down any more. */
export function killDatabase(dataDir: string): void {
  const postmaster = postmasterOf(dataDir);
  // At once, since the load goes on meanwhile; asking the system for all processes takes a while.
  const list = `/proc/${postmaster}/task/${postmaster}/children`;
  const children = existsSync(list)
    ? readFileSync(list, 'utf8').split(' ').filter(Boolean)
    : databaseProcesses(dataDir);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(Number.parseInt(String(pid), 10), 'SIGKILL');
    } catch (error) {
      // A child may have ended by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function postmasterFile(dataDir: string): string[] {
  return readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
}

/** The address of the same database for the role of the service. */
export function asServiceRole(address: string): string {
  const url = new URL(address);
  url.username = SERVICE_ROLE;
  return url.href;
}
