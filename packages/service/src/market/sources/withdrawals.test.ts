import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { createLogger } from '../../platform/logger.ts';
import { NOW, testBook } from '../test-book.ts';
import type { FeedTransport } from './feed.ts';
import { FEED_PRESETS } from './feed-format.ts';
import { OANDA_SILENCE_MS, oandaTransport } from './oanda.ts';
import { SupervisedSource } from './supervised-source.ts';
import { eventually, ManualTimers } from './test-support.ts';
import { WEBSOCKET_SILENCE_MS, webSocketTransport } from './websocket.ts';

/** Vendors over real sockets whose prices end: a limit of an hour shows that it is not their age that ends them. */

const STAMP = new Date(NOW).toISOString();

function supervised(t: TestContext, transport: FeedTransport, silenceMs: number, timers: ManualTimers) {
  const { book, clock, shown } = testBook({ stalenessMs: 3_600_000 });
  const source = new SupervisedSource({
    name: 'vendor',
    transport,
    clock,
    realClock: clock,
    logger: createLogger('silent'),
    silenceMs,
    timers,
  });
  source.start(
    (tick) => book.apply(tick),
    (pair, at) => book.withdraw('vendor', pair, at),
  );
  t.after(() => source.stop());
  const becomes = (state: string, code?: string) =>
    eventually(() => shown(code).endsWith(state), `${code ?? 'EURUSD'} becomes ${state}`);
  return { source, becomes, shown };
}

async function oanda(t: TestContext) {
  const streams: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200).flushHeaders();
    streams.push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const timers = new ManualTimers();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pairs = ['EURUSD', 'USDJPY'];
  const transport = oandaTransport({ baseUrl, account: '1', token: () => 'x', pairs });
  const desk = supervised(t, transport, OANDA_SILENCE_MS, timers);
  const say = (instrument: string, more: object = {}) =>
    streams.at(-1)?.write(
      `${JSON.stringify({
        type: 'PRICE',
        time: STAMP,
        instrument,
        tradeable: true,
        bids: [{ price: '1.08480' }],
        asks: [{ price: '1.08494' }],
        ...more,
      })}\n`,
    );
  const begin = async (count = 1) => {
    await eventually(() => streams.length === count, 'a stream');
    say('EUR_USD');
    say('USD_JPY');
    await desk.becomes('fresh');
    await desk.becomes('fresh', 'USDJPY');
  };
  return { ...desk, timers, streams, say, begin };
}

test('OANDA: a pair that is not tradeable, has one side or cannot be read is over; other pairs go on', async (t) => {
  const { say, begin, becomes, shown } = await oanda(t);
  await begin();
  for (const more of [
    { tradeable: false },
    { status: 'non-tradeable' },
    { asks: [] },
    { bids: [{ price: 'none' }] },
    { time: 'today' },
  ]) {
    say('EUR_USD', more);
    await becomes('stale');
    assert.match(shown('USDJPY'), / fresh$/, JSON.stringify(more));
    say('EUR_USD');
    await becomes('fresh');
  }
});

test('OANDA: with the stream its prices end: ended, cut off, or silent; and a moved clock brings none back', async (t) => {
  const { source, begin, becomes, streams, timers } = await oanda(t);
  await begin();
  const ends = [
    () => streams.at(-1)?.end(),
    () => streams.at(-1)?.destroy(),
    () => timers.advance(OANDA_SILENCE_MS),
  ];
  for (const [index, end] of ends.entries()) {
    end();
    await becomes('stale');
    await becomes('stale', 'USDJPY');
    await source.refresh();
    await becomes('stale');
    timers.advance(5_000);
    await begin(index + 2);
  }
});

test('WebSocket: an empty side ends the price of its pair, the end of the connection those of all', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const sockets: WebSocket[] = [];
  const format = {
    ...FEED_PRESETS.massive,
    steps: [],
    price: { symbol: 's', bid: 'b', ask: 'a', time: 't', timeUnit: 'rfc3339' as const },
  };
  const price = (more: object = {}) =>
    JSON.stringify({ s: 'EURUSD', b: '1.0848', a: '1.0849', t: STAMP, ...more });
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.send(price());
    socket.send(price({ s: 'USDJPY' }));
  });
  t.after(() => {
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  const timers = new ManualTimers();
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = webSocketTransport({ format, url, key: () => '', pairs: ['EURUSD', 'USDJPY'], timers });
  const { becomes, shown } = supervised(t, transport, WEBSOCKET_SILENCE_MS, timers);
  await becomes('fresh', 'USDJPY');
  for (const more of [{ a: null }, { a: 0 }, { a: undefined }, { b: 'none' }]) {
    sockets.at(-1)?.send(price(more));
    await becomes('stale');
    assert.match(shown('USDJPY'), / fresh$/, JSON.stringify(more));
    sockets.at(-1)?.send(price());
    await becomes('fresh');
  }
  const ends = [
    () => sockets.at(-1)?.close(),
    () => sockets.at(-1)?.terminate(),
    () => timers.advance(WEBSOCKET_SILENCE_MS),
  ];
  for (const [index, end] of ends.entries()) {
    if (index === 2) sockets.at(-1)?.pause();
    end();
    await becomes('stale');
    await becomes('stale', 'USDJPY');
    timers.advance(5_000);
    await eventually(() => sockets.length === index + 2, 'connected again');
    await becomes('fresh');
  }
});
