import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAIRS_PER_CUSTOMER_MAX, Slots, STREAMS_MAX, STREAMS_PER_CUSTOMER_MAX } from './slots.ts';

const pairs = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `P${from + i}`);

test('each customer has five streams, given back when they end', () => {
  const slots = new Slots();
  const taken = Array.from({ length: STREAMS_PER_CUSTOMER_MAX }, () => slots.take('a', []));
  assert.throws(() => slots.take('a', []), { code: 'too_many_streams', status: 429 });
  slots.take('b', []);
  for (const slot of taken) slots.release(slot);
  for (const slot of taken) slots.release(slot);
  for (let i = 0; i < STREAMS_PER_CUSTOMER_MAX; i++) slots.take('a', []);
  assert.throws(() => slots.take('a', []), { code: 'too_many_streams' });
});

test('all streams of a customer read forty pairs, counted once each', () => {
  const slots = new Slots();
  const first = slots.take('a', pairs(PAIRS_PER_CUSTOMER_MAX));
  const second = slots.take('a', pairs(10));
  assert.throws(() => slots.take('a', ['Q']), { code: 'too_many_pairs', status: 422 });
  assert.throws(() => slots.read(second, [...pairs(10), 'Q']), { code: 'too_many_pairs' });
  assert.equal(second.pairs.size, 10);
  slots.read(first, pairs(5));
  slots.read(second, ['Q']);
  slots.release(first);
  slots.read(first, pairs(PAIRS_PER_CUSTOMER_MAX + 1));
  slots.take('a', pairs(PAIRS_PER_CUSTOMER_MAX - 1));
  // A refused one takes no place.
  for (let i = 0; i < 3; i++) slots.take('a', ['Q']);
});

test('the process has a limit of its own', () => {
  const slots = new Slots();
  for (let i = 0; i < STREAMS_MAX; i++) slots.take(`customer ${i}`, []);
  assert.throws(() => slots.take('one more', []), { code: 'overloaded', status: 503 });
});
