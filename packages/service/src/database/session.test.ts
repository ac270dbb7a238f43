import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { hindranceOf } from './failures.ts';
import { createPool, inTransaction, isConnectionFailure, type Pool, sqlState } from './pool.ts';
import { ReadOnlyDatabase } from './session.ts';

function poolOf(t: TestContext, connection: string, max = 1): Pool {
  const pool = createPool({ connection, max, onError: () => undefined });
  t.after(() => pool.end());
  return pool;
}

async function settingsOf(pool: Pool, ...names: string[]): Promise<Record<string, string>> {
  const columns = names.map((name) => `current_setting('${name}') as "${name}"`);
  return (await pool.query(`select ${columns.join(', ')}`)).rows[0];
}

const databaseOf = (url: string) => /\/(firmquote_test_\w+)/.exec(url)?.[1];

test('what an acknowledgement rests on holds against the server, the database and the address', async (t) => {
  const { ownerUrl: url, owner: admin } = await createTestDatabase();
  for (const setting of [
    `synchronous_commit = 'off'`,
    `default_transaction_isolation = 'serializable'`,
    `timezone = 'Asia/Tokyo'`,
    `statement_timeout = '1h'`,
  ]) {
    await admin.query(`alter database ${databaseOf(url)} set ${setting}`);
  }
  const address = `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c synchronous_commit=off -c TimeZone=Asia/Tokyo -c work_mem=3MB')}`;
  const pool = poolOf(t, address);
  const names = ['synchronous_commit', 'transaction_isolation', 'TimeZone', 'statement_timeout', 'work_mem'];
  assert.deepEqual(await settingsOf(pool, ...names), {
    synchronous_commit: 'on',
    transaction_isolation: 'read committed',
    TimeZone: 'UTC',
    statement_timeout: '30s',
    work_mem: '3MB',
  });
  const patient = createPool({
    connection: url,
    max: 1,
    onError: () => undefined,
    synchronousCommit: 'remote_apply',
  });
  t.after(() => patient.end());
  assert.deepEqual(await settingsOf(patient, 'synchronous_commit'), { synchronous_commit: 'remote_apply' });
});

test('a commit that is answered with a rollback is a failure', async () => {
  const { owner: pool } = await createTestDatabase();
  await pool.query('create table notes (id integer primary key)');
  const swallowing = inTransaction(pool, async (connection) => {
    await connection.query('insert into notes values (1)');
    await connection.query('insert into notes values (1)').catch(() => undefined);
    return 'done';
  });
  await assert.rejects(swallowing, /answered a commit with ROLLBACK/);
  assert.equal((await pool.query('select from notes')).rowCount, 0);
  assert.equal(await inTransaction(pool, async () => 'nothing'), 'nothing');
});

test('a transaction whose connection has gone silent waits for one answer and not for a second one', async (t) => {
  const { ownerUrl: connection } = await createTestDatabase();
  const answerLimitMs = 3_000;
  const pool = createPool({ connection, max: 1, onError: () => undefined, answerLimitMs });
  t.after(() => pool.end());
  await pool.query('select 1');
  const began = performance.now();
  const silent = inTransaction(pool, (taken) => taken.query('select pg_sleep(7)'));
  await assert.rejects(silent, (error) => hindranceOf(error) === 'unanswered');
  const waitedMs = performance.now() - began;
  assert.ok(waitedMs >= answerLimitMs - 10 && waitedMs < 1.7 * answerLimitMs, `${waitedMs} ms`);
  assert.equal((await pool.query('select 1 as one')).rows[0].one, 1, 'over a connection of its own');
});

test('a statement that fails only when it is committed has failed', async () => {
  const { owner: pool } = await createTestDatabase();
  await pool.query('create table parents (id integer primary key)');
  await pool.query('create table children (parent integer references parents deferrable initially deferred)');
  for (const query of ['insert into children values (1)', 'insert into children values ($1)']) {
    const values = query.includes('$1') ? [1] : undefined;
    await assert.rejects(pool.query(query, values), (error) => sqlState(error) === '23503');
  }
  assert.equal((await pool.query('select from children')).rowCount, 0);
});

test('connections to a server that takes no writes are thrown away, and none is opened', async (t) => {
  const { ownerUrl: url, owner: admin } = await createTestDatabase();
  await admin.query('create table notes (id integer)');
  const pool = poolOf(t, url, 2);
  await pool.query('insert into notes values (1)');
  const own = poolOf(t, url);
  await inTransaction(own, (connection) => connection.query('insert into notes values (2)'));
  const name = databaseOf(url);
  const before = await pool.query('select pg_backend_pid() as pid');

  await admin.query(`alter database ${name} set default_transaction_read_only = on`);
  // A session that was there before keeps what it began with, until it is told.
  assert.equal((await pool.query('select pg_backend_pid() as pid')).rows[0].pid, before.rows[0].pid);
  for (const each of [pool, own]) await each.query('set default_transaction_read_only = on');
  await assert.rejects(
    pool.query('insert into notes values (3)'),
    (error) => sqlState(error) === '25006' && isConnectionFailure(error),
  );
  await assert.rejects(
    inTransaction(own, (connection) => connection.query('insert into notes values (3)')),
    (error) => sqlState(error) === '25006',
  );
  assert.deepEqual([pool.totalCount, own.totalCount], [0, 0], 'thrown away');
  for (const each of [pool, own]) {
    await assert.rejects(each.query('select 1'), (error) => {
      assert.ok(error instanceof ReadOnlyDatabase && isConnectionFailure(error));
      assert.equal(error.message, 'The database accepts no writes: the server is set to read only.');
      return true;
    });
  }

  await admin.query(`alter database ${name} reset default_transaction_read_only`);
  await pool.query('insert into notes values (4)');
  const { rows } = await admin.query('select id from notes order by id');
  assert.deepEqual(rows, [{ id: 1 }, { id: 2 }, { id: 4 }]);
});

test('a plan that a migration has overtaken is made anew', async () => {
  const { owner: pool, ownerUrl: url } = await createTestDatabase();
  await pool.query('create table notes (id integer)');
  await pool.query('insert into notes values (1)');
  const read = { name: 'read_notes', text: 'select * from notes where id = $1', values: [1] };
  // On several connections at once, each of which has the plan afterwards.
  await Promise.all(Array.from({ length: 8 }, () => pool.query(read)));
  assert.ok(pool.totalCount > 1, url);
  const working = await pool.connect();
  await working.query(read);
  await pool.query(`alter table notes add column text text default 'new'`);
  const answers = await Promise.all(Array.from({ length: 8 }, () => pool.query(read)));
  for (const { rows } of answers) assert.deepEqual(rows, [{ id: 1, text: 'new' }]);
  working.release();
  // Inside a transaction it is told as something to repeat, and the connection is not used again.
  await pool.query('alter table notes drop column text');
  const inside = () => inTransaction(pool, async (connection) => (await connection.query(read)).rows);
  for (let left = pool.totalCount; left > 0; left--) {
    const outcome = await inside().catch((error: unknown) => hindranceOf(error));
    assert.ok(outcome === 'busy' || Array.isArray(outcome), String(outcome));
  }
  assert.deepEqual(await inside(), [{ id: 1 }]);
});
