import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownCurrency, pairOf } from '@firmquote/fx';
import fc from 'fast-check';
import { Halts } from '../market/halts.ts';
import { HEARTBEAT_MS } from './hub.ts';
import { decimal, deskWithPrice } from './test-support.ts';

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

test('another rule is another price group, with ids that go on ascending', async () => {
  const desk = deskWithPrice();
  const { transport, connection } = await desk.open(['EURUSD']);
  const other = await desk.open(['EURUSD'], { customerId: 'other' });
  assert.deepEqual(
    transport.take().map(({ ask }) => ask),
    ['1.08711'],
  );
  const before = connection.lastId ?? '';
  desk.setRule({ version: 2, spreadBps: decimal('50.00') });
  desk.pass(1_300);
  assert.deepEqual(
    transport.take().map(({ ask, spreadBps }) => [ask, spreadBps]),
    [['1.09037', '50.00']],
  );
  assert.ok((connection.lastId ?? '') > before);
  assert.ok((other.connection.lastId ?? '') > before);
});

test('a halt of the pair is told within a look, one of a customer to that customer', async () => {
  const desk = deskWithPrice();
  const halted = await desk.open(['EURUSD']);
  const other = await desk.open(['EURUSD'], { customerId: 'other' });
  desk.pass(300);
  const shown = (stream: typeof halted) =>
    stream.transport.take().map(({ tradable, reason, ask }) => [tradable, reason, ask]);
  shown(halted);
  shown(other);
  desk.market.setHalts(new Halts([{ scope: 'customer', pair: null, customerId: 'customer' }]));
  desk.pass(1_300);
  assert.deepEqual(shown(halted), [[false, 'halt', '1.08711']]);
  assert.deepEqual(shown(other), []);
  desk.market.setHalts(new Halts([{ scope: 'pair', pair: 'EURUSD', customerId: null }]));
  desk.pass(300);
  assert.deepEqual(shown(other), [[false, 'halt', '1.08711']]);
  desk.market.setHalts(Halts.NONE);
  desk.pass(1_300);
  assert.deepEqual(shown(halted).at(-1), [true, undefined, '1.08711']);
  assert.deepEqual(shown(other), [[true, undefined, '1.08711']]);
});

test('a price that comes to nothing is told as none, and the stream goes on', async () => {
  const desk = deskWithPrice();
  const { transport, isOver } = await desk.open(['EURUSD']);
  desk.pass(300);
  transport.take();
  desk.tick('EURUSD', '0.0000001', '0.0000001');
  desk.pass(20);
  assert.deepEqual(transport.take(), [
    {
      pair: 'EURUSD',
      bid: null,
      ask: null,
      mid: null,
      asOf: null,
      spotDate: '2026-03-06',
      tradable: false,
      reason: 'price_unavailable',
    },
  ]);
  desk.tick('EURUSD', '1.08488', '1.08494');
  desk.pass(300);
  assert.equal(transport.take()[0].tradable, true);
  assert.ok(!isOver());
});

test('of a pair without a price the closed market and a halt are told first', async () => {
  const desk = deskWithPrice();
  const { book } = desk.market;
  const known = { sum: decimal('2.53628'), at: desk.room.clock.now() };
  const pair = pairOf(knownCurrency('GBP'), knownCurrency('USD'));
  book.restore(pair, known, known);
  const { transport } = await desk.open([pair.code]);
  const shown = () => transport.take().map(({ bid, reason }) => [bid, reason]);
  desk.pass(300);
  assert.deepEqual(shown(), [[null, 'price_unavailable']]);
  desk.market.override('closed');
  desk.pass(1_300);
  assert.deepEqual(shown().at(-1), [null, 'market_closed']);
  desk.market.override('open');
  desk.market.setHalts(new Halts([{ scope: 'pair', pair: pair.code, customerId: null }]));
  desk.pass(1_300);
  assert.deepEqual(shown().at(-1), [null, 'halt']);
});

test('everybody hears of a change of the market, whoever comes at the moment of it', async () => {
  const desk = deskWithPrice();
  const first = await desk.open(['EURUSD'], { customerId: 'first' });
  desk.pass(300);
  first.transport.take();
  desk.market.override('closed');
  const second = await desk.open(['EURUSD'], { customerId: 'second' });
  desk.pass(20);
  assert.deepEqual(
    first.transport.take('market').map(({ state }) => state),
    ['closed'],
  );
  desk.pass(600);
  assert.deepEqual(
    second.transport.take('market').map(({ state }) => state),
    ['closed'],
  );
  desk.market.override('open');
  desk.pass(300);
  for (const { transport } of [first, second]) {
    assert.deepEqual(
      transport.take('market').map(({ state }) => state),
      ['open'],
    );
  }
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
