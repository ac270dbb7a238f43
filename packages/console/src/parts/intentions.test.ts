import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endAfter } from './end-after.ts';
import { Intentions } from './intentions.ts';

test('what is sent again because nobody knows is the same request, with the end that it had', () => {
  let now = 1_000;
  const intentions = new Intentions(() => now);
  const body = () => endAfter('24', intentions.of('rotate').begunAt);
  const [first, key] = [body(), intentions.of('rotate').idempotencyKey];
  now += 5_000;
  assert.deepEqual([body(), intentions.of('rotate').idempotencyKey], [first, key]);
  assert.equal(first, '1970-01-02T00:00:01.000Z');
  assert.notEqual(intentions.of('other').idempotencyKey, key);
  intentions.decided('rotate');
  assert.notEqual(intentions.of('rotate').idempotencyKey, key);
  assert.equal(body(), '1970-01-02T00:00:06.000Z');
});

test('without hours nothing is said of an end', () => {
  assert.equal(endAfter('', 0), undefined);
  assert.equal(endAfter(undefined, 0), undefined);
});
