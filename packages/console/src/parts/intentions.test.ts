import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endAfter } from './end-after.ts';
import { Intentions } from './intentions.ts';

function storage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (place: string) => kept.get(place) ?? null,
    setItem: (place: string, text: string) => void kept.set(place, text),
    removeItem: (place: string) => void kept.delete(place),
  };
}

test('what is sent again because nobody knows is the same request, with the end that it had', () => {
  let now = 1_000;
  const intentions = new Intentions(() => now, storage());
  const rotate = () => intentions.of('form', 'rotate');
  const body = () => endAfter('24', rotate().begunAt);
  const [first, key] = [body(), rotate().idempotencyKey];
  now += 5_000;
  assert.deepEqual([body(), rotate().idempotencyKey], [first, key]);
  assert.equal(first, '1970-01-02T00:00:01.000Z');
  assert.notEqual(intentions.of('form', 'other').idempotencyKey, key);
  assert.notEqual(intentions.of('another form', 'rotate').idempotencyKey, key);
  intentions.decided('form', 'rotate');
  assert.notEqual(rotate().idempotencyKey, key);
  assert.equal(body(), '1970-01-02T00:00:06.000Z');
});

test('a form that was closed and opened again sends the same under the same key, for an hour', () => {
  let now = 0;
  const kept = storage();
  const key = () => new Intentions(() => now, kept).of('form', 'pay').idempotencyKey;
  const first = key();
  now = 3_599_999;
  assert.equal(key(), first);
  now += 1;
  assert.notEqual(key(), first);
  new Intentions(() => now, kept).decided('form', 'pay');
  assert.equal(kept.kept.size, 0, 'nothing is kept of what is decided');
});

test('without hours nothing is said of an end', () => {
  assert.equal(endAfter('', 0), undefined);
  assert.equal(endAfter(undefined, 0), undefined);
});
