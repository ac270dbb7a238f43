import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKLOG_MAX_BYTES, BEHIND_MAX_MS } from './connection.ts';
import { deskWithPrice } from './test-support.ts';

test('a reader that is behind gets the newest price of each pair when it has caught up', async () => {
  const desk = deskWithPrice();
  desk.tick('USDJPY', '151.236', '151.240');
  const { transport } = await desk.open(['EURUSD', 'USDJPY']);
  desk.pass(300);
  transport.take();
  transport.waiting = 1;
  for (let i = 0; i < 20; i++) {
    desk.tick('EURUSD', `1.0${8500 + i}`, `1.0${8500 + i}`);
    desk.tick('USDJPY', `152.${100 + i}`, `152.${100 + i}`);
    desk.pass(260);
  }
  assert.deepEqual(transport.take(), []);
  assert.ok(desk.hub.counts.superseded > 30);
  transport.waiting = 0;
  desk.pass(20);
  assert.deepEqual(
    transport
      .take()
      .map(({ pair, mid }) => [pair, mid])
      .sort(),
    [
      ['EURUSD', '1.08519'],
      ['USDJPY', '152.119'],
    ],
  );
});

test('a reader that is behind by a mebibyte is dropped, others are not', async () => {
  const desk = deskWithPrice();
  const slow = await desk.open(['EURUSD'], { customerId: 'slow' });
  const quick = await desk.open(['EURUSD'], { customerId: 'quick' });
  slow.transport.waiting = BACKLOG_MAX_BYTES - 1_000;
  for (let i = 0; i < 10 && !slow.transport.isEnded; i++) {
    desk.tick('EURUSD', `1.08${500 + i}`, `1.08${500 + i}`);
    desk.pass(260);
  }
  assert.ok(slow.isOver());
  assert.deepEqual(slow.transport.take('bye'), [{ reason: 'slow_reader' }]);
  desk.pass(1_300);
  assert.ok(slow.transport.isDestroyed);
  assert.equal(desk.hub.counts.ended.get('slow_reader'), 1);
  assert.ok(!quick.transport.isDestroyed);
  assert.deepEqual(desk.hub.counts.open, { sse: 1, websocket: 0 });
});

test('a reader that takes nothing for a quarter of a minute is told why and dropped', async () => {
  const desk = deskWithPrice();
  const { transport } = await desk.open(['EURUSD']);
  transport.waiting = 100;
  desk.tick('EURUSD', '1.08500', '1.08500');
  desk.pass(BEHIND_MAX_MS - 1_000);
  assert.ok(!transport.isEnded);
  desk.pass(3_300);
  assert.deepEqual(transport.take('bye'), [{ reason: 'stalled_reader' }]);
  assert.ok(transport.isDestroyed);
  assert.equal(desk.hub.counts.ended.get('stalled_reader'), 1);
});

test('bytes that the system holds count: nothing more is sent, and the newest price comes when they are gone', async () => {
  const desk = deskWithPrice();
  const { transport, connection } = await desk.open(['EURUSD']);
  transport.take();
  connection.stuckBytes = 1;
  for (let i = 0; i < 8; i++) {
    desk.tick('EURUSD', `1.0850${i}`, `1.0850${i}`);
    desk.pass(260);
  }
  assert.ok(connection.isBehind);
  assert.deepEqual(transport.take(), []);
  connection.stuckBytes = 0;
  desk.pass(20);
  assert.deepEqual(
    transport.take().map(({ mid }) => mid),
    ['1.08507'],
  );
  connection.stuckBytes = BACKLOG_MAX_BYTES;
  desk.tick('EURUSD', '1.08600', '1.08600');
  desk.pass(260);
  desk.tick('EURUSD', '1.08601', '1.08601');
  desk.pass(260);
  assert.equal(desk.hub.counts.ended.get('slow_reader'), 1);
});

test('a stream ends with the reason that its access ends for', async () => {
  const desk = deskWithPrice();
  let reason: string | undefined;
  const { transport, isOver } = await desk.open(['EURUSD'], { check: () => reason });
  desk.pass(3_000);
  assert.ok(!transport.isEnded);
  reason = 'token_expired';
  desk.pass(1_300);
  assert.ok(isOver() && transport.isEnded);
  assert.deepEqual(transport.take('bye'), [{ reason: 'token_expired' }]);
  assert.equal(desk.hub.counts.ended.get('token_expired'), 1);
  // A reader that does not close then is closed.
  desk.pass(1_300);
  assert.ok(transport.isDestroyed);
});

test('a peer that answers no ping is gone', async () => {
  const desk = deskWithPrice();
  const { transport } = await desk.open(['EURUSD']);
  desk.pass(16_000);
  assert.ok(!transport.isDestroyed);
  transport.answersPing = false;
  desk.pass(16_000);
  assert.ok(transport.isDestroyed);
  assert.equal(desk.hub.counts.ended.get('no_pong'), 1);
});
