import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tables } from '../../../scripts/reference/tables.ts';
import { createTestDatabase } from './support/database.ts';

test('every table and view is told with the room that owns it, and no other', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition order by 1`,
  );
  assert.deepEqual(
    Object.keys(tables()).sort(),
    rows.map(({ name }) => name),
  );
});

test('owners are rooms', () => {
  const unknown = Object.values(tables()).filter(
    ({ owner }) => !existsSync(join(import.meta.dirname, '../src', owner)),
  );
  assert.deepEqual(unknown, []);
});
