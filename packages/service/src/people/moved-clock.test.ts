import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peopleAt } from '../../test/support/passkey-people.ts';
import { startPeople } from './test-support.ts';

const MONTHS_MS = 100 * 24 * 3_600_000;

test('operators are told of an unusual sign-in in business time, as of all else, though sessions follow real time', async () => {
  const server = await startPeople({ clockOffsetMs: () => MONTHS_MS });
  const { joined, signIn } = peopleAt(server);
  const before = server.realClock.now() + MONTHS_MS;
  const { device } = await joined('ada@example.com');
  for (let at = 0; at < 3; at++) assert.equal((await signIn(device)).answer.status, 200);
  device.count = 1;
  assert.equal((await signIn(device)).answer.body.code, 'passkey_copied');
  const { rows } = await server.pool.query<{ reason: string; at: number }>(
    `select data ->> 'reason' as reason, at from operator_events where type = 'sign_in.unusual' order by id`,
  );
  assert.deepEqual(
    rows.map(({ reason }) => reason),
    ['invitation', 'copied_passkey'],
  );
  // Earlier, they would be past their retention, and go before they were sent.
  for (const { reason, at } of rows) assert.ok(at >= before, `${reason}: ${at} is before ${before}`);
});
