import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import type { Pool } from '../packages/service/src/database/pool.ts';
import { createTestDatabase } from '../packages/service/test/support/database.ts';
import { COMMAND, differenceOf, schemaFiles } from './generate-schema.ts';
import { TYPES } from './schema/row-types.ts';

const ROOT = resolve(import.meta.dirname, '..');
let pool: Pool;

before(async () => {
  ({ owner: pool } = await createTestDatabase());
});

test('schema.sql and the types of rows are what migrations and functions make', async () => {
  for (const { path, text } of await schemaFiles(pool)) {
    const found = readFileSync(join(ROOT, path), 'utf8');
    const reported = [`${path} is stale: run ${COMMAND}`, ...differenceOf(found, text)];
    assert.ok(found === text, reported.join('\n'));
  }
});

test('what is changed in the database is in the difference', async () => {
  const [schema] = await schemaFiles(pool);
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `alter table balances add column more text not null default 'x', drop column currency;
       alter table balances set (fillfactor = 60);
       alter trigger balances_not_overdrawn on balances rename to overdrawn;
       create index balances_more on balances (more);
       alter function event_id stable`,
    );
    const [changed] = await schemaFiles(client as unknown as Pool);
    const overdrawn = (name: string) =>
      `CREATE TRIGGER ${name} AFTER INSERT OR UPDATE ON balances FOR EACH ROW WHEN (new.account = 'customer_balance'::text AND new.balance > 0::numeric) EXECUTE FUNCTION refuse_overdraft();`;
    const eventId = 'create function event_id(prefix text, sequence bigint) returns uuid language sql';
    assert.deepEqual(differenceOf(schema?.text ?? '', changed?.text ?? ''), [
      'create table balances (',
      '-   currency text not null,',
      '-   constraint balances_pkey PRIMARY KEY (customer_id, account, currency)',
      '- ) with (fillfactor=50);',
      "- CREATE INDEX balances_position ON balances USING btree (currency) WHERE account = 'position'::text;",
      `- ${overdrawn('balances_not_overdrawn')}`,
      "+   more text not null default 'x'::text",
      '+ ) with (fillfactor=60);',
      '+ CREATE INDEX balances_more ON balances USING btree (more);',
      `+ ${overdrawn('overdrawn')}`,
      `${eventId} immutable strict;`,
      `- ${eventId} immutable strict;`,
      `${eventId} stable strict;`,
      `+ ${eventId} stable strict;`,
    ]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

/** A value of each type, as SQL. */
const SAMPLES: Readonly<Record<keyof typeof TYPES, string>> = {
  boolean: 'true',
  smallint: '1',
  integer: '1',
  bigint: '1',
  xid8: "'1'",
  numeric: '1.50',
  text: "'x'",
  uuid: 'gen_random_uuid()',
  date: "'2026-03-04'",
  'timestamp with time zone': 'now()',
  json: `'{"a": 1}'`,
  jsonb: `'{"a": 1}'`,
  bytea: `'\\x00'`,
  'text[]': `'{a}'`,
  'numeric[]': `'{1.5}'`,
};

test('values come from the driver as the types say', async () => {
  assert.deepEqual(Object.keys(SAMPLES).toSorted(), Object.keys(TYPES).toSorted());
  for (const [type, sample] of Object.entries(SAMPLES)) {
    const { rows } = await pool.query<{ value: unknown }>(`select (${sample})::${type} as value`);
    assert.equal(nameOf(rows[0]?.value), TYPES[type], type);
  }
});

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return `${nameOf(value[0])}[]`;
  if (Buffer.isBuffer(value)) return 'Buffer';
  return typeof value === 'object' ? 'unknown' : typeof value;
}
