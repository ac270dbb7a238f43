import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDecimal } from '@firmquote/fx';
import type { FeedFault } from './back-off.ts';
import type { FeedObserver, FeedTransport, VendorPrice } from './feed.ts';
import { SupervisedSource } from './supervised-source.ts';
import { keptLog, keptTicks, ManualTimers } from './test-support.ts';

const NOW = Date.UTC(2026, 2, 4, 14, 30);
const LOST: FeedFault = { kind: 'lost', text: 'gone' };

function decimal(text: string) {
  const value = parseDecimal(text);
  assert.ok(value);
  return value;
}

function price(stamp: number | undefined = NOW, pair = 'EURUSD'): VendorPrice {
  return { pair, bid: decimal('1.08488'), ask: decimal('1.08494'), stamp };
}

/** A source whose connections are in the test's hands. */
function supervised(options: { quietMs?: number; failing?: boolean; log?: ReturnType<typeof keptLog> } = {}) {
  const timers = new ManualTimers();
  const observers: FeedObserver[] = [];
  let closed = 0;
  const transport: FeedTransport = {
    connect(observer) {
      observers.push(observer);
      if (options.failing) throw Object.assign(new Error('secret words'), { code: 'ENOTFOUND' });
      return { close: () => void closed++ };
    },
  };
  const business = { at: NOW, now: () => business.at };
  const { logger } = options.log ?? keptLog();
  const { quietMs } = options;
  const source = new SupervisedSource({
    name: 'vendor',
    transport,
    clock: business,
    realClock: { now: () => NOW + Math.round(timers.now()) },
    logger,
    silenceMs: 10_000,
    timers,
    ...(quietMs === undefined ? {} : { quietMs }),
  });
  const ticks = keptTicks();
  const newest = (): FeedObserver => {
    const observer = observers.at(-1);
    assert.ok(observer);
    return observer;
  };
  return { source, timers, observers, newest, business, ticks, closed: () => closed };
}

test('connects, hands prices on with exact digits, and tells how it is', () => {
  const { source, newest, ticks, timers } = supervised();
  source.start(ticks.sink);
  assert.equal(source.health().state, 'connecting');
  newest().opened();
  timers.advance(80);
  newest().price(price());
  newest().untradable({ pair: 'USDJPY', stamp: NOW });
  newest().skipped('not JSON');
  assert.deepEqual(ticks.lines, [`EURUSD 1.08488 1.08494 ${NOW - 80} vendor`]);
  assert.deepEqual(source.health(), {
    state: 'running',
    ticks: 1,
    untradable: 1,
    skippedLines: 1,
    reconnects: 0,
    connectedSince: NOW,
    lastHeartbeatAt: NOW,
    lastTickAt: NOW - 80,
    lastDelayMs: 80,
    lastSkipReason: 'not JSON',
  });
});

test('a price without a stamp is as old as its arrival', () => {
  const { source, newest, ticks, business } = supervised();
  business.at = NOW + 3_600_000;
  source.start(ticks.sink);
  newest().opened();
  newest().price({ ...price(), stamp: undefined });
  assert.deepEqual(ticks.lines, [`EURUSD 1.08488 1.08494 ${NOW + 3_600_000} vendor`]);
});

test('after the clock was moved, the newest prices come again, as old as they are', async () => {
  const { source, newest, ticks, business } = supervised();
  source.start(ticks.sink);
  newest().opened();
  newest().price(price(NOW - 5));
  newest().price(price(NOW - 3));
  newest().price(price(NOW - 700, 'GBPUSD'));
  business.at = NOW + 86_400_000;
  ticks.lines.length = 0;
  await source.refresh();
  assert.deepEqual(ticks.lines, [
    `EURUSD 1.08488 1.08494 ${NOW + 86_400_000 - 3} vendor`,
    `GBPUSD 1.08488 1.08494 ${NOW + 86_400_000 - 700} vendor`,
  ]);
});

describe('silence', () => {
  test('without a heartbeat the connection is given up and made anew', () => {
    const { source, newest, observers, timers, ticks, closed } = supervised();
    source.start(ticks.sink);
    newest().opened();
    timers.advance(9_000);
    newest().heartbeat();
    timers.advance(9_999);
    assert.equal(source.health().state, 'running');
    timers.advance(1);
    assert.equal(source.health().state, 'connecting');
    assert.equal(source.health().error, 'nothing received for 10000 ms');
    assert.equal(source.health().nextAttemptAt, NOW + 500);
    assert.equal(closed(), 1);
    timers.advance(500);
    assert.equal(observers.length, 2);
    newest().opened();
    const { state, reconnects, error } = source.health();
    assert.deepEqual([state, reconnects, error], ['running', 1, 'nothing received for 10000 ms']);
  });

  test('skipped lines are no sign of life', () => {
    const { source, newest, timers, ticks } = supervised();
    source.start(ticks.sink);
    newest().opened();
    for (let i = 0; i < 10; i++) {
      timers.advance(1_000);
      newest().skipped('not JSON');
    }
    assert.equal(source.health().state, 'connecting');
    // The tenth came from a connection that was given up already.
    assert.equal(source.health().skippedLines, 9);
  });

  test('heartbeats alone keep it only as long as prices may stay away', () => {
    const { source, newest, timers, ticks } = supervised({ quietMs: 60_000 });
    source.start(ticks.sink);
    newest().opened();
    for (let i = 0; i < 59; i++) {
      timers.advance(1_000);
      newest().heartbeat();
    }
    assert.equal(source.health().state, 'running');
    timers.advance(1_000);
    assert.equal(source.health().error, 'no price received for 60000 ms');
  });

  test('a connection that never gets to its subscription', () => {
    const { source, timers, ticks, closed } = supervised();
    source.start(ticks.sink);
    timers.advance(10_000);
    assert.equal(source.health().error, 'no subscription within 10000 ms');
    assert.equal(closed(), 1);
  });
});

