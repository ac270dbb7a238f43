import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createManualDesk } from '../../test/support/manual-desk.ts';
import { isoInstant } from '../platform/clock.ts';
import { countDeposits, countExceptions } from './work-counts.ts';

const HOUR_MS = 3_600_000;
/** Ages to the millisecond, by the hours from which each counts. */
const AGES = {
  0: [-1, 0, 24 * HOUR_MS - 1],
  24: [24 * HOUR_MS, 72 * HOUR_MS - 1],
  72: [72 * HOUR_MS, 168 * HOUR_MS - 1],
  168: [168 * HOUR_MS, 9_000 * HOUR_MS],
};

test('what waits counts at one age, which begins with its hour', async () => {
  const { pool } = await createTestDatabase({ connections: 4 });
  const desk = await createManualDesk(pool);
  const now = desk.sandbox.clock.now();
  const instants = Object.values(AGES).flatMap((ages) => ages.map((age) => isoInstant(now - age)));
  for (const _ of instants) await desk.arrived('1.00');
  await desk.close();
  await ownerOf(pool).query(
    `update deposits d set received_at = a.at
     from (select id, row_number() over () as n from deposits) x, unnest($1::timestamptz[]) with ordinality as a (at, n)
     where x.id = d.id and x.n = a.n`,
    [instants],
  );
  await ownerOf(pool).query(
    'update reconciliation_exceptions x set opened_at = d.received_at from deposits d where d.id = x.deposit_id',
  );
  const expected = Object.entries(AGES).map(([hours, ages]) => [Number(hours), ages.length, false]);
  for (const counts of [await countDeposits(pool, now), await countExceptions(pool, now)]) {
    const unmatched = counts.filter(({ kind }) => kind === 'unmatched');
    assert.deepEqual(
      unmatched.map(({ ageFromHours, count, isMore }) => [ageFromHours, count, isMore]),
      expected,
    );
  }
});
