import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '../../test/support/database.ts';
import { definitionsOf, digestOf, readDefinitions } from './definitions.ts';
import {
  type Migration,
  migrate as migrateTo,
  missingFrom,
  previousVersion,
  readMigrations,
  schemaOf,
} from './migrate.ts';
import type { Pool } from './pool.ts';

function migration(name: string, sql: string): Migration {
  return { name, sql, checksum: digestOf(sql) };
}

/** Tables alone. */
const migrate = (pool: Pool, migrations: readonly Migration[]) => migrateTo(pool, schemaOf(migrations));

const FIRST = migration(
  '0001_notes.sql',
  'create table notes (id integer); create table others (id integer)',
);

test('a migration gives way to the traffic that holds its lock, and is done in the end', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
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
  assert.deepEqual(await migrating, { applied: ['0002_text.sql'], defined: [], granted: [], newer: [] });
  assert.ok(longestMs < 2_000, `a statement waited ${longestMs} ms`);
  const { rows } = await pool.query('select count(*)::int as n, count(a)::int as a from notes');
  assert.deepEqual(rows, [{ n: 41, a: 0 }]);
});

test('the files of one number are done together, and what was done before stays', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
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

test('what a trigger goes on with is counted last, in the commit that makes the trigger', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  const counted = migration(
    '0002_counted.sql',
    'create table counted (n bigint);\nlock table notes in share mode;\ninsert into counted select count(*) from notes;',
  );
  const note = migration('0003_note.sql', 'insert into notes values (1)');
  const definitions = definitionsOf(
    `create or replace function count_note() returns trigger language plpgsql as $$
     begin update counted set n = n + 1; return null; end $$;
     create or replace trigger notes_are_counted after insert on notes for each row execute function count_note();`,
  );
  const { applied } = await migrateTo(pool, schemaOf([FIRST, counted, note], definitions));
  assert.equal(applied.length, 3);
  await pool.query('insert into notes values (2)');
  const { rows } = await pool.query('select n::int, (select count(*)::int from notes) as notes from counted');
  assert.deepEqual(rows, [{ n: 2, notes: 2 }]);
});

test('two that migrate at once do it once', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  const slow = migration('0002_slow.sql', 'select pg_sleep(0.2); alter table notes add column a text');
  const done = await Promise.all([migrate(pool, [FIRST, slow]), migrate(pool, [FIRST, slow])]);
  assert.deepEqual(done.flatMap(({ applied }) => applied).sort(), ['0001_notes.sql', '0002_slow.sql']);
});

test('the previous version may start on what this one has migrated, an older one may not', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  const { migration: previous } = previousVersion();
  assert.ok(
    (await readMigrations()).some(({ name }) => name === previous),
    previous,
  );
  const known = migration(previous, FIRST.sql);
  const present = [known, migration('9998_more.sql', 'alter table notes add column a text')];
  await migrate(pool, [known]);
  await migrate(pool, present);
  assert.deepEqual(await migrate(pool, [known]), {
    applied: [],
    defined: [],
    granted: [],
    newer: ['9998_more.sql'],
  });
  await assert.rejects(
    migrate(pool, [migration('0001_a.sql', FIRST.sql)]),
    /was migrated by a newer version: it has /,
  );
  // One that says nothing of others runs with nobody else.
  await pool.query(`insert into schema_migrations (name, checksum) values ('9999_of_tomorrow.sql', 'x')`);
  await assert.rejects(
    migrate(pool, present),
    /^Error: The database was migrated by a newer version: it has 9999_of_tomorrow\.sql\.$/,
  );
});

test('no version before the one that made a database may start on it', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  const known = migration(previousVersion().migration, FIRST.sql);
  const present = [known, migration('9998_more.sql', 'alter table notes add column a text')];
  await migrate(pool, present);
  await assert.rejects(migrate(pool, [known]), /was migrated by a newer version: it has 9998_more\.sql\.$/);
  const next = [...present, migration('9999_next.sql', 'alter table notes add column b text')];
  await migrate(pool, next);
  assert.deepEqual((await migrate(pool, present)).newer, ['9999_next.sql']);
  await pool.query("delete from schema_migrations where name > '9'");
  await assert.rejects(
    migrate(pool, [known]),
    /A newer version has begun to migrate the database: it will have 9998_more\.sql\.$/,
  );
});

