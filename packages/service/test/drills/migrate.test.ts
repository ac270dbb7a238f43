import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { createPool, type Pool } from '../../src/database/pool.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Environment, runProgram, startService, temporaryFolder } from '../support/process.ts';

/** `npm run migrate`: the owner of the tables brings them up to date, and the service gets a role of its own. */

const MIGRATE = join(import.meta.dirname, '../../src/migrate.ts');

interface Roles {
  readonly owner: Pool;
  readonly ownerUrl: string;
  readonly serviceUrl: string;
  readonly service: string;
}

/** An empty database and the address of a role that does not exist yet. What the test has made of the role goes with it. */
async function rolesFor(t: TestContext, password?: string): Promise<Roles> {
  const { owner, ownerUrl } = await createTestDatabase({ migrated: false });
  const service = `fq test "${randomBytes(4).toString('hex')}"`;
  const url = new URL(ownerUrl);
  url.username = encodeURIComponent(service);
  if (password !== undefined) url.password = password;
  t.after(async () => {
    const quoted = `"${service.replaceAll('"', '""')}"`;
    const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [service]);
    if (rowCount === 1) await owner.query(`drop owned by ${quoted}; drop role ${quoted}`);
  });
  return { owner, ownerUrl, serviceUrl: url.href, service };
}

/** Where the server wants passwords, roles of tests have the owner's. */
const asked = (address: string) => (new URL(address).password === '' ? [] : ['--set-password']);

const migrate = (t: TestContext, environment: Environment, ...args: string[]) =>
  runProgram(t, environment, MIGRATE, ...args);

test('an empty database gets tables, functions and a role, once, and then the service starts', async (t) => {
  const { owner, ownerUrl, serviceUrl, service } = await rolesFor(t);
  const both = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: serviceUrl };
  const before = await migrate(t, both, '--check');
  assert.equal(before.code, 1, before.stderr);
  assert.match(before.stdout, /^The database is behind:\n {2}0001_baseline\.sql\n/);
  assert.ok(before.stdout.includes(`\n  the role ${service}\n`));
  assert.equal((await owner.query(`select to_regclass('schema_migrations') as found`)).rows[0].found, null);

  const twice = [migrate(t, both, ...asked(ownerUrl)), migrate(t, both, ...asked(ownerUrl))] as const;
  const [one, two] = await Promise.all(twice);
  for (const each of [one, two]) assert.equal(each.code, 0, each.stderr);
  const [did, waited] = one.stdout.startsWith('Applied') ? [one, two] : [two, one];
  assert.match(did.stdout, /^Applied 0001_baseline\.sql\.\n/);
  assert.match(did.stdout, /\nDefined \d+ functions, views and triggers\.\n/);
  assert.ok(`${did.stdout}${waited.stdout}`.includes(`created the role ${service}`));
  assert.ok(did.stdout.includes('grant select, insert on table "journal_entries" to '));
  assert.ok(!waited.stdout.includes('grant '), waited.stdout);
  assert.equal((await migrate(t, both)).stdout, 'The schema is up to date. Nothing was done.\n');
  const after = await migrate(t, both, '--check');
  assert.deepEqual([after.code, after.stdout], [0, 'The schema is up to date.\n']);

  const started = await startService(t, temporaryFolder(t), { DATABASE_URL: serviceUrl });
  await started.end('SIGTERM');
  const quoted = `"${service.replaceAll('"', '""')}"`;
  await owner.query(`grant update on audit_log to ${quoted}`);
  const given = await migrate(t, both, '--check');
  assert.equal(given.code, 1);
  assert.ok(given.stdout.includes(`revoke all on table "audit_log" from ${quoted}`), given.stdout);
  assert.equal((await migrate(t, both)).code, 0);
  assert.equal((await migrate(t, both, '--check')).code, 0);
});

test('gives a password when it is asked to, and tells it nobody', async (t) => {
  const { owner, ownerUrl, serviceUrl, service } = await rolesFor(t, 'hunter2%20%C3%BC');
  const both = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: serviceUrl };
  const passwordOf = async () =>
    (
      await owner.query<{ kept: string | null }>(
        'select rolpassword as kept from pg_authid where rolname = $1',
        [service],
      )
    ).rows[0]?.kept;
  const first = await migrate(t, both);
  assert.equal(first.code, 0, first.stderr);
  assert.equal(await passwordOf(), null);
  const { code, stdout, stderr } = await migrate(t, both, '--set-password');
  assert.equal(code, 0, stderr);
  assert.match((await passwordOf()) ?? '', /^SCRAM-SHA-256\$4096:/);
  assert.doesNotMatch(`${stdout}${stderr}${await passwordOf()}`, /hunter2/);
  // A server that asks for it takes it.
  const { rows } = await owner.query<{ held: boolean }>(
    `select rolpassword like 'SCRAM%' as held from pg_authid where rolname = $1`,
    [service],
  );
  assert.deepEqual(rows, [{ held: true }]);
});

test('where a newer version has migrated, it says what it did to the role, and that the rest was left', async (t) => {
  const { owner, ownerUrl, serviceUrl, service } = await rolesFor(t, 'hunter2');
  const both = { DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: serviceUrl };
  assert.equal((await migrate(t, both)).code, 0);
  await owner.query(
    `insert into schema_migrations (name, checksum, runs_with) values ('9999_newer.sql', '', '0001_baseline.sql')`,
  );
  const left = 'A newer version has migrated the database (9999_newer.sql). Nothing was done.\n';
  assert.equal((await migrate(t, both)).stdout, left);
  const { code, stdout } = await migrate(t, both, '--set-password');
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `Rights of ${service}: gave the role ${service} its password.\nA newer version has migrated the database (9999_newer.sql). Nothing else was done.\n`,
  );
});

