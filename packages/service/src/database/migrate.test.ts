import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../test/support/database.ts';
import { type Migration, migrate, previousVersion, readMigrations } from './migrate.ts';

function migration(name: string, sql: string): Migration {
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

const FIRST = migration(
  '0001_notes.sql',
  'create table notes (id integer); create table others (id integer)',
);

test('a migration gives way to the traffic that holds its lock, and is done in the end', async () => {
  const { pool } = await createTestDatabase({ migrated: false });
  await migrate(pool, [FIRST]);
  const holder = await pool.connect();
  await holder.query('begin; insert into notes values (1)');
  const second = migration(
    '0002_text.sql',
    'alter table others add column b text; alter table notes add column a text',
  );
  const migrating = migrate(pool, [FIRST, second]);
  // Both tables stay usable all the time: those that come wait for one attempt at most.
  let longestMs = 0;
  for (let i = 0; i < 40; i++) {
    const start = performance.now();
    await pool.query(`insert into notes values (2); insert into others values (3)`);
    longestMs = Math.max(longestMs, performance.now() - start);
    await sleep(20);
  }
  assert.equal((await pool.query(`select from schema_migrations where name = '0002_text.sql'`)).rowCount, 0);
  await holder.query('commit');
  holder.release();
  assert.deepEqual(await migrating, { applied: ['0002_text.sql'], newer: [] });
  assert.ok(longestMs < 2_000, `a statement waited ${longestMs} ms`);
  const { rows } = await pool.query('select count(*)::int as n, count(a)::int as a from notes');
  assert.deepEqual(rows, [{ n: 41, a: 0 }]);
});

test('the files of one number are done together, and what was done before stays', async () => {
  const { pool } = await createTestDatabase({ migrated: false });
  const steps = [
    FIRST,
    migration('0002_a.sql', 'alter table notes add column a text'),
    migration('0003_b.sql', 'alter table notes add column b text'),
    migration('0003_c.sql', 'alter table notes add column nonsense no_such_type'),
  ];
  await assert.rejects(migrate(pool, steps), /no_such_type/);
  const { rows } = await pool.query('select name from schema_migrations order by name');
  assert.deepEqual(rows, [{ name: '0001_notes.sql' }, { name: '0002_a.sql' }]);
  await pool.query('select a from notes');
  await assert.rejects(pool.query('select b from notes'));
  const mended = [...steps.slice(0, 3), migration('0003_c.sql', 'alter table notes add column c text')];
  assert.deepEqual((await migrate(pool, mended)).applied, ['0003_b.sql', '0003_c.sql']);
  await pool.query('select a, b, c from notes');
});

test('two that migrate at once do it once', async () => {
  const { pool } = await createTestDatabase({ migrated: false });
  const slow = migration('0002_slow.sql', 'select pg_sleep(0.2); alter table notes add column a text');
  const done = await Promise.all([migrate(pool, [FIRST, slow]), migrate(pool, [FIRST, slow])]);
  assert.deepEqual(done.flatMap(({ applied }) => applied).sort(), ['0001_notes.sql', '0002_slow.sql']);
});

test('the previous version may start on what this one has migrated, an older one may not', async () => {
  const { pool } = await createTestDatabase({ migrated: false });
  const all = await readMigrations();
  assert.deepEqual(
    (await migrate(pool)).applied,
    all.map(({ name }) => name),
  );
  const previous = previousVersion();
  const place = all.findIndex(({ name }) => name === previous.migration);
  assert.ok(place > 0, previous.migration);
  const newer = all.slice(place + 1).map(({ name }) => name);
  assert.deepEqual(await migrate(pool, all.slice(0, place + 1)), { applied: [], newer });
  if (newer.length > 0)
    await assert.rejects(migrate(pool, all.slice(0, place)), /was migrated by a newer version: it holds /);
  // One that says nothing of others runs with nobody else.
  await pool.query(`insert into schema_migrations (name, checksum) values ('9999_of_tomorrow.sql', 'x')`);
  await assert.rejects(
    migrate(pool),
    /^Error: The database was migrated by a newer version: it holds 9999_of_tomorrow\.sql\.$/,
  );
});
