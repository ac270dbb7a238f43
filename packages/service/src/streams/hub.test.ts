import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BACKLOG_MAX_BYTES, BEHIND_MAX_MS } from './connection.ts';
import { HEARTBEAT_MS } from './hub.ts';
import { createStreamDesk, decimal } from './test-support.ts';

function deskWithPrice() {
  const desk = createStreamDesk();
  desk.tick('EURUSD', '1.08488', '1.08494');
  return desk;
}

test('one price is made for all customers of a group, and each of another has its own', async () => {
  const desk = deskWithPrice();
  const streams = [];
  for (let i = 0; i < 50; i++) streams.push(await desk.open(['EURUSD'], { customerId: `customer ${i}` }));
  assert.equal(desk.hub.counts.prices, 1);
  desk.pass(300);
  desk.tick('EURUSD', '1.08500', '1.08506');
  desk.pass(20);
  assert.equal(desk.hub.counts.prices, 2);
  const frames = streams.map(({ transport }) => transport.frames.at(-1));
  assert.equal(new Set(frames).size, 1);
  assert.equal(frames[0]?.chunk, frames[49]?.chunk);
});

test('ticks are conflated to four a second, and the newest one always arrives', async () => {
  const desk = deskWithPrice();
  const { transport } = await desk.open(['EURUSD']);
  desk.pass(1_000);
  transport.take();
  let last = '';
  for (let i = 0; i < 100; i++) {
    last = `1.08${600 + i}`;
    desk.tick('EURUSD', last, last);
    desk.pass(20);
  }
  desk.pass(260);
  const prices = transport.take();
  assert.ok(prices.length >= 7 && prices.length <= 9, String(prices.length));
  assert.equal(prices.at(-1).mid, last);
});

test('property: however ticks fall, no second has more than four prices of a pair and the end is the last tick', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ wait: fc.integer({ min: 1, max: 400 }), pips: fc.integer({ min: 1, max: 99 }) }), {
        minLength: 1,
        maxLength: 60,
      }),
      async (ticks) => {
        const desk = deskWithPrice();
        const { transport } = await desk.open(['EURUSD']);
        desk.pass(300);
        transport.take();
        const at: number[] = [];
        let now = 0;
        const step = (ms: number) => {
          for (let left = ms; left > 0; left -= 20) {
            now += Math.min(20, left);
            const before = transport.frames.length;
            desk.pass(Math.min(20, left));
            const sent = transport.frames.slice(before).filter(({ event }) => event === 'price').length;
            for (let i = 0; i < sent; i++) at.push(now);
          }
        };
        let last = '1.08491';
        for (const { wait, pips } of ticks) {
          last = `1.09${String(100 + pips)}`;
          desk.tick('EURUSD', last, last);
          step(wait);
        }
        step(300);
        for (const from of at)
          assert.ok(at.filter((time) => time >= from && time < from + 1_000).length <= 4);
        const prices = transport.take();
        assert.equal(prices.at(-1).mid, last);
      },
    ),
    { numRuns: 40 },
  );
});

test('a price grows stale by time, without a tick, and comes back with the next one', async () => {
  const desk = deskWithPrice();
  const { transport } = await desk.open(['EURUSD']);
  desk.pass(4_900);
  assert.deepEqual(
    transport.take().map(({ tradable }) => tradable),
    [true],
  );
  desk.pass(400);
  const [stale, ...more] = transport.take();
  assert.deepEqual([stale.tradable, stale.reason, stale.bid, more], [false, 'stale', '1.08271', []]);
  desk.tick('EURUSD', '1.08488', '1.08494');
  desk.pass(260);
  const [fresh] = transport.take();
  assert.deepEqual([fresh.tradable, fresh.reason], [true, undefined]);
});

test('a cross moves with its legs and is stale with one of them', async () => {
  const desk = deskWithPrice();
  desk.tick('USDJPY', '151.236', '151.240');
  const { transport } = await desk.open(['EURJPY']);
  desk.pass(300);
  const [first] = transport.take();
  desk.tick('USDJPY', '152.236', '152.240');
  desk.pass(20);
  const [moved] = transport.take();
  assert.notEqual(moved.mid, first.mid);
  desk.pass(4_000);
  desk.tick('USDJPY', '152.236', '152.240');
  desk.pass(1_300);
  assert.equal(transport.take().at(-1).reason, 'stale');
});

