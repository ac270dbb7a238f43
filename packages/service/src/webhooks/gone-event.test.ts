import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Pool } from '../database/pool.ts';
import { listDeliveries } from './delivery-store.ts';
import { createWebhookDesk, startReceiver } from './test-support.ts';

const SECOND_MS = 1_000;

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase());
});

test('what waits for an event that is no longer kept is sent', async () => {
  const desk = createWebhookDesk(pool);
  const receiver = await startReceiver();
  const { id } = await desk.endpoint(null, { url: receiver.url, ordering: 'resource' });
  const deliveries = async () => (await listDeliveries(pool, id, undefined, undefined, 10)).reverse();
  receiver.answer = (_, response) => void response.writeHead(500).end();
  await pool.query(
    `select notify_operators(e.type, now() + e.later, 'exception 1', '{}')
     from (values ('exception.opened', interval '0'), ('exception.closed', interval '1 second')) e(type, later)`,
  );
  await desk.send();
  const waits = (await deliveries()).map(({ next_attempt_at: at }) => at === null);
  assert.deepEqual(waits, [false, true]);
  await pool.query("delete from operator_events where type = 'exception.opened'");
  receiver.answer = (_, response) => void response.writeHead(204).end();
  desk.clock.advance(6 * SECOND_MS);
  await desk.send();
  const states = (await deliveries()).map(({ status }) => status);
  assert.deepEqual(states, ['failed', 'delivered']);
});
