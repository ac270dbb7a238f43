import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundPpb, ValueWalk } from './value-walk.ts';

test('a walk repeats with its seed and name, and differs with either', () => {
  const path = (seed: number, name: string): number[] => {
    const walk = new ValueWalk(seed, name, 7500);
    return Array.from({ length: 100 }, () => {
      walk.advance();
      return walk.displacementPpb;
    });
  };
  assert.deepEqual(path(1, 'EUR'), path(1, 'EUR'));
  assert.notDeepEqual(path(1, 'EUR'), path(2, 'EUR'));
  assert.notDeepEqual(path(1, 'EUR'), path(1, 'GBP'));
});

test('steps have the deviation asked for and no drift, and the walk keeps its bound', () => {
  const stepPpb = 7500;
  const walk = new ValueWalk(5, 'EUR', stepPpb);
  const steps = 400_000;
  let last = 0;
  let sumOfSquares = 0;
  let farthest = 0;
  for (let i = 0; i < steps; i += 1) {
    walk.advance();
    const at = walk.displacementPpb;
    sumOfSquares += (at - last) ** 2;
    farthest = Math.max(farthest, Math.abs(at));
    last = at;
  }
  const deviation = Math.sqrt(sumOfSquares / steps);
  assert.ok(deviation > 0.99 * stepPpb && deviation < 1.01 * stepPpb, `${deviation}`);
  assert.ok(farthest <= boundPpb(stepPpb), `${farthest}`);
  // 400,000 free steps would end some 632 deviations away; the long-run deviation of this walk is 181.
  assert.ok(farthest > 100 * stepPpb && farthest < 181 * 4.5 * stepPpb, `${farthest}`);
});

test('a walk without steps stays where it is', () => {
  const walk = new ValueWalk(1, 'USD', 0);
  walk.advance();
  assert.equal(Math.abs(walk.displacementPpb), 0);
});
