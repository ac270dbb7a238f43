import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH, type DueTransaction, throughDue } from './through-due.ts';

const LIST: readonly DueTransaction[] = Array.from({ length: 2 * BATCH + 7 }, (_, i) => ({
  customerId: 'c',
  id: String(i),
  due: '2026-03-04',
  pair: 'EURUSD',
}));

async function after(place: DueTransaction | undefined): Promise<readonly DueTransaction[]> {
  const from = place === undefined ? 0 : LIST.indexOf(place) + 1;
  return LIST.slice(from, from + BATCH);
}

test('a work list is gone through to its end, whatever of it stays', async () => {
  const seen: string[] = [];
  const moved = await throughDue(after, async (trades) => {
    seen.push(...trades.map(({ id }) => id));
    return 0;
  });
  assert.deepEqual([moved, seen], [0, LIST.map(({ id }) => id)]);
});

test('one that fails holds up no other, and is heard of in the end', async () => {
  const done = new Set<string>();
  const run = throughDue(after, async (trades) => {
    if (trades.some(({ id }) => id === '3')) throw new Error('the third cannot be done');
    for (const { id } of trades) done.add(id);
    return trades.length;
  });
  await assert.rejects(run, /the third cannot be done/);
  assert.equal(done.size, LIST.length - 1);
});

test('a fault is heard of rather than what passes by itself', async () => {
  const run = throughDue(after, async (trades) => {
    if (trades.some(({ id }) => id === '1')) throw Object.assign(new Error('locked'), { code: '55P03' });
    if (trades.some(({ id }) => id === '3')) throw new Error('the third cannot be done');
    if (trades.some(({ id }) => id === '5')) throw Object.assign(new Error('locked'), { code: '55P03' });
    return trades.length;
  });
  await assert.rejects(run, /the third cannot be done/);
});

test('without a database nothing is tried one by one', async () => {
  let tries = 0;
  const run = throughDue(after, async () => {
    tries++;
    throw Object.assign(new Error('terminating connection'), { code: '57P01' });
  });
  await assert.rejects(run, /terminating/);
  assert.equal(tries, 1);
});
