import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DEFAULT_QUOTAS } from '../http/rate-limits.ts';
import { RENEWED_TOGETHER_MS } from '../platform/refreshing-cache.ts';
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
    /** Instead of what is stored. */
    answer: undefined as Promise<CustomerProfile> | undefined,
    reads: { profiles: 0 },
    broken: false,
  };
  const source: DirectorySource = {
    async loadProfile() {
      state.reads.profiles++;
      if (state.broken) throw new Error('no database');
      return state.answer ?? state.stored;
    },
    loadCollectionCurrencies: async () => state.currencies,
  };
  return { state, directory: new CachedCustomerDirectory(source, () => state.now) };
}

/** Lets what is due in the background begin and finish. */
function settle(t: TestContext): Promise<void> {
  t.mock.timers.tick(RENEWED_TOGETHER_MS);
  return new Promise((resolve) => setImmediate(resolve));
}

test('a known profile is answered without a promise, and never older than five seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
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
  await settle(t);
  assert.equal((directory.access('customer') as CustomerProfile).status, 'suspended');
  assert.equal(state.reads.profiles, 2);

  state.stored = profile();
  state.now = 7_000;
  const old = directory.profile('customer');
  assert.ok(old instanceof Promise, 'too old to be served');
  assert.equal((await old).status, 'active');
});

test('profiles that are due at about the same time are read anew in one turn, those that were forgotten not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, directory } = setUp();
  for (const id of ['a', 'b', 'c']) await directory.profile(id);
  state.now = 2_000;
  for (const id of ['a', 'b', 'c']) void directory.profile(id);
  directory.customerChanged('c');
  assert.equal(state.reads.profiles, 3);
  t.mock.timers.tick(RENEWED_TOGETHER_MS);
  assert.equal(state.reads.profiles, 5);
  await settle(t);
  void directory.profile('a');
  await settle(t);
  assert.equal(state.reads.profiles, 5, 'they are fresh again');
});

test('the age counts from the question, however late the answer', async () => {
  const { state, directory } = setUp();
  const asked = directory.profile('customer');
  // Read before it was suspended, and answered long after: by a process that stood still meanwhile.
  state.now = 4_999;
  assert.equal((await asked).status, 'active');
  state.stored = profile({ status: 'suspended' });
  assert.ok(!(directory.profile('customer') instanceof Promise));
  state.now = 5_000;
  assert.equal((await directory.profile('customer')).status, 'suspended');
});

test('who comes when an answer is overdue does not wait for it, and it is not kept', async () => {
  const { state, directory } = setUp();
  const late = Promise.withResolvers<CustomerProfile>();
  state.answer = late.promise;
  const first = directory.profile('customer');
  state.answer = undefined;
  state.now = 5_000;
  state.stored = profile({ status: 'suspended' });
  assert.equal((await directory.profile('customer')).status, 'suspended');
  late.resolve(profile());
  assert.equal((await first).status, 'active');
  assert.equal((directory.profile('customer') as CustomerProfile).status, 'suspended');
});

test('a clock that was set back makes every profile too old', async () => {
  const { state, directory } = setUp();
  await directory.profile('customer');
  state.now = -1;
  assert.ok(directory.profile('customer') instanceof Promise);
});

test('an answer on its way when its customer was changed is neither kept nor waited for; those of others are kept', async () => {
  const { state, directory } = setUp();
  const late = Promise.withResolvers<CustomerProfile>();
  state.answer = late.promise;
  const asked = [directory.profile('a'), directory.profile('b')];
  state.answer = undefined;
  state.stored = profile({ status: 'suspended' });
  directory.customerChanged('a');
  assert.equal((await directory.profile('a')).status, 'suspended');
  late.resolve(profile());
  await Promise.all(asked);
  assert.equal((directory.profile('a') as CustomerProfile).status, 'suspended');
  assert.equal((directory.profile('b') as CustomerProfile).status, 'active');
  assert.equal(state.reads.profiles, 3);
});

test('without a database, a profile is served for five seconds and no longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, directory } = setUp();
  await directory.profile('customer');
  state.broken = true;
  state.now = 4_999;
  assert.equal((directory.profile('customer') as CustomerProfile).name, 'Acme');
  await settle(t);
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
