import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { FEED_PRESETS, type FeedFormat } from './feed-format.ts';
import { SupervisedSource } from './supervised-source.ts';
import { eventually, keptLog, keptTicks, ManualTimers } from './test-support.ts';
import { WEBSOCKET_SILENCE_MS, webSocketTransport } from './websocket.ts';

const AT = 1759056000123;
const KEY = 'a-key-that-nobody-may-see';
const { massive, tradermade } = FEED_PRESETS;

type Talk = (socket: WebSocket, messages: string[]) => void;

interface FeedOptions {
  readonly format: FeedFormat;
  readonly pairs?: readonly string[];
  readonly autoPong?: boolean;
  /** What the server does when a client has connected. */
  readonly talk: Talk;
}

/** A server that talks as the test says, and a source on it. */
async function feed(
  t: TestContext,
  { format, talk, pairs = ['EURUSD', 'USDJPY'], autoPong = true }: FeedOptions,
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong });
  await once(server, 'listening');
  const sockets: WebSocket[] = [];
  const received: string[] = [];
  server.on('connection', (socket) => {
    const messages: string[] = [];
    sockets.push(socket);
    socket.on('message', (data) => {
      messages.push(String(data));
      received.push(String(data));
      talk(socket, messages);
    });
    socket.on('error', () => undefined);
    talk(socket, messages);
  });
  const timers = new ManualTimers();
  const { port } = server.address() as AddressInfo;
  const source = sourceOn(`ws://127.0.0.1:${port}/feed`, format, pairs, timers);
  t.after(async () => {
    await source.source.stop();
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return { ...source, timers, sockets, received };
}

function sourceOn(url: string, format: FeedFormat, pairs: readonly string[], timers: ManualTimers) {
  const ticks = keptTicks();
  const log = keptLog();
  const source = new SupervisedSource({
    name: 'feed',
    transport: webSocketTransport({ format, url, key: () => KEY, pairs, timers }),
    clock: { now: () => AT + timers.now() },
    realClock: { now: () => AT },
    logger: log.logger,
    silenceMs: WEBSOCKET_SILENCE_MS,
    quietMs: format.quietSeconds * 1000,
    timers,
  });
  source.start(ticks.sink);
  return { source, ticks: ticks.lines, log };
}

const status = (name: string) => JSON.stringify([{ ev: 'status', status: name, message: `it is ${name}` }]);

/** As Massive answers: one reply to each message. */
function massiveServer(prices: readonly string[]): Talk {
  return (socket, received) => {
    const replies = [[status('connected')], [status('auth_success')], [status('success'), ...prices]];
    for (const reply of replies[received.length] ?? []) socket.send(reply);
  };
}

describe('Massive', () => {
  test('authenticates, then subscribes, then reads prices digit for digit', async (t) => {
    const { source, ticks, received } = await feed(t, {
      format: massive,
      talk: massiveServer([
        `[{"ev":"C","p":"EUR/USD","x":44,"a":1.17030,"b":1.1702,"t":${AT}},{"ev":"C","p":"USD-JPY","a":150.100,"b":150.09,"t":${AT}}]`,
        `{"ev":"C","p":"EURUSD","a":1.170300000001,"b":1.17,"t":${AT}}`,
      ]),
    });
    await eventually(() => ticks.length === 3, 'three ticks');
    assert.deepEqual(received, [
      `{"action":"auth","params":"${KEY}"}`,
      '{"action":"subscribe","params":"C.EUR-USD,C.USD-JPY"}',
    ]);
    assert.deepEqual(ticks, [
      `EURUSD 1.1702 1.17030 ${AT} feed`,
      `USDJPY 150.09 150.100 ${AT} feed`,
      `EURUSD 1.17 1.170300000001 ${AT} feed`,
    ]);
    assert.equal(source.health().skippedLines, 0);
  });

  test('a key that is refused is not tried again at once, and appears nowhere', async (t) => {
    const { source, timers, log, sockets } = await feed(t, {
      format: massive,
      talk: (socket, received) => {
        if (received.length > 0) socket.send(status('auth_failed').replace('it is', `${KEY} is`));
      },
    });
    await eventually(() => source.health().error !== undefined, 'the refusal');
    assert.match(source.health().error ?? '', /^the vendor refuses the key: .*auth_failed/);
    timers.advance(899_999);
    assert.equal(sockets.length, 1);
    assert.ok(!log.text().includes(KEY) && !JSON.stringify(source.health()).includes(KEY));
    timers.advance(60_000);
    await eventually(() => sockets.length === 2, 'a second attempt');
  });

  test('too many connections is a reason to wait', async (t) => {
    const { source } = await feed(t, {
      format: massive,
      talk: (socket) => socket.send(status('max_connections')),
    });
    await eventually(() => source.health().error !== undefined, 'the pause');
    assert.match(source.health().error ?? '', /^the vendor asks for a pause/);
  });
});

describe('TraderMade', () => {
  test('sends its key with the symbols, survives a greeting, reads numbers exactly', async (t) => {
    const { source, ticks, received } = await feed(t, {
      format: tradermade,
      talk: (socket, messages) => {
        if (messages.length === 0) socket.send('Connected');
        else socket.send(`{"symbol":"EURUSD","ts":"${AT}","bid":1.08480,"ask":1.0849400,"mid":1.08487}`);
      },
    });
    await eventually(() => ticks.length === 1, 'a tick');
    assert.deepEqual(received, [`{"userKey":"${KEY}","symbol":"EURUSD,USDJPY"}`]);
    assert.deepEqual(ticks, [`EURUSD 1.08480 1.0849400 ${AT} feed`]);
    assert.equal(source.health().skippedLines, 0);
  });

  test('bad news about the key comes as plain text', async (t) => {
    const { source } = await feed(t, {
      format: tradermade,
      talk: (socket) => socket.send('User Key Used to many times'),
    });
    await eventually(() => source.health().error !== undefined, 'the refusal');
    assert.match(source.health().error ?? '', /^the vendor refuses the key: User Key/);
  });
});

test('messages that cannot be read cost themselves only', async (t) => {
  const good = `{"ev":"C","p":"EUR/USD","a":1.2,"b":1.1,"t":${AT}}`;
  const bad = [
    'rubbish',
    '{"ev":"C"',
    '[1,"text",null]',
    `[{"ev":"C","p":"GBP/USD","a":1.2,"b":1.1,"t":${AT}},${good}]`,
    `{"ev":"C","p":"USD/EUR","a":1.2,"b":1.1,"t":${AT}}`,
    `{"ev":"C","p":"EUR/USD","a":12e-1,"b":1.1,"t":${AT}}`,
    `{"ev":"C","p":"EUR/USD","a":[1.2],"b":1.1,"t":${AT}}`,
    `{"ev":"C","p":"EUR/USD","b":1.1,"t":${AT}}`,
    `{"ev":"C","p":"EUR/USD","a":1.2,"b":1.1}`,
    `{"ev":"C","p":"EUR/USD","a":1.2,"b":1.1,"t":${AT / 1000}}`,
    `{"__proto__":{"ev":"C"},"p":"EUR/USD","a":1.2,"b":1.1,"t":${AT}}`,
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  ];
  const { source, ticks } = await feed(t, {
    format: massive,
    talk: massiveServer([...bad, `{"ev":"C","p":"EUR/USD","a":null,"b":1.1,"t":${AT}}`, good]),
  });
  await eventually(() => ticks.length === 2, 'two ticks');
  const { skippedLines, untradable, state } = source.health();
  // The list of three counts three times; what has an inherited mark only is no price but some other message.
  assert.deepEqual([skippedLines, untradable, state], [bad.length + 1, 1, 'running']);
});

describe('supervision', () => {
  test('a peer that answers no ping is given up', async (t) => {
    const { source, timers, sockets } = await feed(t, {
      format: massive,
      autoPong: false,
      talk: massiveServer([]),
    });
    await eventually(() => source.health().state === 'running', 'connected');
    timers.advance(14_999);
    assert.equal(source.health().state, 'running');
    timers.advance(1);
    assert.equal(source.health().error, 'nothing received for 15000 ms');
    await eventually(() => sockets[0]?.readyState === 3, 'the old connection is closed');
    timers.advance(500);
    await eventually(() => sockets.length === 2, 'connected anew');
  });

  test('a peer that answers pings and sends no prices is kept for two minutes', async (t) => {
    const { source, timers } = await feed(t, { format: massive, talk: massiveServer([]) });
    await eventually(() => source.health().state === 'running', 'connected');
    for (let seconds = 5; seconds < 120; seconds += 5) {
      timers.advance(5_000);
      await eventually(
        () => source.health().lastHeartbeatAt === AT + timers.now(),
        `a pong after ${seconds} s`,
      );
    }
    assert.equal(source.health().state, 'running');
    timers.advance(5_000);
    assert.equal(source.health().error, 'no price received for 120000 ms');
  });

  test('a frame over the limit is skipped, and what follows it is read on the same connection', async (t) => {
    const price = `{"ev":"C","p":"EURUSD","a":1.1703,"b":1.1702,"t":${AT}}`;
    const { source, ticks, sockets } = await feed(t, { format: massive, talk: massiveServer([]) });
    await eventually(() => source.health().state === 'running', 'connected');
    sockets[0]?.send(`[${price},"${'x'.repeat(4 * 1024 * 1024)}"]`);
    sockets[0]?.send(price);
    await eventually(() => ticks.length > 0, 'the price after it');
    const { state, skippedLines, lastSkipReason, reconnects } = source.health();
    assert.deepEqual([state, skippedLines, lastSkipReason, reconnects], ['running', 1, 'frame too long', 0]);
    assert.equal(ticks.length, 1);
  });

  test('a frame without measure ends the connection', async (t) => {
    const { source, ticks } = await feed(t, {
      format: massive,
      talk: massiveServer([`"${'x'.repeat(16 * 1024 * 1024)}"`]),
    });
    await eventually(() => source.health().error !== undefined, 'the frame is refused');
    assert.match(source.health().error ?? '', /WS_ERR_UNSUPPORTED_MESSAGE_LENGTH/);
    assert.deepEqual(ticks, []);
  });

  test('a peer that goes away is come back to, one that turns us away is left alone', async (t) => {
    const { source, timers, sockets } = await feed(t, { format: massive, talk: massiveServer([]) });
    await eventually(() => source.health().state === 'running', 'connected');
    sockets[0]?.close(1001);
    await eventually(() => source.health().error !== undefined, 'the close is seen');
    assert.equal(source.health().error, 'the connection was closed with code 1001');
    timers.advance(500);
    await eventually(() => source.health().state === 'running', 'connected again');
    sockets[1]?.close(1008);
    await eventually(() => source.health().error?.endsWith('1008') === true, 'the close is seen');
    timers.advance(899_999);
    assert.equal(sockets.length, 2);
  });

  test('a peer that speaks HTTP only', async (t) => {
    const server = createServer((_request, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { source } = sourceOn(`ws://127.0.0.1:${port}`, massive, ['EURUSD'], new ManualTimers());
    t.after(async () => {
      await source.stop();
      server.close();
    });
    await eventually(() => source.health().error !== undefined, 'the refusal');
    assert.equal(source.health().error, 'the vendor refuses the credentials (status 401)');
  });
});

test('a key in the address is written as an address wants it, and is not told', async (t) => {
  let asked: string | undefined;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (_socket, request) => {
    asked = request.url;
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const source = new SupervisedSource({
    name: 'feed',
    transport: webSocketTransport({
      format: { ...massive, url: `ws://127.0.0.1:${port}/?token={key}`, steps: [] },
      key: () => 'a b&c',
      pairs: ['EURUSD'],
    }),
    clock: { now: () => AT },
    logger: keptLog().logger,
    silenceMs: WEBSOCKET_SILENCE_MS,
    timers: new ManualTimers(),
  });
  t.after(async () => {
    await source.stop();
    server.close();
  });
  source.start(() => 'accepted');
  await eventually(() => source.health().state === 'running', 'connected');
  assert.equal(asked, '/?token=a%20b%26c');
});