test('heartbeats come every five seconds and name the last price', async () => {
  const desk = deskWithPrice();
  const { transport, connection } = await desk.open(['EURUSD']);
  const { lastId } = connection;
  transport.take();
  desk.pass(HEARTBEAT_MS - 20);
  assert.deepEqual(transport.take('heartbeat'), []);
  desk.pass(270);
  const [heartbeat] = transport.take('heartbeat');
  assert.equal(heartbeat.lastId, lastId);
  assert.match(heartbeat.serverTime, /^2026-03-04T14:30:05\.\d{3}Z$/);
  desk.pass(HEARTBEAT_MS * 3 + 250);
  assert.equal(transport.take('heartbeat').length, 3);
});

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
  for (let i = 0; i < 10 && !slow.transport.isDestroyed; i++) {
    desk.tick('EURUSD', `1.08${500 + i}`, `1.08${500 + i}`);
    desk.pass(260);
  }
  assert.ok(slow.transport.isDestroyed && slow.isOver());
  assert.equal(desk.hub.counts.ended.get('slow_reader'), 1);
  assert.ok(!quick.transport.isDestroyed);
  assert.deepEqual(desk.hub.counts.open, { sse: 1, websocket: 0 });
});

test('a reader that takes nothing for a minute is dropped', async () => {
  const desk = deskWithPrice();
  const { transport } = await desk.open(['EURUSD']);
  transport.waiting = 100;
  desk.tick('EURUSD', '1.08500', '1.08500');
  desk.pass(BEHIND_MAX_MS - 1_000);
  assert.ok(!transport.isDestroyed);
  desk.pass(2_000);
  assert.ok(transport.isDestroyed);
  assert.equal(desk.hub.counts.ended.get('stalled_reader'), 1);
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

test('another rule is another price group, with ids that go on ascending', async () => {
  const desk = deskWithPrice();
  const { transport, connection } = await desk.open(['EURUSD']);
  const other = await desk.open(['EURUSD'], { customerId: 'other' });
  assert.deepEqual(
    transport.take().map(({ ask }) => ask),
    ['1.08711'],
  );
  const before = connection.lastId ?? '';
  desk.setRule({ version: 2, spreadBps: decimal('50') });
  desk.pass(1_300);
  assert.deepEqual(
    transport.take().map(({ ask, spreadBps }) => [ask, spreadBps]),
    [['1.09037', '50']],
  );
  assert.ok((connection.lastId ?? '') > before);
  assert.ok((other.connection.lastId ?? '') > before);
});

test('without a reader nothing runs and nothing is kept', async () => {
  const desk = deskWithPrice();
  assert.equal(desk.isRunning(), false);
  const first = await desk.open(['EURUSD']);
  const second = await desk.open(['EURUSD']);
  assert.equal(desk.isRunning(), true);
  desk.hub.gone(first.connection);
  desk.hub.gone(second.connection);
  assert.ok(first.isOver() && second.isOver());
  desk.pass(300);
  assert.equal(desk.isRunning(), false);
  assert.equal(first.connection.topics.size, 0);
  const made = desk.hub.counts.prices;
  desk.tick('EURUSD', '1.08500', '1.08500');
  desk.pass(1_000);
  assert.equal(desk.hub.counts.prices, made);
  assert.deepEqual(desk.hub.counts.open, { sse: 0, websocket: 0 });
});

test('closing says goodbye to everybody and lets nobody in', async () => {
  const desk = deskWithPrice();
  const { transport, connection } = await desk.open(['EURUSD']);
  const closing = desk.hub.close();
  assert.deepEqual(transport.take('bye'), [{ reason: 'shutting_down' }]);
  desk.hub.gone(connection);
  await closing;
  assert.equal(desk.isRunning(), false);
  assert.throws(() => desk.hub.slots.take('customer', ['EURUSD']), { code: 'maintenance' });
});
