import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

test('what a FIX session refuses is counted by reason', async () => {
  const metrics = new Metrics();
  metrics.watchSources(() => ({
    'fix:lp': { state: 'running', ticks: 3, refused: { checksum: 2, bad_price: 1 } },
    push: { state: 'running', ticks: 0 },
  }));
  const text = await metrics.registry.metrics();
  assert.match(text, /^firmquote_source_refused_total\{source="fix:lp",reason="checksum"\} 2$/m);
  assert.match(text, /^firmquote_source_refused_total\{source="fix:lp",reason="bad_price"\} 1$/m);
  assert.doesNotMatch(text, /firmquote_source_refused_total\{source="push"/);
});

test('a source that is not to run is not told as down', async () => {
  const metrics = new Metrics();
  metrics.watchSources(() => ({
    'fix:lp': { state: 'idle', ticks: 3 },
    replay: { state: 'ended', ticks: 9 },
    oanda: { state: 'connecting', ticks: 0 },
    push: { state: 'running', ticks: 0 },
  }));
  const text = await metrics.registry.metrics();
  assert.deepEqual(text.match(/^firmquote_source_running.*$/gm), [
    'firmquote_source_running{source="oanda"} 0',
    'firmquote_source_running{source="push"} 1',
  ]);
});