test('what a database says of the oldest version that may run it says after each later migration', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  const known = migration(previousVersion().migration, FIRST.sql);
  const present = [known, migration('9998_more.sql', 'alter table notes add column a text')];
  await migrate(pool, present);
  await migrate(pool, [...present, migration('9999_next.sql', 'alter table notes add column b text')]);
  const { rows } = await pool.query('select runs_with from schema_migrations order by name');
  assert.deepEqual(
    rows.map(({ runs_with }) => runs_with),
    ['9998_more.sql', '9998_more.sql', '9998_more.sql'],
  );
});

test('a database from before the baseline is refused in plain words, and left as it is', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  await pool.query(
    `create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null);
     insert into schema_migrations values ('0001_customers.sql', 'x', now()), ('0002_authorization.sql', 'x', now());
     create table customers (id uuid primary key)`,
  );
  const state = async () =>
    (
      await pool.query(
        `select c.relname, a.attname, (select count(*) from schema_migrations) as migrations
         from pg_class c join pg_attribute a on a.attrelid = c.oid
         where c.relnamespace = 'public'::regnamespace and a.attnum > 0 order by 1, 2`,
      )
    ).rows;
  const before = await state();
  await assert.rejects(migrateTo(pool), {
    message:
      /made by an early version .* Nothing in it was changed\. Start on an empty database or a new data folder/,
  });
  assert.deepEqual(await state(), before);
  assert.equal(
    (await pool.query(`select from pg_proc where pronamespace = 'public'::regnamespace`)).rowCount,
    0,
  );
});

