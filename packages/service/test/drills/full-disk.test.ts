import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Api, type ApiAnswer, QUOTE_BODY, sandboxApis, withToken } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';

/** A file system of its own of that many MiB; undefined, with the reason told, where none can be mounted. */
function smallDisk(t: TestContext, sizeMb: number): string | undefined {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fq-disk-'));
  // Lazily, since what runs on it ends only afterwards.
  t.after(() => {
    spawnSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  const options = ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0755`, 'tmpfs', folder];
  const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
  if (status === 0) return folder;
  t.skip(`no file system can be mounted here: ${(error?.message ?? stderr).trim()}`);
  return undefined;
}

/** Takes whatever room is left; gives it back. */
function fill(folder: string): () => void {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w');
  for (let size = 1024 * 1024; size >= 512; ) {
    try {
      writeSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      size = Math.floor(size / 2);
    }
  }
  closeSync(file);
  return () => rmSync(path);
}

function assertNoRoom(answer: ApiAnswer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.deepEqual(
    [answer.body.code, answer.body.detail],
    ['maintenance', 'The database has run out of disk space.'],
  );
  assert.match(answer.headers.get('Retry-After') ?? '', /^\d+$/);
}

test('on a full disk it is not ready and says 503, and goes on when there is room again', async (t) => {
  const disk = smallDisk(t, 200);
  if (disk === undefined) return;
  const dataDir = join(disk, 'data');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  const service = await startService(t, dataDir, { FIRMQUOTE_DISK_WARNING_MB: '1000000' });
  t.after(() => service.end('SIGKILL'));
  const { customer } = await sandboxApis(service);
  const anybody = withToken(service.baseUrl, '');
  const ready = await anybody.expect(200, 'GET', '/readyz');
  assert.deepEqual(ready.body.checks.writes, { ok: true, detail: 'written' });
  await until('a look at the disk', async () => {
    const { text } = await anybody.expect(200, 'GET', '/metrics');
    return /^firmquote_disk_bytes\{state="free"\} \d+$/m.test(text);
  });
  await until('the warning', () => /"msg":"the disk of the database is running full"/.test(service.stdout()));

  const release = fill(disk);
  await until('it is not ready', async () => (await anybody.call('GET', '/readyz')).status === 503);
  const { body } = await anybody.expect(503, 'GET', '/readyz');
  assert.equal(body.checks.database.ok, true, 'it can still be read');
  assert.deepEqual(body.checks.writes, { ok: false, detail: 'the database has run out of disk space' });
  await customer.expect(200, 'GET', '/v1/customer/transactions');
  const answers = await quoteUntilRefused(customer);
  assertNoRoom(answers.at(-1) as ApiAnswer);

  release();
  await until('it is ready', async () => (await anybody.call('GET', '/readyz')).status === 200);
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  await customer.expect(201, 'POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`);
  const kept = answers.slice(0, -1).map((answer) => answer.body.quoteId);
  for (const id of kept) await customer.expect(200, 'GET', `/v1/customer/quotes/${id}`);
});

/** Some writes still find room in pages that are there. */
async function quoteUntilRefused(customer: Api): Promise<ApiAnswer[]> {
  const answers: ApiAnswer[] = [];
  for (let i = 0; i < 2_000; i++) {
    const answer = await customer.call('POST', '/v1/customer/quotes', QUOTE_BODY);
    answers.push(answer);
    if (answer.status !== 201) return answers;
  }
  throw new Error('no write was refused');
}

test('without room for temporary files a statement is 503, and taken in later', async (t) => {
  const temporary = smallDisk(t, 1);
  if (temporary === undefined) return;
  const { url } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url, TMPDIR: temporary });
  const { operator } = await sandboxApis(service);
  const statement = JSON.stringify({
    statements: [{ account: 'X', currency: 'USD', entries: [], note: 'x'.repeat(100_000) }],
  });
  const send = () => operator.call('POST', '/v1/operator/statements', JSON.parse(statement));
  const release = fill(temporary);
  assertNoRoom(await send());
  release();
  assert.notEqual((await send()).status, 503);
});

test('heartbeats of instances that are gone do not pile up', async (t) => {
  const { url, owner: pool } = await createTestDatabase();
  await pool.query(
    `insert into instance_heartbeats (instance, beat_at)
     select gen_random_uuid(), clock_timestamp() - interval '25 hours' from generate_series(1, 20)`,
  );
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  for (let i = 0; i < 5; i++) await withToken(service.baseUrl, '').expect(200, 'GET', '/readyz');
  const { rows } = await pool.query('select count(*)::int as n from instance_heartbeats');
  assert.deepEqual(rows, [{ n: 1 }]);
});

test('a database that becomes read-only is 503 for writes and not ready, and recovers', async (t) => {
  const { url, owner: pool } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer } = await sandboxApis(service);
  const anybody = withToken(service.baseUrl, '');
  const name = /\/(firmquote_test_\w+)/.exec(url)?.[1];
  const quote = await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  await pool.query(`alter database ${name} set default_transaction_read_only = on`);
  // As a failover does it: every session ends, and the next ones find a server that takes no writes.
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await until('it is not ready', async () => (await anybody.call('GET', '/readyz')).status === 503);
  for (const path of ['/v1/customer/quotes', `/v1/customer/quotes/${quote.body.quoteId}/execute`]) {
    // A connection whose end the service has not heard of yet says that the database cannot be reached.
    await until(`${path} is refused for what the database is now`, async () => {
      const answer = await customer.call('POST', path, path.endsWith('execute') ? undefined : QUOTE_BODY);
      assert.deepEqual([answer.status, answer.body.code], [503, 'maintenance'], answer.text);
      return answer.body.detail === 'The database accepts no writes for now.';
    });
  }
  await pool.query('set default_transaction_read_only = off');
  await pool.query(`alter database ${name} reset default_transaction_read_only`);
  await until('it is ready', async () => (await anybody.call('GET', '/readyz')).status === 200);
  await customer.expect(201, 'POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`);
});
