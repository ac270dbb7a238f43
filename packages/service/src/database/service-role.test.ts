import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SERVICE_ROLE } from '@firmquote/embedded-postgres';
import { createTestDatabase } from '../../test/support/database.ts';
import { keepEventDays } from '../events/list-events.ts';
import { createLogger } from '../platform/logger.ts';
import { grantsOf, missingGrants, readGrants } from './grants.ts';
import type { Pool } from './pool.ts';
import { requireSchema } from './schema-check.ts';
import { reportRole } from './service-role.ts';

/** What the service may not do, whatever it is told to. */

const DAY_MS = 24 * 3_600_000;
const DENIED = { code: '42501' };

let pool: Pool;
let owner: Pool;
before(async () => {
  ({ pool, owner } = await createTestDatabase({ connections: 2 }));
  await keepEventDays(pool, Date.now());
});

interface Found {
  readonly name: string;
  readonly kind: string;
  readonly is_part: boolean;
  readonly owner: string;
  readonly columns: readonly string[];
}

async function relations(): Promise<Found[]> {
  const { rows } = await owner.query<Found>(
    `select c.relname as name, c.relkind as kind, c.relispartition as is_part, pg_get_userbyid(c.relowner) as owner,
       array(select attname::text from pg_attribute a where a.attrelid = c.oid and attnum > 0 and not attisdropped
         and a.attgenerated = '' and a.attidentity = '' order by attnum) as columns
     from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v') order by 1`,
  );
  return rows;
}