describe('back-off', () => {
  test('grows to a minute, with jitter over the whole, and not below half a second', () => {
    const { source, newest, timers, ticks } = supervised();
    timers.chance = 0.999;
    source.start(ticks.sink);
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      newest().closed(LOST);
      const pause = (source.health().nextAttemptAt ?? 0) - NOW;
      pauses.push(pause);
      timers.advance(pause);
    }
    assert.deepEqual(pauses, [999, 1998, 3996, 7992, 15984, 31968, 59940, 59940, 59940]);
    timers.chance = 0;
    newest().closed(LOST);
    assert.equal((source.health().nextAttemptAt ?? 0) - NOW, 500);
  });

  test('a connection that ends soon does not reset it, one that lasts does', () => {
    const { source, newest, timers, ticks } = supervised();
    timers.chance = 0.999;
    source.start(ticks.sink);
    const flap = (lastsMs: number): number => {
      newest().opened();
      for (let i = 0; i < lastsMs; i += 5_000) {
        timers.advance(5_000);
        newest().price(price());
      }
      newest().closed(LOST);
      const pause = (source.health().nextAttemptAt ?? 0) - NOW;
      timers.advance(pause);
      return pause;
    };
    assert.deepEqual(
      [flap(5_000), flap(5_000), flap(25_000), flap(30_000), flap(0)],
      [999, 1998, 3996, 999, 1998],
    );
  });

  test('a refusal is not asked again for a quarter of an hour, and is told as an error', () => {
    const log = keptLog();
    const { source, newest, observers, timers, ticks } = supervised({ log });
    source.start(ticks.sink);
    for (let i = 1; i <= 4; i++) {
      newest().closed({ kind: 'refused', text: 'the vendor refuses the credentials (status 401)' });
      timers.advance(15 * 60_000);
      assert.equal(observers.length, i);
      // Half of the jitter of a minute, as chance is here.
      timers.advance(30_000);
      assert.equal(observers.length, i + 1);
    }
    assert.match(log.text(), /"level":"error".*refuses the credentials/);
  });

  test('a vendor that asks for a pause gets a minute at least', () => {
    const { source, newest, observers, timers, ticks } = supervised();
    source.start(ticks.sink);
    newest().closed({ kind: 'busy', text: 'too many' });
    timers.advance(60_000);
    assert.equal(observers.length, 1);
    timers.advance(30_000);
    assert.equal(observers.length, 2);
  });
});

test('a transport that throws is one that failed; its message is not told', () => {
  const log = keptLog();
  const { source, observers, timers, ticks } = supervised({ failing: true, log });
  source.start(ticks.sink);
  assert.equal(source.health().error, 'cannot connect: ENOTFOUND');
  timers.advance(500);
  assert.equal(observers.length, 2);
  assert.ok(!log.text().includes('secret words'));
});

test('a fault behind the sink ends nothing', () => {
  const { source, newest } = supervised();
  source.start(() => {
    throw new Error('a listener is broken');
  });
  newest().opened();
  newest().price(price());
  assert.equal(source.health().state, 'running');
  assert.equal(source.health().error, 'a price could not be passed on');
});

test('what a given up connection still tells is not heard', () => {
  const { source, observers, timers, ticks } = supervised();
  source.start(ticks.sink);
  const [old] = observers;
  assert.ok(old);
  old.closed(LOST);
  timers.advance(500);
  const before = source.health();
  old.opened();
  old.price(price());
  old.skipped('late');
  old.closed({ kind: 'refused', text: 'late' });
  assert.deepEqual(source.health(), before);
  assert.deepEqual(ticks.lines, []);
});

test('stopped means stopped: no tick, no timer, no attempt', async () => {
  const { source, newest, observers, timers, ticks, closed } = supervised();
  source.start(ticks.sink);
  newest().opened();
  newest().price(price());
  await source.stop();
  newest().price(price());
  newest().closed(LOST);
  await source.refresh();
  timers.advance(3_600_000);
  assert.equal(timers.pending, 0);
  assert.equal(ticks.lines.length, 1);
  assert.deepEqual([observers.length, closed()], [1, 1]);
  assert.equal(source.health().state, 'stopped');
  assert.throws(() => source.start(ticks.sink), /started already/);
});
