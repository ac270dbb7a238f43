import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError, loadConfig } from '../../config.ts';
import { createLogger } from '../../platform/logger.ts';
import type { GatewayProcess, SessionOwner } from '../fix/gateway-process.ts';
import type { FixSessionSettings, ServiceLine, StatusLine } from '../fix/protocol.ts';
import { TEST_SESSION } from '../fix/test-settings.ts';
import { QuoteRefusedError } from '../fix/venue.ts';
import type { Tick } from '../rate-book.ts';
import { FixSource } from './fix.ts';
import { createSources } from './from-config.ts';

const STATUS: StatusLine = {
  type: 'status',
  session: 'lp',
  state: 'up',
  logons: 1,
  nextSent: 3,
  nextReceived: 3,
  refused: {},
  conflated: 0,
};

function open() {
  const sent: ServiceLine[] = [];
  const ticks: Tick[] = [];
  const logged: string[] = [];
  const times = { business: 1_000_000, real: 50_000 };
  let isRunning = true;
  let attached: SessionOwner | undefined;
  const gateway = {
    attach: (_settings: FixSessionSettings, owner: SessionOwner) => {
      attached = owner;
    },
    detach: async () => {
      attached = undefined;
    },
    send: (line: ServiceLine) => {
      sent.push(line);
      return isRunning;
    },
  } as unknown as GatewayProcess;
  const source = new FixSource({
    settings: TEST_SESSION,
    gateway,
    clock: { now: () => times.business },
    realClock: { now: () => times.real },
    logger: createLogger('info', { write: (text: string) => logged.push(text) }),
  });
  const gone: string[] = [];
  source.start(
    (tick) => ticks.push(tick),
    (pair = 'all') => {
      gone.push(pair);
      return [];
    },
  );
  return {
    gone,
    source,
    sent,
    ticks,
    logged,
    times,
    isAttached: () => attached !== undefined,
    endGateway: () => {
      isRunning = false;
    },
    tick: (bid: string, sentAt: number, pair = 'EURUSD') =>
      source.line({ type: 'tick', session: 'lp', pair, bid, ask: '1.2000', sentAt }),
  };
}

test('a tick is exact, and as old as its message', () => {
  const { ticks, tick, times } = open();
  tick('1.1000', times.real - 300);
  assert.deepEqual(ticks, [
    {
      pair: 'EURUSD',
      bid: { units: 11_000n, scale: 4 },
      ask: { units: 12_000n, scale: 4 },
      at: times.business - 300,
      source: 'fix:lp',
    },
  ]);
});

test('a price ends with the word of the venue, with the session and with the gateway', async () => {
  const { source, tick, times, gone, ticks } = open();
  source.status(STATUS);
  tick('1.1000', times.real);
  source.line({ type: 'gone', session: 'lp', pair: 'EURUSD' });
  assert.deepEqual(gone, ['EURUSD']);
  await source.refresh();
  assert.equal(ticks.length, 1, 'a moved clock brings it not back');
  source.status({ ...STATUS, state: 'waiting', error: 'logged out by the venue' });
  assert.deepEqual(gone, ['EURUSD', 'all']);
  source.status({ ...STATUS, state: 'connecting' });
  assert.deepEqual(gone, ['EURUSD', 'all'], 'once');
  source.status(STATUS);
  source.lost('it died');
  assert.deepEqual(gone, ['EURUSD', 'all', 'all']);
  tick('no number', times.real);
  assert.deepEqual(gone.at(-1), 'EURUSD', 'nobody knows what the venue has now');
});

test('a venue whose clock is ahead makes no price of the future', () => {
  const { ticks, tick, times } = open();
  tick('1.1', times.real + 900);
  assert.equal(ticks[0]?.at, times.business);
});

test('the jitter of two clocks makes no price older than the one before, real disorder does', () => {
  const { ticks, tick, times } = open();
  tick('1.1', times.real - 100);
  times.real += 3;
  tick('1.11', times.real - 103);
  tick('1.12', times.real - 200);
  assert.deepEqual(
    ticks.map(({ at }) => times.business - at),
    [100, 100, 200],
  );
});

test('after a move of the clock the last prices are as old as they really are', async () => {
  const { source, ticks, tick, times } = open();
  tick('1.1', times.real - 100);
  times.business += 3_600_000;
  times.real += 400;
  await source.refresh();
  assert.equal(ticks.length, 2);
  assert.equal(times.business - (ticks[1]?.at ?? 0), 500);
});

test('what is no tick is counted and left out', () => {
  const { source, ticks, tick, times } = open();
  for (const bid of ['1.1e3', '', '1,1']) tick(bid, times.real);
  tick('1.1', times.real, 'GBPUSD');
  tick('1.1', Number.NaN);
  assert.deepEqual(ticks, []);
  assert.equal(source.health().skippedLines, 5);
});

test('health tells why there are no prices, until the session is up', () => {
  const { source, tick, times } = open();
  assert.deepEqual(source.health(), { state: 'connecting', ticks: 0 });
  source.status({ ...STATUS, state: 'waiting', error: 'logged out by the venue: wrong password' });
  assert.equal(source.health().state, 'connecting');
  assert.equal(source.health().error, 'logged out by the venue: wrong password');
  source.status({ ...STATUS, logons: 3, refused: { stale: 2 } });
  tick('1.1', times.real - 40);
  assert.deepEqual(source.health(), {
    state: 'running',
    ticks: 1,
    lastTickAt: times.business - 40,
    lastDelayMs: 40,
    connectedSince: times.business,
    reconnects: 2,
    refused: { stale: 2 },
    conflated: 0,
    nextSent: 3,
    nextReceived: 3,
  });
  source.lost('the FIX gateway: gone');
  assert.equal(source.health().error, 'the FIX gateway: gone');
  assert.deepEqual([source.health().state, source.health().connectedSince], ['connecting', undefined]);
});

