import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, test } from 'node:test';
import type { IMarketDataRequest, INewOrderSingle } from 'jspurefix/dist/types/FIX4.4/quickfix/index.js';
import type { GatewayLine } from '../../service/src/market/fix/protocol.ts';
import { Backoff } from './backoff.ts';
import { SessionId } from './library.ts';
import { BACKLOG_MAX, LineWriter, readLines } from './lines.ts';
import type { Outbound } from './outbound.ts';
import { RESENT_MAX, RESENT_MS_MAX, RecentlySent } from './recently-sent.ts';
import { ReportedPrices } from './reported-prices.ts';
import { problemOf } from './request-checks.ts';
import { JUMP, SequenceFile, SequenceFileError, SequenceStore } from './sequence-store.ts';
import { settings, temporaryFolder } from './testing/harness.ts';
import { sequencePath } from './venue.ts';

describe('sequence numbers', () => {
  test('outlive the process; they jump when it did not close its file', (t) => {
    const path = join(temporaryFolder(t), 'deep', 'lp.seq');
    const first = new SequenceFile(path);
    first.open();
    assert.deepEqual([first.nextSent, first.nextReceived], [1, 1]);
    first.set(12, 34);
    // As if killed: not closed.
    const second = new SequenceFile(path);
    second.open();
    assert.deepEqual([second.nextSent, second.nextReceived], [12 + JUMP, 34]);
    second.set(113, 35);
    second.close();
    const third = new SequenceFile(path);
    third.open();
    assert.deepEqual([third.nextSent, third.nextReceived], [113, 35]);
    third.close();
    first.close();
  });

  test('never go back but by a reset, whatever the library says after a gap fill', async (t) => {
    const file = new SequenceFile(join(temporaryFolder(t), 'lp.seq'));
    const store = new SequenceStore(new SessionId('FIX.4.4', 'US', 'LP'), file);
    await store.initialize();
    await store.setSenderSeqNum(40);
    await store.setTargetSeqNum(50);
    await store.setSenderSeqNum(7);
    assert.deepEqual([file.nextSent, file.nextReceived], [40, 50]);
    await store.reset();
    assert.deepEqual([file.nextSent, file.nextReceived], [1, 1]);
    file.close();
  });

  test('a file with something else in it is refused, not written over', (t) => {
    const path = join(temporaryFolder(t), 'lp.seq');
    writeFileSync(path, 'precious');
    assert.throws(() => new SequenceFile(path).open(), SequenceFileError);
    assert.equal(readFileSync(path, 'utf8'), 'precious');
  });

  test('two sessions never share a file, and no name leads out of the folder', () => {
    const paths = [
      settings(1),
      settings(1, { name: 'other' }),
      settings(1, { targetCompId: '../../etc' }),
      settings(1, { senderCompId: 'a-b', targetCompId: 'c' }),
    ].map((session) => sequencePath('/data/fix', session));
    assert.equal(new Set(paths).size, paths.length);
    for (const path of paths) assert.match(path, /^\/data\/fix\/[^/]+$/);
  });
});

test('pauses double up to their limit, with jitter in the upper half; a refusal pauses longer', () => {
  const shortest = new Backoff({ random: () => 0 });
  const longest = new Backoff({ random: () => 1 });
  assert.deepEqual(
    [1, 2, 3].map(() => shortest.next('lost')),
    [125, 250, 500],
  );
  assert.deepEqual(
    [1, 2, 3].map(() => longest.next('lost')),
    [250, 500, 1_000],
  );
  for (let index = 0; index < 40; index++) assert.ok(longest.next('lost') <= 15_000);
  assert.equal(longest.next('refused'), 5_000);
  longest.reset();
  assert.equal(longest.next('lost'), 250);
});

test('only what was sent in the last moments is sent again', () => {
  const sent = new RecentlySent();
  for (let sequence = 1; sequence <= 5; sequence++)
    sent.add({ sequence, type: 'V', body: {}, at: sequence * 1_000 });
  const now = 3_000 + RESENT_MS_MAX;
  assert.deepEqual(
    sent.recent(2, 5, now).map(({ sequence }) => sequence),
    [3, 4],
  );
  for (let sequence = 6; sequence < 6 + RESENT_MAX * 3; sequence++)
    sent.add({ sequence, type: 'V', body: {}, at: now });
  assert.equal(sent.recent(1, Number.MAX_SAFE_INTEGER, now).length, RESENT_MAX);
});