/** Rights are looked at before rows are: none is touched. */
async function refusal(statement: string): Promise<string | undefined> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(statement);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the role of the service', () => {
  test('may do with each table what is declared, and nothing else', async () => {
    const { tables } = await readGrants();
    const found = await relations();
    const [me] = (await owner.query<{ name: string }>('select current_user as name')).rows;
    assert.deepEqual(
      found.filter((each) => each.owner !== me?.name),
      [],
      'the owner owns all of them',
    );
    const parts = found.filter(({ is_part }) => is_part).map(({ name }) => name);
    assert.ok(parts.length > 7, 'days of events are among them');
    const wholes = found.filter(({ is_part }) => !is_part).map(({ name }) => name);
    assert.deepEqual(
      [...tables.keys()].sort(),
      wholes.sort(),
      'packages/service/sql/grants.json says of each table and view what the service may do with it',
    );
    const wrong: string[] = [];
    for (const { name, columns, kind, is_part } of found) {
      const declared = is_part ? new Set<string>() : (tables.get(name) ?? assert.fail(name));
      const tried: [string, string][] = [
        ['select', `select from ${name} where false`],
        ['delete', `delete from ${name} where false`],
        ...columns.map((column): [string, string] => [
          declared.has('update') ? 'update' : `update (${column})`,
          `update ${name} set ${column} = ${column} where false`,
        ]),
        ...columns
          .slice(0, [...declared].some((each) => each.startsWith('insert (')) ? undefined : 1)
          .map((column): [string, string] => [
            declared.has('insert') || !declared.has(`insert (${columns[0]})`)
              ? 'insert'
              : `insert (${column})`,
            `insert into ${name} (${column}) select ${column} from ${name} where false`,
          ]),
        ...(kind === 'v' ? [] : [['truncate', `truncate ${name}`] as [string, string]]),
      ];
      for (const [privilege, statement] of kind === 'v' ? tried.slice(0, 1) : tried) {
        const code = await refusal(statement);
        const isRefused = code === '42501';
        if (isRefused === declared.has(privilege)) wrong.push(`${privilege} ${name}: ${code ?? 'done'}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('cannot change or forget what is kept for ever', async () => {
    const { tables } = await readGrants();
    for (const name of [
      'journal_entries',
      'audit_log',
      'log_seals',
      'log_heads',
      'four_eyes_policies',
      'events',
    ])
      assert.deepEqual([...(tables.get(name) ?? [])], ['select', 'insert'], name);
    assert.deepEqual([...(tables.get('log_archives') ?? [])], ['select']);
    const decided = [...(tables.get('approvals') ?? [])];
    for (const proposed of [
      'kind',
      'subject',
      'request',
      'reason',
      'proposed_by',
      'proposed_by_person',
      'effects',
    ])
      assert.ok(!decided.some((each) => each === 'update' || each === `update (${proposed})`), proposed);
  });

  const [today] = new Date().toISOString().replaceAll('-', '').split('T');
  for (const statement of [
    'alter table journal_entries disable trigger journal_is_append_only',
    'drop trigger audit_log_is_append_only on audit_log',
    'alter table audit_log add column x text',
    'drop table audit_log',
    `drop table events_${today}`,
    `alter table events detach partition events_${today}`,
    'create table own (x text)',
    'create view own as select 1 as x',
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$',
    "create function own() returns int language sql as 'select 1'",
    'drop function keep_event_days(timestamptz, timestamptz, int)',
    'alter function keep_event_days(timestamptz, timestamptz, int) security invoker',
    'create schema own',
    "set session_replication_role = 'replica'",
    `alter role ${SERVICE_ROLE} superuser`,
    'create role another login',
    "select setval('audit_numbers', 1)",
    'select from pg_authid',
    "copy (select 1) to program 'true'",
    "copy (select 1) to '/tmp/none'",
    "select pg_read_file('postgresql.conf')",
    'truncate schema_migrations',
    "insert into schema_editions (edition) values ('x')",
    "update database_mode set mode = 'sandbox'",
  ]) {
    test(`is refused: ${statement.slice(0, 60)}`, async () =>
      assert.equal(await refusal(statement), '42501'));
  }

  test('cannot become the owner', async () => {
    const [me] = (await owner.query<{ name: string }>('select quote_ident(current_user) as name')).rows;
    assert.equal(await refusal(`set role ${me?.name}`), '42501');
    assert.equal(await refusal(`set session authorization ${me?.name}`), '42501');
  });

  test('has functions for what needs more, which nobody else may call and which find no tables but the true ones', async () => {
    const { rows } = await owner.query(
      `select p.proname as name, p.proconfig::text[] as config, has_function_privilege('public', p.oid, 'execute') as of_public,
         has_function_privilege($1, p.oid, 'execute') as of_service
       from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.prosecdef order by 1`,
      [SERVICE_ROLE],
    );
    assert.ok(rows.length > 0);
    for (const { name, config, of_public, of_service } of rows) {
      assert.deepEqual([of_public, of_service], [false, true], name);
      assert.ok(
        config?.includes('search_path=public, pg_temp'),
        `${name} lacks: set search_path from current`,
      );
    }
  });
});

describe('in production, functions with the right of the owner', () => {
  let production: Pool;
  before(async () => {
    ({ pool: production } = await createTestDatabase({ connections: 2 }));
    await production.query("insert into database_mode (mode) values ('production')");
  });

  test('drop no events that are to be kept', async () => {
    const now = Date.now();
    assert.equal(await keepEventDays(production, now), 0);
    const days = async () =>
      (await production.query<{ n: number }>('select count(*)::int as n from event_days()')).rows[0]?.n;
    const before = await days();
    assert.ok(before !== undefined && before >= 8);
    for (const [at, oldest] of [
      [now, now],
      [now, now - 28 * DAY_MS],
      [now + 60 * DAY_MS, now - 31 * DAY_MS],
    ])
      await assert.rejects(
        production.query(
          'select keep_event_days(to_timestamp($1::bigint / 1000), to_timestamp($2::bigint / 1000), 5)',
          [at, oldest],
        ),
        DENIED,
      );
    // A table of one's own in its place says nothing.
    const client = await production.connect();
    try {
      await client.query(
        "begin; create temp table database_mode (mode text); insert into database_mode values ('sandbox')",
      );
      await assert.rejects(client.query("select keep_event_days(now(), 'infinity', 5)"), DENIED);
    } finally {
      await client.query('rollback');
      client.release();
    }
    assert.equal(await days(), before);
  });

  test('make no simulated bank', async () => {
    await assert.rejects(production.query('select enable_sandbox_bank()'), DENIED);
    await assert.rejects(production.query('select disable_sandbox_bank()'), DENIED);
  });
});

describe('a start', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  const strict = { mode: 'production', unsafeDatabase: 'refuse' } as const;

  test('takes the role of the service, and in production refuses one that owns the tables', async () => {
    await requireSchema(pool, strict, logger);
    assert.deepEqual(lines, []);
    await assert.rejects(requireSchema(owner, strict, logger), {
      name: 'ConfigError',
      message:
        /^The role of DATABASE_URL could change append-only rows: \w+ is a superuser\. Give the service a role of its own \(npm run migrate creates it\)\./,
    });
    await requireSchema(owner, { ...strict, unsafeDatabase: 'warn' }, logger);
    assert.match(lines.join(''), /^\{"level":"warn".*"risks":\["\w+ is a superuser"\]/);
  });

  test('sees rights that were given beside, and by whom does not matter', async () => {
    const { pool: service, owner: own } = await createTestDatabase({ connections: 2 });
    const risks = async () => (await reportRole(service, await readGrants())).risks;
    assert.deepEqual(await risks(), []);
    for (const [statement, risk] of [
      [`grant delete, update on audit_log to ${SERVICE_ROLE}`, 'update audit_log, delete audit_log'],
      [`grant update (amounts) on journal_entries to public`, 'update journal_entries'],
      [`grant update on approvals to ${SERVICE_ROLE}`, 'update every column of approvals'],
    ] as const) {
      await own.query(statement);
      assert.deepEqual(await risks(), [`${SERVICE_ROLE} may ${risk}`]);
      await assert.rejects(requireSchema(service, strict, logger), /could change append-only rows/);
      await own.query(statement.replace('grant', 'revoke').replace(/ to (\w+)$/, ' from $1'));
      const put = await missingGrants(own, await readGrants(), SERVICE_ROLE);
      if (put.length > 0) await own.query(put.join(';'));
      assert.deepEqual(await risks(), []);
    }
    await own.query(`grant create on schema public to ${SERVICE_ROLE}`);
    assert.deepEqual(await risks(), [`${SERVICE_ROLE} may create tables and functions`]);
    assert.deepEqual(await missingGrants(own, await readGrants(), SERVICE_ROLE), [
      `revoke create on schema "public" from "${SERVICE_ROLE}"`,
    ]);
  });

  test('tells which rights are missing', async () => {
    const { pool: service, owner: own } = await createTestDatabase({ connections: 2 });
    await own.query(`revoke insert on audit_log from ${SERVICE_ROLE}`);
    await assert.rejects(requireSchema(service, strict, logger), {
      message:
        'The database is behind this version: it lacks insert on audit_log. Run npm run migrate with DATABASE_OWNER_URL, the address of the role that owns the tables, and start again.',
    });
  });
});

test('what is declared is read, or refused', () => {
  const { tables } = grantsOf({ a: 'select, insert, update (x, y), delete', b: 'select' });
  assert.deepEqual([...(tables.get('a') ?? [])], ['select', 'insert', 'update (x)', 'update (y)', 'delete']);
  for (const text of ['all', 'select insert', 'select,', 'select; drop table x', 'update (x; y)'])
    assert.throws(() => grantsOf({ a: text }), /cannot be read/, text);
});
