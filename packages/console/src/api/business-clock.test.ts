import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusinessClock } from './business-clock.ts';

test('business time is real time, until the clock is moved', () => {
  let real = Date.parse('2026-07-01T12:00:00Z');
  const clock = new BusinessClock({ now: () => real });
  assert.equal(clock.now(), real);
  clock.move(Date.parse('2026-03-04T22:30:00Z') - real);
  real += 90 * 60_000;
  assert.equal(new Date(clock.now()).toISOString(), '2026-03-05T00:00:00.000Z', 'it runs on from there');
  assert.deepEqual([clock.day(), clock.day(-5), clock.day(1)], ['2026-03-05', '2026-02-28', '2026-03-06']);
  clock.move(0);
  assert.equal(clock.now(), real);
});

test('who watches is told once of each move, and of none that is none', () => {
  const clock = new BusinessClock({ now: () => 0 });
  const reported: number[] = [];
  const rest = clock.watch(() => reported.push(clock.offsetMs));
  for (const offsetMs of [0, undefined, 3_600_000, 3_600_000, -1, undefined]) clock.move(offsetMs);
  rest();
  clock.move(5);
  assert.deepEqual(reported, [3_600_000, -1, 0], 'a service that says nothing of it has not moved it');
});
