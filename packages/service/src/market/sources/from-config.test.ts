import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, loadConfig } from '../../config.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Tick } from '../rate-book.ts';
import { createSources } from './from-config.ts';
import { SIMULATED_PAIRS } from './simulated-currencies.ts';

const folder = mkdtempSync(join(tmpdir(), 'sources-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'day@home.csv');
writeFileSync(file, '0,1.38833,1.38835\n');
const feed = join(folder, 'acme.json');
writeFileSync(
  feed,
  JSON.stringify({
    name: 'acme',
    pairs: ['EURUSD'],
    url: 'wss://prices.acme.example/',
    steps: [{ send: { token: '{key}' } }],
    price: { symbol: 's', bid: 'b', ask: 'a' },
  }),
);
const secrets = {
  FIRMQUOTE_OANDA_ACCOUNT: '001-001-1234567-001',
  FIRMQUOTE_OANDA_TOKEN: 'hunter2',
  FIRMQUOTE_MASSIVE_KEY: 'hunter2',
  FIRMQUOTE_TRADERMADE_KEY: 'hunter2',
  FIRMQUOTE_WEBSOCKET_KEY: 'hunter2',
};
const bare = {
  clock: { now: () => 0 },
  seed: 1,
  logger: createLogger('silent'),
  feeds: loadConfig({}).feeds,
};
const context = { ...bare, feeds: loadConfig(secrets).feeds };

async function firstPairsOf(text: string): Promise<Map<string, string>> {
  const { all } = createSources(text, bare);
  const pairs = new Map<string, string>();
  for (const source of all) {
    await source.start(({ pair }: Tick) => {
      assert.equal(pairs.has(pair), false, `${pair} has two sources`);
      pairs.set(pair, source.name);
      return 'accepted';
    });
    await source.stop();
  }
  return pairs;
}

test('simulated alone plays every pair', async () => {
  const pairs = await firstPairsOf('simulated');
  assert.deepEqual([...pairs.keys()], SIMULATED_PAIRS);
});

test('a replayed pair is not simulated, nor are the crosses that stand on it', async () => {
  const pairs = await firstPairsOf(`simulated, replay:${file}@EURUSD@10`);
  assert.equal(pairs.get('EURUSD'), 'replay:EURUSD');
  assert.equal(pairs.get('GBPUSD'), 'simulated');
  assert.equal(pairs.get('GBPJPY'), 'simulated');
  assert.equal(pairs.has('EURGBP'), false);
  const cross = await firstPairsOf(`simulated,replay:${file}@EURGBP@max`);
  assert.equal(cross.get('EURGBP'), 'replay:EURGBP');
  assert.equal(cross.get('EURJPY'), 'simulated');
});

test('recordings of one pair by several vendors are sources of their own', async () => {
  const text = `replay:${file}@EURUSD@max=oanda,replay:${file}@EURUSD=fxcm,replay:${file}@EURUSD`;
  const { all } = createSources(text, context);
  assert.deepEqual(
    all.map(({ name }) => name),
    ['replay:EURUSD:oanda', 'replay:EURUSD:fxcm', 'replay:EURUSD'],
  );
  const sources = new Set<string>();
  for (const source of all) {
    await source.start((tick) => {
      sources.add(`${tick.pair} ${tick.source}`);
      return 'accepted';
    });
    await source.stop();
  }
  assert.equal(sources.size, 3);
});

test('the simulator keeps off the pairs of every source of real prices', () => {
  const { all } = createSources('simulated,massive:EURUSD,push', context);
  const simulated = all.find(({ name }) => name === 'simulated');
  const pairs = new Set<string>();
  simulated?.start(({ pair }: Tick) => {
    pairs.add(pair);
    return 'accepted';
  });
  void simulated?.stop();
  assert.deepEqual([pairs.has('EURUSD'), pairs.has('EURGBP'), pairs.has('GBPUSD')], [false, false, true]);
});

test('every kind by name, in the order of the text, the reference rates first', () => {
  const text = `push, push:desk-a ,oanda:EURUSD+USDJPY,massive:EURUSD,tradermade:GBPUSD,websocket:${feed},simulated,ecb:${file}`;
  const { all, pushed, reference } = createSources(text, context);
  assert.deepEqual(
    all.map(({ name }) => name),
    ['ecb', 'push', 'push:desk-a', 'oanda', 'massive', 'tradermade', 'websocket:acme', 'simulated'],
  );
  assert.deepEqual([...pushed.keys()], ['push', 'push:desk-a']);
  assert.equal(reference, all[0]);
  assert.equal(createSources('push', context).reference, undefined);
});

const WRONG: readonly [text: string, message: RegExp][] = [
  ['', /"" is not a source; there are simulated, /],
  ['simulated,', /"" is not a source/],
  ['Simulated', /"Simulated" is not a source/],
  ['fix:Session', /the session after fix:/],
  ['fix:session', /FIRMQUOTE_FIX_SESSIONS must name/],
  ['simulated,simulated', /simulated twice/],
  ['simulated:1', /takes nothing after it/],
  [`replay:${file}`, /is not "replay:<file>@<PAIR>/],
  [`replay:${file}@eurusd`, /is not "replay:/],
  [`replay:${file}@EURUSD@0`, /is not "replay:/],
  [`replay:${file}@EURUSD@10000`, /is not "replay:/],
  [`replay:${file}@EURUSD@fast`, /is not "replay:/],
  [`replay:${file}@USDEUR`, /USDEUR is not a pair in market order/],
  [`replay:${file}@EURUSD,replay:${file}@EURUSD@2`, /replay:EURUSD twice. Give each recording a name/],
  [`replay:${file}@EURUSD=a,replay:${file}@EURUSD@2=a`, /replay:EURUSD:a twice/],
  [`replay:${file}@EURUSD=A`, /is not "replay:/],
  [`replay:${folder}@EURUSD`, /there is no file/],
  [`replay:${file}x@EURUSD`, /there is no file/],
  [`replay:${file}/x@EURUSD`, /there is no file/],
  ['oanda', /oanda needs pairs, such as oanda:EURUSD\+USDJPY/],
  ['oanda:hunter2', /oanda needs pairs/],
  ['oanda:EURUSD+USDEUR', /USDEUR is not a pair in market order/],
  ['oanda:EURUSD+EURUSD', /names a pair twice/],
  ['oanda:EURUSD,oanda:USDJPY', /names oanda twice/],
  ['massive:EUR/USD', /massive needs pairs/],
  ['push:', /the name after push/],
  ['push:Desk', /the name after push/],
  ['push,push', /names push twice/],
  ['push:a,push:a', /names push:a twice/],
  ['websocket', /there is no file/],
  ['websocket:wss://prices.acme.example/v1?key=hunter2', /websocket takes a file that describes the feed/],
  ['websocket: WS://hunter2@prices.acme.example', /websocket takes a file that describes the feed/],
  [`replay:https://user:hunter2@ticks.example/eurusd.csv@EURUSD`, /replay takes a file/],
  [`websocket:${file}`, /is not JSON/],
  [`websocket:${feed},websocket:${feed}`, /names websocket:acme twice/],
  ['ecb', /names no source of prices: ecb is for comparison only/],
  ['push,ecb:nowhere.xml', /there is no file/],
  ['push,ecb:https://user:hunter2@ecb.example', /neither a file nor/],
  [Array.from({ length: 33 }, (_, i) => `push:n${i}`).join(','), /more than 32 sources/],
];

for (const [text, message] of WRONG) {
  test(`refused with one line: ${text.replaceAll(folder, '')}`, () => {
    assert.throws(
      () => createSources(text, context),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        assert.ok(error.message.startsWith('FIRMQUOTE_SOURCES') && !error.message.includes('\n'));
        assert.ok(!error.message.includes('hunter2'));
        return true;
      },
    );
  });
}

const MISSING: readonly (readonly [text: string, setting: string])[] = [
  ['oanda:EURUSD', 'FIRMQUOTE_OANDA_ACCOUNT'],
  ['massive:EURUSD', 'FIRMQUOTE_MASSIVE_KEY'],
  ['tradermade:EURUSD', 'FIRMQUOTE_TRADERMADE_KEY'],
  [`websocket:${feed}`, 'FIRMQUOTE_WEBSOCKET_KEY'],
];
for (const [text, setting] of MISSING) {
  test(`without its secret: ${text.replaceAll(folder, '')}`, () => {
    const source = text.startsWith('websocket') ? 'websocket:acme' : text.slice(0, text.indexOf(':'));
    assert.throws(() => createSources(text, bare), {
      name: 'ConfigError',
      message: `${setting} is required: FIRMQUOTE_SOURCES names ${source}.`,
    });
  });
}