test('what is not to be migrated is refused in one line', async (t) => {
  const { url, ownerUrl } = await createTestDatabase();
  const bare = new URL(url);
  bare.password = '';
  const bad: readonly [Environment, string[], number, RegExp][] = [
    [{ DATABASE_URL: url }, [], 2, /^DATABASE_OWNER_URL is required: /],
    [{ DATABASE_OWNER_URL: ownerUrl }, [], 2, /^DATABASE_URL is required: /],
    [
      { DATABASE_URL: ownerUrl, DATABASE_OWNER_URL: ownerUrl },
      [],
      1,
      /^The tables belong to \w+, and \w+, the role of DATABASE_URL, is that role or has its rights/,
    ],
    [{ DATABASE_URL: url, DATABASE_OWNER_URL: url }, [], 1, /^The tables belong to \w+, /],
    [
      { DATABASE_URL: url, DATABASE_OWNER_URL: 'postgres://u:hunter2@localhost:1/x' },
      [],
      1,
      /^DATABASE_OWNER_URL cannot be used: connect ECONNREFUSED /,
    ],
    [
      { DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl, FIRMQUOTE_MOD: 'x' },
      [],
      2,
      /^FIRMQUOTE_MOD is not a setting/,
    ],
    [
      { DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl },
      ['--check', '--set-password'],
      2,
      /^--check sets no password\. See --help\.$/,
    ],
    [
      { DATABASE_URL: 'postgres://u:hunter2%ff@localhost/x', DATABASE_OWNER_URL: ownerUrl },
      [],
      2,
      /^DATABASE_URL cannot be used: URI malformed$/,
    ],
    [
      { DATABASE_URL: bare.href, DATABASE_OWNER_URL: ownerUrl },
      ['--set-password'],
      2,
      /^DATABASE_URL has no password to give\.$/,
    ],
  ];
  for (const [environment, args, code, line] of bad) {
    const end = await migrate(t, environment, ...args);
    assert.match(end.stderr.replace(/^firmquote: /, '').trimEnd(), line);
    assert.deepEqual([end.code, end.stdout], [code, ''], end.stderr);
    assert.doesNotMatch(end.stderr, /hunter2/);
  }
  const embedded = await migrate(t, {});
  assert.deepEqual([embedded.code, embedded.stderr], [0, '']);
  assert.match(embedded.stdout, /^Without DATABASE_URL the service brings its own database up to date/);
  // In production the service is not given the owner.
  const production = await runProgram(t, {
    FIRMQUOTE_MODE: 'production',
    FIRMQUOTE_SOURCES: 'push',
    FIRMQUOTE_BASE_URL: 'https://fx.example.com',
    FIRMQUOTE_TRUST_PROXY: 'none',
    FIRMQUOTE_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_URL: url,
    DATABASE_OWNER_URL: ownerUrl,
  });
  assert.equal(production.code, 2);
  assert.match(production.stderr, /^firmquote: DATABASE_OWNER_URL is only for npm run migrate: /);
});

test('an owner that is no superuser migrates what it may, and tells what an administrator has to do', async (t) => {
  const { owner: admin, ownerUrl } = await createTestDatabase({ migrated: false });
  const own = `fq_owner_${randomBytes(4).toString('hex')}`;
  const service = `${own}_service`;
  const password = decodeURIComponent(new URL(ownerUrl).password);
  await admin.query(
    `create role ${own} login password ${password === '' ? 'null' : pg.escapeLiteral(password)}; grant create on schema public to ${own}`,
  );
  t.after(async () => {
    await admin.query(`drop owned by ${own} cascade; drop role ${own}`);
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [service]);
    if (rowCount === 1) await admin.query(`drop owned by ${service}; drop role ${service}`);
  });
  const addressOf = (name: string) => {
    const url = new URL(ownerUrl);
    url.username = name;
    return url.href;
  };
  const both = { DATABASE_OWNER_URL: addressOf(own), DATABASE_URL: addressOf(service) };
  const refused = await migrate(t, both);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`Have an administrator run: create role "${service}" login\\n$`));
  await admin.query(
    `create role ${service} login password ${password === '' ? 'null' : pg.escapeLiteral(password)}`,
  );
  const done = await migrate(t, both);
  assert.equal(done.code, 0, done.stderr);
  // A superuser who migrates later leaves everything with its owner.
  await admin.query(`drop function refuse_change() cascade`);
  const again = await migrate(t, { ...both, DATABASE_OWNER_URL: ownerUrl });
  assert.equal(again.code, 0, again.stderr);
  const { rows } = await admin.query(
    `select distinct pg_get_userbyid(proowner) as owner from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  assert.deepEqual(rows, [{ owner: own }]);
  const pool = createPool({ connection: both.DATABASE_URL, max: 1, onError: () => undefined });
  t.after(() => pool.end());
  await pool.query("select keep_event_days(now(), now() - interval '31 days', 10)");
  await assert.rejects(pool.query('truncate journal_entries'), { code: '42501' });
});