test('a complaint of the venue is logged once, and each change of state', () => {
  const { source, logged } = open();
  const complaint = { ...STATUS, error: 'market data of EURUSD refused: no' };
  for (const status of [STATUS, STATUS, complaint, complaint, { ...STATUS, state: 'waiting' } as const]) {
    source.status(status);
  }
  assert.deepEqual(
    logged.map((text) => JSON.parse(text)).map(({ level, state, reason }) => [level, state, reason]),
    [
      ['info', 'up', undefined],
      ['warn', 'up', 'market data of EURUSD refused: no'],
      ['warn', 'waiting', undefined],
    ],
  );
});

test('it stops with its session', async () => {
  const { source, isAttached, tick, ticks, times } = open();
  assert.throws(() => source.start(() => {}), /runs already/);
  await source.stop();
  assert.equal(isAttached(), false);
  tick('1.1', times.real);
  assert.deepEqual([ticks, source.health().state], [[], 'stopped']);
  source.start(() => {});
  assert.deepEqual([isAttached(), source.health().state], [true, 'connecting']);
});

test('quotes: the first answer, a refusal, a lost gateway', async () => {
  const { source, sent, endGateway } = open();
  const query = { pair: 'EURUSD', quantity: '1000.00' };
  const first = source.venue.requestQuote({ ...query, id: 'q1' });
  assert.deepEqual(sent, [{ type: 'requestQuote', session: 'lp', query: { ...query, id: 'q1' } }]);
  source.line({
    type: 'quote',
    session: 'lp',
    id: 'q1',
    quoteId: 'Q',
    pair: 'EURUSD',
    bid: '1.1',
    ask: '1.2',
  });
  assert.equal((await first).quoteId, 'Q');
  const refused = source.venue.requestQuote({ ...query, id: 'q2' });
  await assert.rejects(source.venue.requestQuote({ ...query, id: 'q2' }), /under way/);
  source.line({ type: 'quoteRefused', session: 'lp', id: 'q2', reason: 'no' });
  await assert.rejects(refused, QuoteRefusedError);
  const lost = source.venue.requestQuote({ ...query, id: 'q3' });
  source.lost('gone');
  await assert.rejects(lost, /gone/);
  endGateway();
  await assert.rejects(source.venue.requestQuote({ ...query, id: 'q4' }), /not running/);
});

test('orders: told until they are over, and unknown when the gateway is lost', () => {
  const { source, endGateway, logged } = open();
  const updates: string[] = [];
  const place = (id: string) =>
    source.venue.placeOrder(
      { id, pair: 'EURUSD', side: 'buy', quantity: '1', type: 'market', timeInForce: 'fillOrKill' },
      (update) => updates.push(`${update.id} ${update.type === 'execution' ? update.status : update.type}`),
    );
  const report = (id: string, status: 'partiallyFilled' | 'filled') =>
    source.line({
      type: 'execution',
      session: 'lp',
      id,
      orderId: 'O',
      executionId: status,
      status,
      filledQuantity: '1',
      remainingQuantity: '0',
      possibleDuplicate: false,
    });
  place('o1');
  place('o1');
  report('o1', 'partiallyFilled');
  report('o1', 'filled');
  report('o1', 'filled');
  assert.match(logged.at(-1) ?? '', /"executionId":"filled".*unexpected execution report/);
  place('o2');
  source.lost('gone');
  endGateway();
  place('o3');
  assert.deepEqual(updates, [
    'o1 orderRefused',
    'o1 partiallyFilled',
    'o1 filled',
    'o2 orderUnknown',
    'o3 orderRefused',
  ]);
});

function sessionFile(t: TestContext): { readonly file: string; readonly dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'fix-source-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const file = join(dataDir, 'fix.json');
  const session = { host: 'h', port: 1, tls: false, senderCompId: 'a', targetCompId: 'b', pairs: ['EURUSD'] };
  writeFileSync(file, JSON.stringify({ sessions: { lp: session } }));
  return { file, dataDir };
}

test('wrong settings are refused with one line', (t) => {
  const { file, dataDir } = sessionFile(t);
  const create = (text: string, sessions: string | undefined) => () =>
    createSources(text, {
      clock: { now: () => 0 },
      seed: 1,
      logger: createLogger('silent'),
      feeds: loadConfig({}).feeds,
      fix: { file: sessions, dataDir, secret: () => undefined },
    });
  const wrong: readonly (readonly [() => unknown, RegExp])[] = [
    [create('fix:lp', undefined), /FIRMQUOTE_FIX_SESSIONS must name the session file/],
    [create('fix:other', file), /has no session "other"/],
    [create('fix:lp,fix:lp', file), /names fix:lp twice/],
    [create('fix:LP', file), /the session after fix:/],
    [create('fix:', file), /the session after fix:/],
    [create('fix:lp', join(dataDir, 'none')), /cannot be read/],
  ];
  for (const [attempt, message] of wrong) {
    assert.throws(attempt, (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, message);
      return !error.message.includes('\n');
    });
  }
});
