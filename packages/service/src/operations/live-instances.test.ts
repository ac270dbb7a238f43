import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { RateLimiter } from '../http/rate-limits.ts';
import { LiveInstances } from './live-instances.ts';

test('instances that have told of themselves lately share the quotas', async () => {
  const { pool } = await createTestDatabase();
  const instances = new LiveInstances(pool);
  assert.equal(instances.count, 1, 'before anything is known');
  await instances.load();
  assert.equal(instances.count, 1, 'one that nobody asks whether it is ready is there too');

  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of ids) await pool.query('select beat($1)', [id]);
  const { rows } = await pool.query<{ version: string }>(`select (${instances.version})::text as version`);
  assert.notEqual(rows[0]?.version, instances.held(), 'the follower sees that it has moved');
  await instances.load();
  assert.deepEqual([instances.count, instances.held()], [3, rows[0]?.version]);

  const now = () => 0;
  const limiters = ids.map(() => new RateLimiter(now, () => instances.count));
  const takenOf = (quota: { perMinute: number; burst?: number }) =>
    limiters.map((limiter) => {
      const policy = JSON.stringify(quota);
      let taken = 0;
      while (limiter.take('a customer', policy, quota).allowed) taken++;
      return taken;
    });
  assert.deepEqual(takenOf({ perMinute: 60 }), [20, 20, 20]);
  assert.deepEqual(takenOf({ perMinute: 60, burst: 5 }), [2, 2, 2], 'at most one more for each instance');
  assert.deepEqual(takenOf({ perMinute: 1 }), [1, 1, 1], 'nobody is left with nothing');

  await pool.query(
    `update instance_heartbeats set beat_at = beat_at - interval '16 seconds' where instance = $1`,
    [ids[0]],
  );
  await instances.load();
  assert.equal(instances.count, 2);
});

test('a quota that is used up comes back at the rate of the share', () => {
  let now = 0;
  const limiter = new RateLimiter(
    () => now,
    () => 2,
  );
  const take = () => limiter.take('a customer', 'quotes', { perMinute: 60 });
  for (let i = 0; i < 30; i++) assert.ok(take().allowed);
  const refused = take();
  assert.deepEqual([refused.allowed, refused.resetSeconds], [false, 2]);
  now = 1_900;
  assert.equal(take().allowed, false);
  now = 2_000;
  assert.ok(take().allowed);
});
