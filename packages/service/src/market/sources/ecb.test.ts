import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { findPair, formatDecimal } from '@firmquote/fx';
import type { Tick } from '../rate-book.ts';
import { EcbSource } from './ecb.ts';
import { SimulatedSource } from './simulated.ts';
import { ecbXml, eventually, keptLog, ManualTimers } from './test-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'ecb-'));
after(() => rmSync(folder, { recursive: true }));

/** Thursday, 14:00 in Frankfurt. */
const THURSDAY = Date.UTC(2026, 3, 16, 12);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

function ecb(t: TestContext, location: string, now = THURSDAY) {
  const timers = new ManualTimers();
  const log = keptLog();
  const realClock = { now: () => now + timers.now() };
  const source = new EcbSource({ location, clock: realClock, realClock, logger: log.logger, timers });
  t.after(() => source.stop());
  return { source, timers, log };
}

function rateOf(source: EcbSource, code: string): string | undefined {
  const pair = findPair(code);
  assert.ok(pair);
  const reference = source.rate(pair);
  return reference && `${formatDecimal(reference.rate)} ${reference.date}`;
}

function file(text: string): string {
  const path = join(folder, 'rates.xml');
  writeFileSync(path, text);
  return path;
}

const WEDNESDAY_RATES = ecbXml({
  '2026-04-15': { USD: '1.2000', JPY: '180.00' },
  '2026-04-14': { USD: '1.1' },
});
const THURSDAY_RATES = ecbXml({ '2026-04-16': { USD: '1.2500', JPY: '181.00' } });

test('the newest day of a file, exact quotients rounded once', async (t) => {
  const { source } = ecb(t, file(WEDNESDAY_RATES));
  assert.equal(rateOf(source, 'EURUSD'), '1.16840 2026-04-13', 'until then the built-in rates');
  await source.start();
  assert.equal(rateOf(source, 'EURUSD'), '1.20000 2026-04-15');
  assert.equal(rateOf(source, 'USDJPY'), '150.000 2026-04-15');
  assert.equal(rateOf(source, 'GBPUSD'), undefined, 'what is not listed has no reference');
  const { state, ticks, referenceDate, error } = source.health();
  assert.deepEqual([state, ticks, referenceDate, error], ['running', 0, '2026-04-15', undefined]);
});

test('new rates are found once they are out, and asked for every hour before', async (t) => {
  const path = file(WEDNESDAY_RATES);
  const { source, timers } = ecb(t, path);
  await source.start();
  const before = source.rate(findPair('EURUSD') ?? assert.fail());
  assert.equal(source.health().nextAttemptAt, THURSDAY + HOUR_MS);
  timers.advance(HOUR_MS);
  await eventually(() => source.health().nextAttemptAt === THURSDAY + 2 * HOUR_MS, 'a second look');
  assert.equal(source.rate(findPair('EURUSD') ?? assert.fail()), before, 'nothing new is the same object');
  timers.advance(HOUR_MS);
  // At 16:00 those of the day should be out.
  const due = THURSDAY + 2 * HOUR_MS + 10 * MINUTE_MS;
  await eventually(() => source.health().nextAttemptAt === due, 'a look in ten minutes');
  writeFileSync(path, THURSDAY_RATES);
  timers.advance(10 * MINUTE_MS);
  await eventually(() => source.date === '2026-04-16', 'the new rates');
  assert.equal(rateOf(source, 'EURUSD'), '1.25000 2026-04-16');
  await eventually(() => source.health().nextAttemptAt === due + HOUR_MS, 'an hour until the next look');
});

test('a day that is corrected is taken again', async (t) => {
  const path = file(WEDNESDAY_RATES);
  const { source, timers } = ecb(t, path);
  await source.start();
  writeFileSync(path, WEDNESDAY_RATES.replace('1.2000', '1.2001'));
  timers.advance(HOUR_MS);
  await eventually(() => rateOf(source, 'EURUSD') === '1.20010 2026-04-15', 'the correction');
});

test('at the weekend nothing is due', async (t) => {
  const saturday = THURSDAY + 2 * 24 * HOUR_MS + 6 * HOUR_MS;
  const { source } = ecb(t, file(THURSDAY_RATES), saturday);
  await source.start();
  assert.equal(source.health().nextAttemptAt, saturday + HOUR_MS);
});

