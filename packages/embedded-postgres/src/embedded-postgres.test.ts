import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { findAccount } from './account.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { clusterProcesses } from './leftover.ts';
import { killDatabase, query, startForTest, temporaryFolder, until } from './testing.ts';

/** Starts the database in a process of its own that can be killed, and prints its connection string. */
async function startInChild(t: TestContext, dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const module = JSON.stringify(new URL('./embedded-postgres.ts', import.meta.url).href);
  const program = `
    const { startEmbeddedPostgres } = await import(${module});
    const database = await startEmbeddedPostgres({ dataDir: process.argv[1], durable: true });
    console.log(database.connectionString);
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [url] = await once(createInterface(child.stdout), 'line');
  return { child, url: String(url) };
}

test('a restart finds the rows, through both forms of the address', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const lines: string[] = [];
  const log = (line: string): number => lines.push(line);
  const first = await startForTest(t, { dataDir, durable: true, log });
  assert.deepEqual(lines, ['Made a new PostgreSQL 18 database.']);
  await query(first.poolOptions, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (42)');
  const settings = await query(
    first.connectionString,
    `SELECT current_user AS role, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
            current_setting('listen_addresses') AS tcp, current_setting('data_checksums') AS checksums,
            pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
       FROM pg_database WHERE datname = current_database()`,
  );
  assert.deepEqual(settings, [
    {
      role: 'firmquote',
      fsync: 'on',
      commit: 'on',
      tcp: '',
      checksums: 'on',
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
    },
  ]);
  await first.stop();
  await first.stop();
  assert.deepEqual(await first.ended, { code: 0, signal: null });

  const second = await startForTest(t, { dataDir });
  assert.deepEqual(await query(second.connectionString, 'SELECT n FROM kept'), [{ n: 42 }]);
  assert.match(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /ready to accept connections/);
});

test('a second start on the same folder is refused and does not disturb the first', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await startForTest(t, { dataDir });
  await assert.rejects(startEmbeddedPostgres({ dataDir }), {
    message: `Another Firmquote is running on the data folder ${dataDir}. Stop it, or choose another folder.`,
  });
  assert.deepEqual(await query(first.poolOptions, 'SELECT 1 AS one'), [{ one: 1 }]);
});

test('the server ends when its service is killed, and the next start has the rows', async (t) => {
  const dataDir = temporaryFolder(t);
  const { child, url } = await startInChild(t, dataDir);
  await query(url, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (7)');
  const data = join(dataDir, 'postgres');
  const account = findAccount(statSync(data).uid);
  assert.ok(clusterProcesses(data, account).length > 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('the end of PostgreSQL', () => clusterProcesses(data, account).length === 0);
  const next = await startForTest(t, { dataDir });
  assert.deepEqual(await query(next.poolOptions, 'SELECT n FROM kept'), [{ n: 7 }]);
});

test('a start right after the service was killed takes the folder over', async (t) => {
  const dataDir = temporaryFolder(t);
  const { child, url } = await startInChild(t, dataDir);
  await query(url, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (8)');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const next = await startForTest(t, { dataDir });
  assert.deepEqual(await query(next.poolOptions, 'SELECT n FROM kept'), [{ n: 8 }]);
});

test('after a power cut the committed rows are there, though a stranger has the process id by now', async (t) => {
  const dataDir = temporaryFolder(t);
  const { child, url } = await startInChild(t, dataDir);
  await query(url, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (9)');
  const data = join(dataDir, 'postgres');
  const account = findAccount(statSync(data).uid);
  killDatabase(dataDir);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until('the end of PostgreSQL', () => clusterProcesses(data, account).length === 0);
  const lockFile = join(data, 'postmaster.pid');
  const [, ...others] = readFileSync(lockFile, 'utf8').split('\n');
  writeFileSync(lockFile, [process.pid, ...others].join('\n'));
  const next = await startForTest(t, { dataDir });
  assert.deepEqual(await query(next.poolOptions, 'SELECT n FROM kept'), [{ n: 9 }]);
  assert.match(readFileSync(join(dataDir, 'postgres.log'), 'utf8'), /not properly shut down/);
});

test('a path too long for a socket gets one elsewhere, removed at the end', async (t) => {
  const dataDir = join(temporaryFolder(t), 'a-folder-with-a-long-name'.repeat(4), 'and, "odd" signs');
  const database = await startForTest(t, { dataDir });
  const socket = database.poolOptions.host;
  assert.match(socket, /^\/tmp\/firmquote-socket-/);
  assert.equal(statSync(socket).mode & 0o777, 0o700);
  assert.deepEqual(await query(database.connectionString, 'SELECT 1 AS one'), [{ one: 1 }]);
  await database.stop();
  assert.equal(existsSync(socket), false);
});

test('an interrupted initialisation is cleared away and begun anew', async (t) => {
  const dataDir = temporaryFolder(t);
  mkdirSync(join(dataDir, 'postgres.new-interrupted', 'base'), { recursive: true });
  const database = await startForTest(t, { dataDir });
  await database.stop();
  assert.deepEqual(readdirSync(dataDir).sort(), ['postgres', 'postgres.lock', 'postgres.log']);
});

test('files of another version or of something else are refused and left alone', async (t) => {
  const dataDir = temporaryFolder(t);
  const data = join(dataDir, 'postgres');
  mkdirSync(data);
  writeFileSync(join(data, 'letter.txt'), 'mine');
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /is not empty and holds no PostgreSQL database/);
  writeFileSync(join(data, 'PG_VERSION'), '17\n');
  await assert.rejects(
    startEmbeddedPostgres({ dataDir }),
    /made by PostgreSQL 17, and this is PostgreSQL 18/,
  );
  assert.deepEqual(readdirSync(data).sort(), ['PG_VERSION', 'letter.txt']);
});

test('a server that cannot start says why, and frees the folder', async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await startForTest(t, { dataDir });
  await first.stop();
  const conf = join(dataDir, 'postgres', 'postgresql.conf');
  const good = readFileSync(conf, 'utf8');
  writeFileSync(conf, `${good}\nno_such_setting = 1\n`);
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /did not start: .*no_such_setting/s);
  writeFileSync(conf, good);
  const again = await startForTest(t, { dataDir });
  assert.deepEqual(await query(again.poolOptions, 'SELECT 1 AS one'), [{ one: 1 }]);
});
