import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_QUOTAS } from '../http/rate-limits.ts';
import { Problem } from '../problems/problem.ts';
import { CachedCustomerDirectory, type DirectorySource } from './directory.ts';
import { type CustomerProfile, DEFAULT_SETTINGS, NOTHING_USED } from './profile.ts';

function profile(change: Partial<CustomerProfile> = {}): CustomerProfile {
  return {
    id: 'customer',
    name: 'Acme',
    groupName: undefined,
    status: 'active',
    settings: DEFAULT_SETTINGS,
    limits: {
      dailyUsdMinor: 1n,
      openUsdMinor: 1n,
      tradeUsdMinor: 1n,
      maxOpenQuotes: 1,
      quotas: DEFAULT_QUOTAS,
    },
    quotas: DEFAULT_QUOTAS,
    payoutCurrencies: new Set(),
    usage: NOTHING_USED,
    ...change,
  };
}

/** A database in memory, and the clock of the directory in front of it. */
function setUp() {
  const state = {
    now: 0,
    stored: profile() as CustomerProfile | undefined,
    currencies: new Set<string>(),
    reads: { profiles: 0 },
    broken: false,
  };
  const source: DirectorySource = {
    async loadProfile() {
      state.reads.profiles++;
      if (state.broken) throw new Error('no database');
      return state.stored;
    },
    loadCollectionCurrencies: async () => state.currencies,
  };
  return { state, directory: new CachedCustomerDirectory(source, () => state.now) };
}

/** Lets what was started in the background finish. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a known profile is answered without a promise, and never older than five seconds', async () => {
  const { state, directory } = setUp();
  assert.ok(directory.profile('customer') instanceof Promise);
  assert.equal((await directory.profile('customer')).status, 'active');
  state.stored = profile({ status: 'suspended' });

  state.now = 1_999;
  assert.equal((directory.access('customer') as CustomerProfile).status, 'active', 'fresh');
  assert.equal(state.reads.profiles, 1);
  state.now = 2_000;
  assert.equal(
    (directory.access('customer') as CustomerProfile).status,
    'active',
    'served while it is read anew',
  );
  await settle();
  assert.equal((directory.access('customer') as CustomerProfile).status, 'suspended');
  assert.equal(state.reads.profiles, 2);

  state.stored = profile();
  state.now = 7_000;
  const old = directory.profile('customer');
  assert.ok(old instanceof Promise, 'too old to be served');
  assert.equal((await old).status, 'active');
});

test('without a database, a profile is served for five seconds and no longer', async () => {
  const { state, directory } = setUp();
  await directory.profile('customer');
  state.broken = true;
  state.now = 4_999;
  assert.equal((directory.profile('customer') as CustomerProfile).name, 'Acme');
  await settle();
  state.now = 5_000;
  await assert.rejects(async () => directory.profile('customer'), /no database/);
  state.broken = false;
  assert.equal((await directory.profile('customer')).name, 'Acme');
});

test('a change made in this process is seen by the next request', async () => {
  const { state, directory } = setUp();
  await directory.profile('customer');
  await directory.collectionCurrencies();
  state.stored = profile({ name: 'Other' });
  state.currencies = new Set(['EUR']);
  directory.customerChanged('customer');
  directory.collectionAccountsChanged();
  assert.equal((await directory.profile('customer')).name, 'Other');
  assert.deepEqual([...(await directory.collectionCurrencies())], ['EUR']);
});

test('a customer that does not exist is a problem each time', async () => {
  const { state, directory } = setUp();
  state.stored = undefined;
  for (let i = 0; i < 2; i++) {
    await assert.rejects(
      async () => directory.access('nobody'),
      (error) => error instanceof Problem && error.code === 'customer_not_found',
    );
  }
});