describe('lines', () => {
  const tick = (pair: string, bid: string): GatewayLine => ({
    type: 'tick',
    session: 'lp',
    pair,
    bid,
    ask: '2',
    sentAt: 1,
  });

  test('a slow reader gets the newest price of each pair, and every other line', async () => {
    const written: string[] = [];
    let release: (() => void) | undefined;
    const slow = new Writable({
      highWaterMark: 1,
      decodeStrings: false,
      write(text: string, _encoding, done) {
        written.push(text);
        release = done;
      },
    });
    const writer = new LineWriter(slow, () => assert.fail('overflow'));
    writer.write({ type: 'ready' });
    for (const bid of ['1.1', '1.2', '1.3']) writer.write(tick('EURUSD', bid));
    writer.write(tick('USDJPY', '155'));
    writer.write({ type: 'quoteRefused', session: 'lp', id: 'q', reason: 'no' });
    for (let turns = 0; turns < 20; turns++) {
      const next = release;
      release = undefined;
      next?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const lines = written.map((text) => JSON.parse(text) as GatewayLine);
    assert.deepEqual(
      lines.map((line) => (line.type === 'tick' ? `${line.pair} ${line.bid}` : line.type)),
      ['ready', 'quoteRefused', 'EURUSD 1.3', 'USDJPY 155'],
    );
    assert.equal(writer.conflated, 2);
  });

  test('no price waits for a slow reader that was taken back meanwhile, or whose session is down', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const writer = new LineWriter(stream, () => assert.fail('overflow'));
    writer.write({ type: 'ready' });
    writer.write(tick('EURUSD', '1.1'));
    writer.write({ type: 'gone', session: 'lp', pair: 'EURUSD' });
    writer.write(tick('USDJPY', '155'));
    writer.write({ type: 'gone', session: 'lp', pair: 'USDJPY' });
    writer.write(tick('USDJPY', '156'));
    const down = { type: 'status', state: 'waiting', logons: 1, nextSent: 1, nextReceived: 1 } as const;
    const other = {
      type: 'tick',
      session: 'other',
      pair: 'EURUSD',
      bid: '1.1',
      ask: '1.2',
      sentAt: 0,
    } as const;
    writer.write(other);
    writer.write({ ...down, session: 'other', refused: {}, conflated: 0 });
    const lines: GatewayLine[] = [];
    stream.on('data', (text) => lines.push(JSON.parse(String(text)) as GatewayLine));
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      lines.map((line) => ('pair' in line ? `${line.pair} ${line.type}` : line.type)),
      ['ready', 'status', 'EURUSD gone', 'USDJPY tick'],
    );
  });

  test('a reader that never reads is told apart from a slow one', () => {
    let overflows = 0;
    const writer = new LineWriter(new Writable({ highWaterMark: 1, write() {} }), () => overflows++);
    for (let index = 0; index < BACKLOG_MAX + 2; index++) writer.write({ type: 'ready' });
    assert.equal(overflows, 1);
  });

  test('lines are found however they are cut, and an endless one ends it', async () => {
    const stream = new PassThrough();
    const lines: string[] = [];
    const reading = readLines(stream, 20, (line) => lines.push(line));
    for (const part of ['on', 'e\ntwo\nth', 'ree\n']) stream.write(part);
    stream.end('x'.repeat(21));
    await assert.rejects(reading, /more than 20 characters/);
    assert.deepEqual(lines, ['one', 'two', 'three']);
  });
});

test('requests that would break out of their fields, or make no sense, are not sent', () => {
  const request = { id: 'o1', pair: 'EURUSD', quantity: '1000.00' };
  assert.equal(problemOf(request), undefined);
  assert.equal(problemOf({ ...request, price: '1.10', quoteId: 'Q/1-2' }), undefined);
  const wrong = [
    { id: '' },
    { id: 'a\u0001b' },
    { id: 'x'.repeat(65) },
    { quoteId: 'a b' },
    { pair: 'EUR/USD' },
    { quantity: '0' },
    { quantity: '-1' },
    { quantity: '1e6' },
    { quantity: '1\u000155=X' },
    { price: '1,1' },
    { price: '0.00' },
  ];
  for (const one of wrong)
    assert.match(problemOf({ ...request, ...one }) ?? '', /must be/, JSON.stringify(one));
});

test('the compiler sees a group at a wrong level, and a price that is a number', () => {
  const instrument = { Instrument: { Symbol: 'EUR/USD' } };
  const right: Outbound<IMarketDataRequest> = { InstrmtMDReqGrp: { NoRelatedSym: [instrument] } };
  // @ts-expect-error: the library would leave it out, and the venue miss it
  const high: Outbound<IMarketDataRequest> = { NoRelatedSym: [instrument] };
  // @ts-expect-error: 1.0850 would be sent as 1.085
  const float: Outbound<INewOrderSingle> = { Price: 1.085 };
  assert.equal([right, high, float].length, 3);
});

test('a quote ends with its time, unless another has taken its place', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reported: string[] = [];
  const prices = new ReportedPrices('lp', (line) => reported.push(line.type));
  const price = { bid: '1.1', ask: '1.2' };
  prices.price('EURUSD', price, 0, 5_000);
  t.mock.timers.tick(4_000);
  prices.price('EURUSD', price, 0, 5_000);
  t.mock.timers.tick(4_999);
  assert.deepEqual(reported, ['tick', 'tick']);
  t.mock.timers.tick(1);
  assert.deepEqual(reported, ['tick', 'tick', 'gone']);
  prices.price('EURUSD', price, 0, 5_000);
  prices.price('EURUSD', price, 0);
  t.mock.timers.tick(9_999);
  prices.price('EURUSD', price, 0, 5_000);
  prices.clear();
  t.mock.timers.tick(9_999);
  assert.equal(reported.filter((type) => type === 'gone').length, 1);
});

test('a price that stands for years is not over at once', async () => {
  const reported: string[] = [];
  const prices = new ReportedPrices('lp', (line) => reported.push(line.type));
  prices.price('EURUSD', { bid: '1.1', ask: '1.2' }, 0, 1_000 * 86_400_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(reported, ['tick']);
});
