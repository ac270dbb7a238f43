import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOut, OUT_OF_SIGHT, outOfSight } from './find-out.ts';
import type { End } from './machine.ts';

const executed: End = { as: 'executed', transactionId: 'txn_1' };
const expired: End = { as: 'expired' };
const withdrawn: End = { as: 'withdrawn', because: 'market_halt' };

/** Asks of a service that answers so, the last of each for ever. Time is what is slept. */
async function asked(
  readings: readonly (End | typeof OUT_OF_SIGHT | undefined)[],
  answers: readonly (End | undefined)[] = [],
) {
  const done = { read: 0, repeat: 0 };
  const answer = <T>(which: 'read' | 'repeat', all: readonly T[]) => {
    const left = [...all];
    return async () => {
      done[which]++;
      return left.length > 1 ? left.shift() : left[0];
    };
  };
  let at = 0;
  const end = new AbortController();
  const found = await findOut({
    ...{
      read: answer('read', readings),
      repeat: answer('repeat', answers),
      now: () => at,
      signal: end.signal,
    },
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

test('whoever may not read the quote asks with its key once it has run out, and is told nothing else', async () => {
  assert.deepEqual(await asked([undefined, undefined, OUT_OF_SIGHT], [undefined, executed]), {
    ...{ found: executed, at: 6_000, read: 4, repeat: 2 },
  });
  assert.deepEqual((await asked([OUT_OF_SIGHT], [expired])).found, expired);
  const { found, repeat } = await asked([OUT_OF_SIGHT], [undefined]);
  assert.equal(found, undefined, 'nobody has seen that nothing was traded');
  assert.ok(repeat > 20);
  const at = Date.parse('2026-11-23T12:00:00Z');
  const quote = { expiresAt: '2026-11-23T12:00:00Z' };
  assert.deepEqual(
    [at - 60_000, at, at + 4_999].map((now) => outOfSight(quote, now)),
    [undefined, undefined, undefined],
  );
  assert.equal(outOfSight(quote, at + 5_000), OUT_OF_SIGHT);
});
