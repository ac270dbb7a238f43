import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SwapPointsVersion } from '@firmquote/client/operator';
import { linesOfPoints } from './points.ts';

const SET: SwapPointsVersion = {
  version: 1,
  changedAt: '2026-03-04T09:00:00.000Z',
  changedBy: 'per_01jngx7z5d2m8r4v6t9k3b1c0a',
  on: { bid: '-0.52', ask: '-0.48' },
  tn: null,
  tradeDate: '2026-03-04',
  source: 'the broker',
  reason: 'end of quarter',
};

test('points that were set say what differs from those before, and nothing of what does not', () => {
  const next: SwapPointsVersion = {
    ...SET,
    version: 2,
    on: null,
    tn: { bid: '0.10', ask: '0.20' },
    tradeDate: '2026-03-05',
  };
  assert.deepEqual(linesOfPoints(SET, next), [
    { what: 'Overnight', before: '-0.52 / -0.48 pips', after: undefined },
    { what: 'Tom-next', before: undefined, after: '0.10 / 0.20 pips' },
    { what: 'Trade date', before: '2026-03-04', after: '2026-03-05' },
  ]);
  assert.deepEqual(linesOfPoints(SET, { ...SET, version: 2 }), []);
});
