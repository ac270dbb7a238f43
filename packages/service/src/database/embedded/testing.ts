import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';

/** A folder of its own for a test, passable for other users, removed after it. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'firmquote-embedded-'));
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
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
