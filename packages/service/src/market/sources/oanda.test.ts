import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { OANDA_SILENCE_MS, oandaTransport } from './oanda.ts';
import { readOandaLine } from './oanda-messages.ts';
import { SupervisedSource } from './supervised-source.ts';
import { eventually, keptLog, keptTicks, ManualTimers } from './test-support.ts';

const STAMP = '2026-03-04T14:30:00.112345678Z';
const AT = Date.UTC(2026, 2, 4, 14, 30, 0, 112);
const TOKEN = 'a-token-that-nobody-may-see';

function priceLine(change: Record<string, unknown> = {}): string {
  return `${JSON.stringify({
    type: 'PRICE',
    time: STAMP,
    instrument: 'EUR_USD',
    tradeable: true,
    bids: [
      { price: '1.08480', liquidity: 10000000 },
      { price: '1.08470', liquidity: 20000000 },
    ],
    asks: [
      { price: '1.08494', liquidity: 10000000 },
      { price: '1.08500', liquidity: 20000000 },
    ],
    closeoutBid: '1.08460',
    closeoutAsk: '1.08510',
    ...change,
  })}\n`;
}

const HEARTBEAT = `{"type":"HEARTBEAT","time":"${STAMP}"}\n`;
const TICK = `EURUSD 1.08480 1.08494 ${AT} oanda`;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers as the test says, and a source on it. */
async function connected(t: TestContext, answer: Answer) {
  const requests: IncomingMessage[] = [];
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    open.push(response);
    answer(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timers = new ManualTimers();
  const ticks = keptTicks();
  const log = keptLog();
  const { port } = server.address() as AddressInfo;
  const source = new SupervisedSource({
    name: 'oanda',
    transport: oandaTransport({
      baseUrl: `http://127.0.0.1:${port}`,
      account: '001-001-1234567-001',
      token: () => TOKEN,
      pairs: ['EURUSD', 'USDJPY'],
    }),
    clock: { now: () => AT + 80 },
    realClock: { now: () => AT + 80 },
    logger: log.logger,
    silenceMs: OANDA_SILENCE_MS,
    timers,
  });
  t.after(async () => {
    await source.stop();
    server.closeAllConnections();
    server.close();
  });
  source.start(ticks.sink);
  return { source, timers, ticks: ticks.lines, log, requests, open };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).flushHeaders();
}

test('asks for its pairs with the token in the header, and reads prices and heartbeats', async (t) => {
  const { source, ticks, requests } = await connected(t, (response) => {
    begin(response);
    response.write(HEARTBEAT + priceLine() + priceLine({ instrument: 'USD_JPY' }));
  });
  await eventually(() => ticks.length === 2, 'two ticks');
  const [request] = requests;
  assert.equal(request?.url, '/v3/accounts/001-001-1234567-001/pricing/stream?instruments=EUR_USD%2CUSD_JPY');
  assert.equal(request?.headers.authorization, `Bearer ${TOKEN}`);
  assert.deepEqual(ticks, [TICK, `USDJPY 1.08480 1.08494 ${AT} oanda`]);
  const { state, lastDelayMs, skippedLines, untradable } = source.health();
  assert.deepEqual([state, lastDelayMs, skippedLines, untradable], ['running', 80, 0, 0]);
});

