import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { compositeText, plainArray, readTexts, textArray } from './arrays.ts';
import type { Pool } from './pool.ts';

let pool: Pool;
before(async () => {
  ({ owner: pool } = await createTestDatabase({ migrated: false, connections: 2 }));
});

// PostgreSQL's text holds no NUL, and a lone surrogate is not UTF-8.
const anyText = fc.oneof(
  fc.constantFrom('', 'NULL', 'null', '{}', '{"a":"b\\"c"}', '\\', '"', ',', ' a ', '\n', '(', 'a-b:c.d_9'),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
);

test('the database reads text arrays back as they were, whatever they hold', async () => {
  const value = fc.option(anyText);
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async (values) => {
      const { rows } = await pool.query<{ read: (string | null)[] }>('select $1::text[] as read', [
        textArray(values),
      ]);
      assert.deepEqual(rows[0]?.read, values);
    }),
    { numRuns: 60 },
  );
});

test('arrays of texts and ids are read as the driver reads them, whatever they hold', async () => {
  const texts: number = 1009;
  const parser = pg.types.getTypeParser(texts, 'text');
  const literals = [
    '{}',
    '{NULL}',
    '{a,NULL,b}',
    '{NULLS,nullable}',
    '{"a,b",c}',
    '{"NULL"}',
    '[0:1]={a,b}',
    '{ a b,c}',
  ];
  for (const literal of literals) assert.deepEqual(readTexts(literal, parser), parser(literal), literal);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.uuid()), { maxLength: 5 }), async (ids) => {
      const { rows } = await pool.query<{ ids: (string | null)[]; nested: unknown }>(
        'select $1::uuid[] as ids, array[$1::text[], $1::text[]] as nested',
        [plainArray(ids)],
      );
      assert.deepEqual(rows, [{ ids, nested: ids.length === 0 ? [] : [ids, ids] }]);
    }),
    { numRuns: 30 },
  );
});

test('members of composite values are read back as they were', async () => {
  await pool.query('create type numbered as (number int, text text)');
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 20 }), async (values) => {
      const elements = values.map((value, i) => `"(${i},${compositeText(value)})"`);
      const { rows } = await pool.query<{ read: string[] }>(
        'select array_agg(i.text order by i.number) as read from unnest($1::numbered[]) i',
        [`{${elements.join(',')}}`],
      );
      assert.deepEqual(rows[0]?.read, values);
    }),
    { numRuns: 60 },
  );
});

test('plain arrays hold numbers of any size, booleans and gaps', async () => {
  const { rows } = await pool.query<{ n: string[]; b: boolean[] }>(
    'select $1::numeric[]::text[] as n, $2::boolean[] as b',
    [plainArray([1n, null, 12345678901234567890123456789n, undefined, -5]), plainArray([true, false, null])],
  );
  assert.deepEqual(rows[0], {
    n: ['1', null, '12345678901234567890123456789', null, '-5'],
    b: [true, false, null],
  });
});
