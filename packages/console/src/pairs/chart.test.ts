import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bar } from '@firmquote/client/operator';
import { drawn } from './chart.ts';

const bar = (minute: number, [open, high, low, close]: readonly [string, string, string, string]): Bar => ({
  at: new Date(Date.UTC(2026, 2, 4, 14, minute)).toISOString(),
  ...{ open, high, low, close, bid: low, ask: high, ticks: 1 },
});

test('bars are a line over time, from the highest price at the top to the lowest', () => {
  const bars = [
    bar(2, ['1.0850', '1.0900', '1.0840', '1.0890']),
    bar(1, ['1.0820', '1.0860', '1.0810', '1.0850']),
    bar(0, ['1.0800', '1.0830', '1.0800', '1.0820']),
  ];
  const { lines, bands, first, last, ...said } = drawn(bars, 100, 10) ?? assert.fail();
  assert.deepEqual(lines, ['M0 8L50 5L100 1']);
  assert.deepEqual(bands, ['M0 7L50 4L100 0L100 6L50 9L0 10Z']);
  assert.deepEqual([first.at, last.at], [bars[2]?.at, bars[0]?.at]);
  assert.deepEqual(said, { high: '1.0900', low: '1.0800', change: '+0.83 %' });
});

test('nothing is drawn over a time without prices', () => {
  const flat = ['2', '2', '2', '2'] as const;
  const bars = [bar(30, flat), bar(29, flat), bar(5, flat), bar(0, flat)];
  const { lines, change } = drawn(bars, 300, 10) ?? assert.fail();
  assert.deepEqual(lines, ['M0 5L50 5', 'M290 5L300 5']);
  assert.equal(change, '+0.00 %');
  assert.deepEqual(drawn([bar(0, flat)], 300, 10)?.lines, ['M300 5']);
  assert.equal(drawn([], 300, 10), undefined);
});

test('a price that fell has a minus sign', () => {
  const bars = [bar(1, ['1.9', '1.9', '1.9', '1.9']), bar(0, ['2', '2', '2', '2'])];
  assert.equal(drawn(bars, 1, 1)?.change, '−5.00 %');
});