const BAD: readonly (readonly [what: string, text: string, error: RegExp])[] = [
  ['rubbish', 'rubbish', /^the rates are refused: it is not well-formed XML/],
  ['a day in the future', ecbXml({ '2026-04-17': { USD: '1.3' } }), /2026-04-17 is in the future/],
  ['an older day', ecbXml({ '2026-04-10': { USD: '1.3' } }), /2026-04-10 is older than 2026-04-15/],
  ['too much', `${THURSDAY_RATES}${' '.repeat(2 * 1024 * 1024)}`, /longer than 2097152 bytes/],
];
for (const [what, text, error] of BAD) {
  test(`the last good rates stay: ${what}`, async (t) => {
    const path = file(WEDNESDAY_RATES);
    const { source, timers, log } = ecb(t, path);
    await source.start();
    writeFileSync(path, text);
    timers.advance(HOUR_MS);
    await eventually(() => source.health().error !== undefined, 'the fault is told');
    assert.match(source.health().error ?? '', error);
    assert.equal(source.health().state, 'connecting');
    assert.equal(rateOf(source, 'EURUSD'), '1.20000 2026-04-15');
    assert.match(log.text(), /no new reference rates/);
    await eventually(
      () => source.health().nextAttemptAt === THURSDAY + HOUR_MS + 10 * MINUTE_MS,
      'the next attempt is soon',
    );
    writeFileSync(path, WEDNESDAY_RATES.replace('1.2000', '1.2100'));
    timers.advance(10 * MINUTE_MS);
    await eventually(() => source.health().state === 'running', 'it recovers');
    assert.equal(rateOf(source, 'EURUSD'), '1.21000 2026-04-15');
  });
}

test('without a file it starts on the built-in rates and says so', async (t) => {
  const { source } = ecb(t, join(folder, 'nothing.xml'));
  await source.start();
  const { state, referenceDate, error } = source.health();
  assert.deepEqual(
    [state, referenceDate, error],
    ['connecting', '2026-04-13', 'the rates cannot be read: ENOENT'],
  );
});

async function server(t: TestContext, answer: (response: ServerResponse) => void): Promise<string> {
  const http = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/eurofxref-daily.xml`;
}

test('over HTTP', async (t) => {
  const { source } = ecb(t, await server(t, (response) => response.end(WEDNESDAY_RATES)));
  await source.start();
  assert.equal(rateOf(source, 'EURUSD'), '1.20000 2026-04-15');
});

test('an HTTP error and an endless answer are faults, not rates', async (t) => {
  const broken = ecb(t, await server(t, (response) => response.writeHead(503).end(WEDNESDAY_RATES)));
  await broken.source.start();
  assert.equal(broken.source.health().error, 'the rates are refused: the answer has status 503');
  const endless = await server(t, (response) => {
    const more = (): void => {
      while (!response.destroyed)
        if (!response.write(' '.repeat(65_536))) return void response.once('drain', more);
    };
    more();
  });
  const flooded = ecb(t, endless);
  await flooded.source.start();
  assert.match(flooded.source.health().error ?? '', /longer than/);
});

test('stopping does not wait for an answer that does not come', async (t) => {
  const { source, timers } = ecb(t, await server(t, () => undefined));
  const started = source.start();
  await new Promise((resolve) => setImmediate(resolve));
  await source.stop();
  await started;
  assert.equal(source.health().state, 'stopped');
  assert.equal(timers.pending, 0);
});

test('the simulator starts around the rates that were read', async (t) => {
  const { source } = ecb(t, file(WEDNESDAY_RATES));
  const simulated = new SimulatedSource({
    clock: { now: () => THURSDAY },
    seed: 1,
    pairs: ['EURUSD', 'USDJPY', 'GBPUSD'],
    anchor: source,
  });
  await source.start();
  const ticks: Tick[] = [];
  simulated.start((tick) => {
    ticks.push(tick);
    return 'accepted';
  });
  await simulated.stop();
  const near = ticks.map(({ pair, bid }) => `${pair} ${formatDecimal(bid).slice(0, 5)}`);
  // The pound, which the file leaves out, keeps its built-in rate against the euro: 1.2 / 0.87058.
  assert.deepEqual(near, ['EURUSD 1.199', 'USDJPY 149.9', 'GBPUSD 1.378']);
});