test('lines cut anywhere, inside a character too, are whole again', async (t) => {
  const bytes = Buffer.from(`{"type":"HEARTBEAT","time":"é€😀"}\n${priceLine({ venue: 'Zürich €😀' })}`);
  const { source, ticks } = await connected(t, async (response) => {
    begin(response);
    for (const byte of bytes) {
      if (!response.write(Buffer.of(byte))) await once(response, 'drain');
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await eventually(() => ticks.length === 1, 'a tick');
  assert.deepEqual(ticks, [TICK]);
  assert.equal(source.health().skippedLines, 0);
});

test('garbage is skipped and counted, and what follows it is read', async (t) => {
  const lines = ['nonsense', '[1]', '"text"', 'null', '{"type":"PRICE"', '{"type":"NEWS"}', '\xff\xfe'];
  const { source, ticks } = await connected(t, (response) => {
    begin(response);
    response.write(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
    response.write(`${'x'.repeat(70_000)}\n${priceLine()}`);
  });
  await eventually(() => ticks.length === 1, 'a tick');
  const { state, skippedLines, lastSkipReason } = source.health();
  assert.deepEqual([state, skippedLines, lastSkipReason], ['running', lines.length + 1, 'line too long']);
});

test('a line of many megabytes is skipped, and what follows it is read on the same connection', async (t) => {
  const { source, ticks, requests } = await connected(t, (response) => {
    begin(response);
    response.write(priceLine());
    response.write(`${'x'.repeat(8 * 1024 * 1024)}\n${priceLine()}`);
  });
  await eventually(() => ticks.length === 2, 'the price after it');
  const { state, skippedLines, lastSkipReason } = source.health();
  assert.deepEqual([state, skippedLines, lastSkipReason], ['running', 1, 'line too long']);
  assert.equal(requests.length, 1);
});

test('a line that has no end is no sign of life: the connection is left, and nothing of it is held', async (t) => {
  let sent = 0;
  const { source, timers } = await connected(t, (response) => {
    begin(response);
    const more = (): void => {
      while (!response.destroyed && sent < 64 * 1024 * 1024) {
        sent += 65_536;
        if (!response.write('x'.repeat(65_536))) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  await eventually(() => sent > 4 * 1024 * 1024, 'a long line');
  assert.equal(source.health().state, 'running');
  timers.advance(OANDA_SILENCE_MS);
  assert.equal(source.health().error, 'nothing received for 10000 ms');
  assert.ok(sent < 64 * 1024 * 1024);
});

test('a stream that stalls is given up after ten seconds and made anew', async (t) => {
  const { source, timers, ticks, requests, open } = await connected(t, (response) => {
    begin(response);
    response.write(priceLine());
  });
  await eventually(() => ticks.length === 1, 'a tick');
  timers.advance(9_999);
  assert.equal(source.health().state, 'running');
  timers.advance(1);
  assert.equal(source.health().error, 'nothing received for 10000 ms');
  await eventually(() => open[0]?.destroyed === true, 'the old connection is closed');
  timers.advance(500);
  await eventually(() => ticks.length === 2, 'a tick of the second connection');
  assert.equal(requests.length, 2);
  assert.equal(source.health().reconnects, 1);
});

test('a stream that is dropped or ended is made anew', async (t) => {
  const { source, timers, ticks, open } = await connected(t, (response) => {
    begin(response);
    response.write(priceLine().slice(0, -20));
  });
  await eventually(() => source.health().state === 'running', 'connected');
  open[0]?.destroy();
  await eventually(() => source.health().error !== undefined, 'the drop is seen');
  assert.match(source.health().error ?? '', /^the stream broke off: ECONNRESET$/);
  timers.advance(500);
  await eventually(() => source.health().state === 'running', 'connected again');
  open[1]?.end();
  await eventually(() => source.health().error === 'the vendor ended the stream', 'the end is seen');
  assert.deepEqual(ticks, [], 'half a line is no price');
});

describe('refusals', () => {
  const expected: readonly (readonly [status: number, error: RegExp, pauseMs: number])[] = [
    [401, /refuses the credentials \(status 401\)/, 900_000],
    [403, /refuses the credentials \(status 403\)/, 900_000],
    [400, /status 400/, 900_000],
    [404, /status 404/, 900_000],
    [302, /status 302/, 500],
    [500, /status 500/, 500],
    [429, /pause \(status 429\)/, 60_000],
  ];
  for (const [status, error, pauseMs] of expected) {
    test(`status ${status}`, async (t) => {
      const { source, timers, requests, log } = await connected(t, (response, request) => {
        response.writeHead(status, { Location: '/elsewhere' }).end(JSON.stringify(request.headers));
      });
      await eventually(() => source.health().error !== undefined, 'the refusal is seen');
      assert.match(source.health().error ?? '', error);
      timers.chance = 0;
      timers.advance(pauseMs - 1);
      assert.equal(requests.length, 1, 'not asked again so soon');
      timers.advance(60_000);
      await eventually(() => requests.length === 2, 'asked again');
      assert.ok(
        requests.every(({ url }) => url !== '/elsewhere'),
        'no redirection is followed',
      );
      assert.ok(!log.text().includes(TOKEN) && !JSON.stringify(source.health()).includes(TOKEN));
    });
  }
});

test('nobody there is no fault of the service', async (t) => {
  const { source, timers } = await connected(t, (response) => response.destroy());
  await eventually(() => source.health().error !== undefined, 'the failure is seen');
  assert.match(source.health().error ?? '', /^the connection failed: ECONNRESET$/);
  assert.equal(source.health().state, 'connecting');
  assert.ok(timers.pending > 0);
});

describe('one line', () => {
  const pairs = new Map([['EUR_USD', 'EURUSD']]);
  const read = (text: string) => readOandaLine(Buffer.from(text), pairs);
  const cases: readonly (readonly [name: string, change: Record<string, unknown>, result: string])[] = [
    ['not tradeable', { tradeable: false }, 'untradable'],
    [
      'not tradeable, as older streams say it',
      { tradeable: undefined, status: 'non-tradeable' },
      'untradable',
    ],
    ['no bid', { bids: [] }, 'untradable'],
    ['no offer', { asks: [] }, 'untradable'],
    ['no ladder', { bids: undefined }, 'no ladder'],
    ['an instrument that was not asked for', { instrument: 'GBP_USD' }, 'unknown instrument'],
    ['the other order', { instrument: 'USD_EUR' }, 'unknown instrument'],
    ['an inherited name', { instrument: 'constructor' }, 'unknown instrument'],
    ['a number for a price', { bids: [{ price: 1.0848 }] }, 'not a price'],
    ['a price in other notation', { bids: [{ price: '1.0848e0' }] }, 'not a price'],
    ['an endless price', { bids: [{ price: `1.${'0'.repeat(60)}` }] }, 'not a price'],
    ['no price in the ladder', { asks: [null] }, 'not a price'],
    ['no time', { time: undefined }, 'not a time'],
    ['the time of another epoch', { time: '1970-01-01T00:00:00Z' }, 'not a time'],
    ['a status of old', { tradeable: undefined, status: 'tradeable' }, 'price'],
  ];
  for (const [name, change, result] of cases) {
    test(name, () => {
      const message = read(priceLine(change));
      assert.equal(message.type === 'unreadable' ? message.reason : message.type, result);
    });
  }

  test('whatever comes is judged, never thrown', () => {
    const fields = fc.record(
      {
        type: fc.constantFrom('PRICE', 'HEARTBEAT'),
        instrument: fc.constantFrom('EUR_USD', '__proto__'),
        bids: fc.oneof(fc.jsonValue(), fc.array(fc.record({ price: fc.oneof(fc.string(), fc.double()) }))),
        asks: fc.constant([{ price: '1.1' }]),
        time: fc.oneof(fc.string(), fc.constant(STAMP)),
      },
      { requiredKeys: [] },
    );
    const line = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.oneof(fc.jsonValue(), fields).map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(line, (bytes) => {
        const message = readOandaLine(bytes, pairs);
        if (message.type === 'price') assert.equal(message.price.stamp, AT);
      }),
    );
  });
});
