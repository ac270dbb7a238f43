import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '@firmquote/fx';
import type { SpreadCandidates, SpreadRule } from './spread-book.ts';
import { CachedSpreadRules } from './spread-rules.ts';

const spreadBps = parseDecimal('20.00') ?? assert.fail();

function rule(id: string): SpreadRule {
  return {
    id,
    version: 1,
    customerId: undefined,
    groupName: undefined,
    pair: undefined,
    tenor: undefined,
    validityUpToSeconds: undefined,
    amountFromUsdMinor: 0n,
    spreadBps,
    minBps: undefined,
    maxBps: undefined,
    validFrom: undefined,
    validTo: undefined,
  };
}

/** Lets what was started in the background finish. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('spread rules are one snapshot, exchanged only when the version of the set moves', async () => {
  const state = { now: 0, version: 1, rules: [rule('first')], reads: { sets: 0, wholeSets: 0 } };
  const customer = { id: 'customer', groupName: undefined };
  const spreads = new CachedSpreadRules(
    async (knownVersion) => {
      state.reads.sets++;
      const { version, rules } = state;
      if (version === knownVersion) return { version, rules: undefined };
      state.reads.wholeSets++;
      return { version, rules };
    },
    () => state.now,
  );
  assert.equal((await spreads.candidates(customer, 'EURUSD')).rules[0]?.id, 'first');
  for (const now of [2_000, 4_000, 6_000]) {
    state.now = now;
    assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0]?.id, 'first');
    await settle();
  }
  assert.deepEqual(state.reads, { sets: 4, wholeSets: 1 });

  state.rules = [rule('second')];
  state.version = 2;
  state.now = 8_000;
  assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0]?.id, 'first');
  await settle();
  assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0]?.id, 'second');

  state.rules = [];
  state.version = 3;
  spreads.changed();
  assert.equal((await spreads.candidates(customer, 'EURUSD')).rules[0], undefined);
  state.rules = [rule('third')];
  state.version = 4;
  state.now = 13_000;
  const late = spreads.candidates(customer, 'EURUSD');
  assert.ok(late instanceof Promise, 'a snapshot of five seconds is not used');
  assert.equal((await late).rules[0]?.id, 'third');
});