describe('functions, views and triggers', () => {
  const table = migration('0001_notes.sql', 'create table notes (id integer, text text)');
  const own = (...texts: string[]) =>
    schemaOf(
      [table],
      texts.flatMap((text) => definitionsOf(text)),
    );
  const SAYS = (what: string) =>
    `-- What it says.\ncreate or replace function says() returns text language sql as $$ select '${what}' || word() $$;\n`;
  const WORD = `create or replace function word() returns text language sql as $$ select '!' $$;\n`;
  const SHOWN = 'create or replace view shown as select id, says() as text from notes;\n';
  const KEPT = `create or replace function keep() returns trigger language plpgsql as $$
begin
  new.text := says();
  return new;
end $$;

-- Whatever was said.
create or replace trigger notes_are_kept before insert on notes for each row execute function keep();
`;
  const said = async (pool: Pool) =>
    (await pool.query<{ text: string }>('insert into notes values (1) returning text')).rows[0]?.text;

  test('are made in whatever order they need each other, and again only when their text has changed', async () => {
    const { owner: pool } = await createTestDatabase({ migrated: false });
    const all = ['keep', 'notes_are_kept', 'says', 'shown', 'word'];
    assert.deepEqual((await migrateTo(pool, own(SHOWN, KEPT, SAYS('a'), WORD))).defined.toSorted(), all);
    assert.deepEqual((await migrateTo(pool, own(SHOWN, KEPT, SAYS('a'), WORD))).defined, []);
    assert.equal(await said(pool), 'a!');
    assert.deepEqual((await migrateTo(pool, own(SHOWN, KEPT, SAYS('b'), WORD))).defined, ['says']);
    assert.equal(await said(pool), 'b!');
  });

  test('that are in no file any more are dropped, with the rest of the change or not at all', async () => {
    const { owner: pool } = await createTestDatabase({ migrated: false });
    await migrateTo(pool, own(SHOWN, KEPT, SAYS('a'), WORD));
    // The view still calls it.
    await assert.rejects(migrateTo(pool, own(SHOWN, WORD)), /cannot drop function says\(\)/);
    assert.equal(await said(pool), 'a!');
    await migrateTo(pool, own(WORD));
    assert.equal(await said(pool), null);
    const { rows } = await pool.query('select name from schema_definitions');
    assert.deepEqual(rows, [{ name: 'word' }]);
  });

  test('leave nothing of themselves behind where their arguments have changed', async () => {
    const { owner: pool } = await createTestDatabase({ migrated: false });
    const loud = (args: string) =>
      own(`create or replace function loud(${args}) returns text language sql as $$ select '!' $$;\n`, WORD);
    const signatures = async () =>
      (
        await pool.query<{ signature: string }>(
          `select oid::regprocedure::text as signature from pg_proc where proname = 'loud' order by 1`,
        )
      ).rows.map(({ signature }) => signature);
    await migrateTo(pool, loud('a text'));
    await migrateTo(pool, loud('a text, b int'));
    assert.deepEqual(await signatures(), ['loud(text,integer)']);
    await migrateTo(pool, { ...loud('a text'), edition: 'the one after' });
    assert.deepEqual(await signatures(), ['loud(text)']);
    // What an earlier version has left behind goes with the rest.
    await pool.query(`create function loud(a int) returns text language sql as $$ select '?' $$`);
    await migrateTo(pool, own(WORD));
    assert.deepEqual(await signatures(), []);
    assert.deepEqual((await pool.query('select word()')).rows, [{ word: '!' }]);
  });

  test('are checked when all are there, and made with the migrations that they need or not at all', async () => {
    const { owner: pool } = await createTestDatabase({ migrated: false });
    const before = own(WORD, SAYS('a'));
    await migrateTo(pool, before);
    const migrations = [
      ...before.migrations,
      migration('0002_more.sql', 'alter table notes add column more text'),
    ];
    const reading = (column: string) =>
      schemaOf(migrations, definitionsOf(WORD.replace(`'!'`, `max(${column}) from notes`) + SAYS('b')));
    await assert.rejects(migrateTo(pool, reading('much')), /column "much" does not exist/);
    await assert.rejects(pool.query('select more from notes'), /column "more" does not exist/);
    assert.deepEqual(await missingFrom(pool, reading('more')), ['0002_more.sql']);
    const { applied, defined } = await migrateTo(pool, reading('more'));
    assert.deepEqual([applied, defined], [['0002_more.sql'], ['word', 'says']]);
  });

  test('that a migration has taken away are made again', async () => {
    const { owner: pool } = await createTestDatabase({ migrated: false });
    const before = own(SHOWN, SAYS('a'), WORD);
    await migrateTo(pool, before);
    const wider = migration(
      '0002_wider.sql',
      'drop view shown; alter table notes alter column id type bigint',
    );
    const after = schemaOf([...before.migrations, wider], before.definitions);
    assert.deepEqual(await migrateTo(pool, after), {
      applied: [wider.name],
      defined: ['shown'],
      granted: [],
      newer: [],
    });
    await pool.query('select id from shown');
  });

  test('of a newer version stay when the previous one starts again, also where no migration tells them apart', async () => {
    const { owner: pool } = await createTestDatabase({ migrated: false });
    const [previous, present] = [own(SAYS('a'), WORD), own(SAYS('b'), WORD)];
    await migrateTo(pool, previous);
    assert.deepEqual(await missingFrom(pool, present), ['sql/functions']);
    await migrateTo(pool, present);
    assert.deepEqual(await migrateTo(pool, previous), {
      applied: [],
      defined: [],
      granted: [],
      newer: ['sql/functions'],
    });
    assert.deepEqual(await missingFrom(pool, previous), []);
    assert.deepEqual((await pool.query('select says()')).rows, [{ says: 'b!' }]);
    // What comes next may say again what the first one said.
    await migrateTo(pool, { ...previous, edition: 'the one after' });
    assert.deepEqual((await pool.query('select says()')).rows, [{ says: 'a!' }]);
  });

  test('have a file each, which is called like the function or view', async () => {
    const folder = new URL('../../sql/functions/', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql'));
    for (const file of files) {
      const text = await readFile(new URL(file, folder), 'utf8');
      const [first, ...others] = definitionsOf(text);
      assert.equal(first?.name, basename(file, '.sql'));
      assert.ok(
        others.every(({ kind, sql }) => kind === 'trigger' && sql.includes(`function ${first?.name}(`)),
        file,
      );
      assert.doesNotMatch(text.slice(0, text.indexOf('create')), /^[^-\n]/m, file);
    }
    const definitions = await readDefinitions();
    assert.equal(new Set(definitions.map(({ kind, name }) => `${kind} ${name}`)).size, definitions.length);
    assert.ok(files.length > 50);
  });
});
