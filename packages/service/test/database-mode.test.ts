import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApplication } from '../src/application.ts';
import { ConfigError, loadConfig, type Mode } from '../src/config.ts';
import { requireMode } from '../src/database/mode.ts';
import type { Pool } from '../src/database/pool.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createTestDatabase } from './support/database.ts';
import { temporaryFolder } from './support/process.ts';
import { startTestService } from './support/service.ts';

/** What was a sandbox never goes live, and what is live is no sandbox's to play with. */

function productionOf(folder: string, url: string | undefined) {
  return loadConfig({
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_TRUST_PROXY: 'none',
    FIRMQUOTE_UNSAFE_DATABASE: 'warn',
    FIRMQUOTE_PORT: '0',
    FIRMQUOTE_DATA_DIR: folder,
    FIRMQUOTE_BASE_URL: 'https://fx.example.com',
    FIRMQUOTE_SOURCES: 'push',
    FIRMQUOTE_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...(url === undefined ? {} : { DATABASE_URL: url }),
  });
}

const modeOf = async (pool: Pool) =>
  (await pool.query<{ mode: Mode }>('select mode from database_mode')).rows.map(({ mode }) => mode);

test('production refuses the database of a sandbox, in one line that says what to do', async (t) => {
  const sandbox = await startTestService();
  await sandbox.stop();
  const starting = startApplication(
    productionOf(temporaryFolder(t), sandbox.database.url),
    createLogger('silent'),
  );
  await assert.rejects(starting, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /^FIRMQUOTE_MODE is production, and this database was made by a sandbox: /);
    assert.match(error.message, / Give production a database of its own \(DATABASE_URL, /);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
  const again = await startTestService({}, { database: sandbox.database });
  await again.stop();
});

test('a sandbox refuses the database of a production service', async (t) => {
  const database = await createTestDatabase();
  const application = await startApplication(
    productionOf(temporaryFolder(t), database.url),
    createLogger('silent'),
  );
  await application.stop();
  await assert.rejects(
    startTestService({}, { database }),
    /^ConfigError: FIRMQUOTE_MODE is sandbox, and this is a production database: /,
  );
  assert.deepEqual(await modeOf(database.pool), ['production']);
});

test('production refuses the data folder of a sandbox before it opens anything', async (t) => {
  const folder = temporaryFolder(t);
  await writeFile(join(folder, 'sandbox.json'), '{}');
  await assert.rejects(
    startApplication(productionOf(folder, undefined), createLogger('silent')),
    /^ConfigError: FIRMQUOTE_DATA_DIR: \S+ is a sandbox folder \(it holds sandbox\.json\)/,
  );
});

test('of two first starts in different modes one wins', async () => {
  const { pool } = await createTestDatabase();
  const outcomes = await Promise.allSettled(
    (['sandbox', 'production', 'sandbox', 'production'] as const).map((mode) => requireMode(pool, mode)),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 2);
  assert.equal((await modeOf(pool)).length, 1);
});
