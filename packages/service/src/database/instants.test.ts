import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTestDatabase } from '../../test/support/database.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseInstant } from './instants.ts';

test('instants are read as the database writes them, to the millisecond', async () => {
  const { pool } = await createTestDatabase();
  const instants = fc.sample(
    fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }),
    2_000,
  );
  const edges = [0, -1, 1, 999, 1_000, 1_772_634_600_252, 1_772_634_600_250, 1_772_634_600_200];
  const all = [...edges, ...instants];
  const { rows } = await pool.query<{ at: number }>(
    'select v.at from unnest($1::timestamptz[]) with ordinality as v (at, n) order by n',
    [all.map(isoInstant)],
  );
  assert.deepEqual(
    rows.map(({ at }) => at),
    all,
  );
});

test('what is finer than a millisecond is cut off, and what is no instant is no number', () => {
  assert.equal(parseInstant('2026-03-04 14:30:00.252999+00'), Date.parse('2026-03-04T14:30:00.252Z'));
  assert.equal(parseInstant('2026-03-04 14:30:00.2+00'), Date.parse('2026-03-04T14:30:00.2Z'));
  assert.equal(parseInstant('1969-12-31 23:59:59.5+00'), -500);
  for (const text of ['infinity', '-infinity', '0044-03-15 12:00:00+00 BC']) {
    assert.ok(Number.isNaN(parseInstant(text)), text);
  }
});
