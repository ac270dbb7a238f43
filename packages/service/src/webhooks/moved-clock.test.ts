import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { systemClock, VirtualClock } from '../platform/clock.ts';
import { createWebhookDesk, startReceiver } from './test-support.ts';

const MONTHS_MS = 100 * 24 * 3_600_000;

test('an endpoint is disabled when its other instants say, also where the clock of the sandbox was moved', async () => {
  const { pool } = await createTestDatabase();
  const clock = new VirtualClock(MONTHS_MS, systemClock);
  const desk = createWebhookDesk(pool, { clock });
  const [gone, told] = [await startReceiver(), await startReceiver()];
  gone.answer = (_, response) => void response.writeHead(410).end();
  const { id } = await desk.endpoint(null, { url: gone.url, types: ['exception.opened'] });
  await desk.endpoint(null, { url: told.url, types: ['webhook.disabled'] });
  const before = clock.now();
  await pool.query(`select notify_operators('exception.opened', now(), 'exception 1', '{}')`);
  await desk.send();
  const { status, disabled_at: disabledAt, updated_at: updatedAt } = await desk.state(null, id);
  assert.equal(status, 'disabled');
  // Earlier, what tells of it would be past its retention, and go before it was sent.
  const [message] = told.received;
  for (const at of [disabledAt, updatedAt, Date.parse(message?.message.timestamp)])
    assert.ok(at !== null && at >= before && at <= clock.now(), `${at} is not from ${before} on`);
});
