import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readCredentials, sandboxApis, withToken } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

test('a service that is killed before it is ready leaves no sandbox.json', async (t) => {
  const { url, pool } = await createTestDatabase();
  const dataDir = temporaryFolder(t);
  const file = join(dataDir, 'sandbox.json');
  // It listens, and what it would write to be ready has to wait.
  const lock = await pool.connect();
  await lock.query('begin; lock table instance_heartbeats in access exclusive mode');
  const environment = { DATABASE_URL: url, FIRMQUOTE_DATA_DIR: dataDir, FIRMQUOTE_PORT: '0' };
  const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...environment } });
  t.after(() => child.kill('SIGKILL'));
  await until(
    'it wants to know whether it can write',
    async () => {
      const { rowCount } = await pool.query(
        "select 1 from pg_locks where relation = 'instance_heartbeats'::regclass and not granted",
      );
      return (rowCount ?? 0) > 0;
    },
    60_000,
  );
  assert.ok(!existsSync(file));
  child.kill('SIGKILL');
  await once(child, 'close');
  await lock.query('rollback');
  lock.release();
  assert.ok(!existsSync(file));

  const service = await startService(t, dataDir, { DATABASE_URL: url });
  assert.ok(existsSync(file));
  assert.equal((await withToken(service.baseUrl, '').call('GET', '/readyz')).status, 200);
  assert.equal(readCredentials(dataDir).baseUrl, service.baseUrl);
  const { operator } = await sandboxApis(service);
  await operator.expect(200, 'GET', '/v1/sandbox/clock');
});
