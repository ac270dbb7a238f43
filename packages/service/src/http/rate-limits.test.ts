import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimiter } from './rate-limits.ts';

// What docs/guide/rate-limits.md says of `r` and `t`.
test('after the seconds that are told all requests are left again, and when one was refused, one', () => {
  let now = 0;
  const limiter = new RateLimiter(() => now);
  const take = () => limiter.take('acme', 'quotes', { perMinute: 60, burst: 4 });
  const told = [take(), take(), take(), take()].map(({ remaining, resetSeconds }) => [
    remaining,
    resetSeconds,
  ]);
  assert.deepEqual(told, [
    [3, 1],
    [2, 2],
    [1, 3],
    [0, 4],
  ]);
  now += 4_000;
  assert.equal(take().remaining, 3, 'all are left again');
  for (let left = 3; left > 0; left--) take();
  const { allowed, resetSeconds } = take();
  assert.deepEqual([allowed, resetSeconds], [false, 1]);
  now += resetSeconds * 1_000;
  assert.deepEqual([take().allowed, take().allowed], [true, false]);
});
