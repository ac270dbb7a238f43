import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOut } from './find-out.ts';
import type { End } from './machine.ts';

const executed: End = { as: 'executed', transactionId: 'txn_1' };
const expired: End = { as: 'expired' };
const withdrawn: End = { as: 'withdrawn', because: 'market_halt' };

/** Asks of a service that answers so, the last of each for ever. Time is what is slept. */
async function asked(readings: readonly (End | undefined)[], answers: readonly (End | undefined)[] = []) {
  const left = { read: [...readings], repeat: [...answers] };
  const done = { read: 0, repeat: 0 };
  const answer = (which: 'read' | 'repeat') => async () => {
    done[which]++;
    return left[which].length > 1 ? left[which].shift() : left[which][0];
  };
  let at = 0;
  const end = new AbortController();
  const found = await findOut({
    ...{ read: answer('read'), repeat: answer('repeat'), now: () => at, signal: end.signal },
    sleep: async (ms) => {
      at += ms;
      if (at > 120_000) end.abort();
    },
  });
  return { found, at, ...done };
}

test('an open quote is read until it is decided, and nothing is sent', async () => {
  for (const last of [executed, withdrawn])
    assert.deepEqual(await asked([undefined, undefined, last]), {
      found: last,
      at: 4_000,
      read: 3,
      repeat: 0,
    });
  assert.deepEqual((await asked([undefined])).found, undefined, 'until nobody wants to know any more');
});

test('a quote that has run out is believed when the key of the execution says so, and not before', async () => {
  assert.deepEqual(await asked([expired], [undefined, executed]), {
    ...{ found: executed, at: 2_000, read: 2, repeat: 2 },
  });
  assert.deepEqual(await asked([expired], [expired]), { found: expired, at: 0, read: 1, repeat: 1 });
  assert.deepEqual(await asked([expired], [withdrawn]), { found: withdrawn, at: 0, read: 1, repeat: 1 });
});

test('where the key cannot be asked with, the quote is believed once nothing can be on its way any more', async () => {
  const { found, at } = await asked([undefined, expired], [undefined]);
  assert.equal(found, expired);
  // Seen at 2 s; the service itself allows 17.5 s.
  assert.ok(at - 2_000 > 17_500 && at - 2_000 <= 24_000, `${at} ms`);
  assert.deepEqual((await asked([expired, expired, executed], [undefined])).found, executed);
});
