import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createDesk as createTradingDesk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid } from '../platform/ids.ts';
import { recordProgress } from './delivery-store.ts';
import { claimEndpoints } from './endpoint-store.ts';
import { createWebhookDesk } from './test-support.ts';

/** What happens while an instance is at an endpoint. */

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

const MINUTE_MS = 60_000;

test('news that come while an instance is at an endpoint wait for it, and are due when it is done', async () => {
  const desk = createWebhookDesk(pool);
  const { customerId } = await createTradingDesk(pool);
  const closed = { type: 'market.closed' } as const;
  const { id } = await desk.endpoint(customerId, { url: 'http://127.0.0.1:9/' });
  const claim = async (lease: string, later = 0) => {
    const at = desk.clock.now() + later;
    const claimed = await claimEndpoints(pool, { id: lease, until: at + MINUTE_MS }, at, {
      quick: 10,
      slow: 10,
    });
    return claimed.map((endpoint) => endpoint.id);
  };
  const [first, second] = [newUuid(1), newUuid(2)];
  await desk.notify(customerId, closed);
  assert.deepEqual(await claim(first), [id]);
  // It has read the feed as far as that, and is still sending.
  await desk.notify(customerId, closed);
  assert.deepEqual(await claim(second, 1), [], 'one instance at a time');
  const progress = { states: [], isSlow: false, isDone: true, hasMore: false, disable: undefined };
  const at = desk.clock.now() + 2;
  assert.ok(await recordProgress(pool, id, { ...progress, lease: first, at, seen: 1n }));
  assert.deepEqual(await claim(second, 3), [id]);
});
