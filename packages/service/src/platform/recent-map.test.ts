import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from './recent-map.ts';

test('what is asked for again and again stays, however much passes through', () => {
  const map = new RecentMap<number, string>(100);
  map.set(-1, 'kept');
  for (let i = 0; i < 10_000; i++) {
    map.set(i, 'passing');
    if (i % 20 === 0) assert.equal(map.get(-1), 'kept', `after ${i}`);
    assert.ok(map.size <= 100, `holds ${map.size}`);
  }
  assert.equal(map.get(1), undefined);
});

test('a deleted entry is gone from both generations', () => {
  const map = new RecentMap<string, number>(4);
  map.set('a', 1);
  map.set('b', 2);
  map.set('c', 3);
  for (const key of ['a', 'b', 'c']) {
    map.delete(key);
    assert.equal(map.get(key), undefined);
  }
  assert.equal(map.size, 0);
});
