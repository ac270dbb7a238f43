import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '@firmquote/fx';
import type { Pool } from '../database/pool.ts';
import { SettingsFollower } from '../settings/follower.ts';
import { SpreadBook, type SpreadCandidates, type SpreadRule } from './spread-book.ts';
import { LiveSpreadRules } from './spread-rules.ts';

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

test('spread rules are one snapshot, exchanged only when the version of the set moves', async () => {
  const state = { now: 0, version: 1, rules: [rule('first')], reads: { versions: 0, sets: 0 } };
  const customer = { id: 'customer', groupName: undefined };
  const now = () => state.now;
  const spreads = new LiveSpreadRules(async (known) => {
    state.reads.sets++;
    const { version, rules } = state;
    return version === known ? undefined : { version, value: new SpreadBook(version, rules) };
  }, now);
  const versions = async () => {
    state.reads.versions++;
    return { rows: [{ spread_rules: String(state.version) }] };
  };
  const follower = new SettingsFollower({ query: versions } as unknown as Pool, [spreads], now);
  assert.equal((await spreads.candidates(customer, 'EURUSD')).rules[0]?.id, 'first');
  for (const at of [2_000, 4_000, 6_000]) {
    state.now = at;
    await follower.look();
    assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0]?.id, 'first');
  }
  assert.deepEqual(state.reads, { versions: 3, sets: 1 });

  state.rules = [rule('second')];
  state.version = 2;
  state.now = 8_000;
  assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0]?.id, 'first');
  await follower.look();
  assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0]?.id, 'second');

  spreads.changed({ version: 3, rules: [] });
  assert.equal((spreads.candidates(customer, 'EURUSD') as SpreadCandidates).rules[0], undefined);
  spreads.changed({ version: 2, rules: [] });
  assert.equal(spreads.held(), '3', 'an older set does not replace a newer one');
  state.rules = [rule('fourth')];
  state.version = 4;
  state.now = 13_000;
  const late = spreads.candidates(customer, 'EURUSD');
  assert.ok(late instanceof Promise, 'a snapshot of five seconds is not used');
  assert.equal((await late).rules[0]?.id, 'fourth');
});
