import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../config.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Tick } from '../rate-book.ts';
import { createSources } from './from-config.ts';
import { SIMULATED_PAIRS } from './simulated-currencies.ts';

const folder = mkdtempSync(join(tmpdir(), 'sources-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'day@home.csv');
writeFileSync(file, '0,1.38833,1.38835\n');
const context = { clock: { now: () => 0 }, seed: 1, logger: createLogger('silent') };

async function firstPairsOf(text: string): Promise<Map<string, string>> {
  const sources = createSources(text, context);
  const pairs = new Map<string, string>();
  for (const source of sources) {
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

const WRONG: readonly [text: string, message: RegExp][] = [
  ['', /"" is neither/],
  ['simulated,', /"" is neither/],
  ['Simulated', /"Simulated" is neither/],
  ['simulated,simulated', /simulated twice/],
  [`replay:${file}`, /is neither/],
  [`replay:${file}@eurusd`, /is neither/],
  [`replay:${file}@EURUSD@0`, /is neither/],
  [`replay:${file}@EURUSD@10000`, /is neither/],
  [`replay:${file}@EURUSD@fast`, /is neither/],
  [`replay:${file}@USDEUR`, /USDEUR is not a pair in market order/],
  [`replay:${file}@EURUSD,replay:${file}@EURUSD@2`, /replays EURUSD twice/],
  [`replay:${folder}@EURUSD`, /there is no file/],
  [`replay:${file}x@EURUSD`, /there is no file/],
  [`replay:${file}/x@EURUSD`, /there is no file/],
];

for (const [text, message] of WRONG) {
  test(`refused with one line: ${text.replaceAll(folder, '')}`, () => {
    assert.throws(
      () => createSources(text, context),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        assert.ok(error.message.startsWith('FIRMQUOTE_SOURCES') && !error.message.includes('\n'));
        return true;
      },
    );
  });
}
