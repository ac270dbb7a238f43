import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RENEWED_TOGETHER_MS, RefreshingCache } from './refreshing-cache.ts';

interface Value {
  readonly name: string;
  readonly settings: { readonly limits: readonly number[] };
  readonly used: number;
}

function setUp(maxEntries: number) {
  const state = { now: 0, used: 0, loads: [] as string[] };
  const cache = new RefreshingCache<string, Value>({
    load: async (name) => {
      state.loads.push(name);
      return { name, settings: { limits: [1, 2] }, used: state.used };
    },
    freshMs: 2_000,
    maxAgeMs: 5_000,
    maxEntries,
    now: () => state.now,
  });
  return { state, cache };
}

test('what did not change stays the same object, and so does each member that did not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { state, cache } = setUp(10);
  const first = await cache.get('a');
  const renewed = async () => {
    state.now += 2_000;
    void cache.get('a');
    t.mock.timers.tick(RENEWED_TOGETHER_MS);
    await new Promise((resolve) => setImmediate(resolve));
    return cache.get('a') as Value;
  };
  assert.equal(await renewed(), first);
  state.used = 1;
  const changed = await renewed();
  assert.equal(changed.used, 1);
  assert.equal(changed.settings, first.settings);
  assert.equal(state.loads.length, 3, 'each was read');
});

test('where there is no room, the one goes that was read the longest ago', async () => {
  const { state, cache } = setUp(2);
  await cache.get('a');
  await cache.get('b');
  state.now = 5_000;
  await cache.get('a');
  await cache.get('c');
  state.loads = [];
  assert.ok(!(cache.get('a') instanceof Promise));
  assert.ok(!(cache.get('c') instanceof Promise));
  await cache.get('b');
  assert.deepEqual(state.loads, ['b']);
});
