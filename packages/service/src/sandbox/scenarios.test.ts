import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarioOf } from './scenarios.ts';

test('the last three digits before the decimal point choose the drill', () => {
  const vectors: readonly [minor: bigint, minorUnits: number, expected: number | null][] = [
    [90_100n, 2, 901],
    [100_905_00n, 2, 905],
    [100_905_99n, 2, 905],
    [1_910n, 0, 910],
    [1_907_123n, 3, 907],
    [90_000n, 2, null],
    [91_100n, 2, null],
    [905n, 2, null],
    [905n, 0, 905],
    [10_905_00n, 0, null],
    [0n, 2, null],
  ];
  for (const [minor, minorUnits, expected] of vectors) {
    assert.equal(scenarioOf(minor, minorUnits), expected, `${minor} at ${minorUnits}`);
  }
});
