import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { PassingMap } from './passing-map.ts';

test('it is a map', () => {
  const key = fc.constantFrom(...Array.from({ length: 30 }, (_, i) => `${'x'.repeat(i)}/${i % 7}`), '', 'é');
  const step = fc.oneof(
    fc.record({ does: fc.constant('set' as const), key, value: fc.option(fc.nat(), { nil: undefined }) }),
    fc.record({ does: fc.constant('delete' as const), key }),
    fc.record({ does: fc.constant('clear' as const), key }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const passing = new PassingMap<number | undefined>();
      const map = new Map<string, number | undefined>();
      for (const each of steps) {
        if (each.does === 'set') for (const into of [passing, map]) into.set(each.key, each.value);
        else if (each.does === 'delete') for (const from of [passing, map]) from.delete(each.key);
        else for (const all of [passing, map]) all.clear();
        assert.equal(passing.size, map.size);
        assert.equal(passing.has(each.key), map.has(each.key));
        for (const [known, value] of map) assert.equal(passing.get(known), value);
      }
    }),
  );
});

test('entries that share a place stay apart', () => {
  const passing = new PassingMap<number>();
  const keys = Array.from({ length: 5_000 }, (_, i) => `key ${i}`);
  for (const [i, key] of keys.entries()) passing.set(key, i);
  for (const [i, key] of keys.entries()) if (i % 3 === 0) passing.delete(key);
  assert.equal(passing.size, 3_333);
  for (const [i, key] of keys.entries()) assert.equal(passing.get(key), i % 3 === 0 ? undefined : i);
});

/** Entries that pass, a hundred at a time; prints how many MB of them collections of the young ones have kept, of 300. */
const MANY = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const { PassingMap } = await import(process.argv[1]);
  const old = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  const map = process.argv[2] === 'map' ? new Map() : new PassingMap();
  let kept = 0;
  for (let i = 0; i < 200_000; i++) {
    map.set('customer/' + i, { made: Array.from({ length: 180 }, () => i) });
    if (i >= 100) map.delete('customer/' + (i - 100));
    if (i % 4_000 === 0) {
      const before = old();
      gc({ type: 'minor' });
      if (i > 20_000) kept += old() - before;
    }
  }
  process.stdout.write(String(kept / 1e6));
`;

test('nothing that has passed is kept by collections of the young, as a Map does', () => {
  const keptBy = (kind: string) =>
    Number(
      execFileSync(process.execPath, [
        ...['--expose-gc', '--no-allocation-site-pretenuring', '--input-type=module', '-e', MANY],
        ...[new URL('./passing-map.ts', import.meta.url).href, kind],
      ]),
    );
  const [passing, map] = [keptBy('passing'), keptBy('map')];
  assert.ok(map > 30, `a Map keeps ${map} MB`);
  assert.ok(passing < 10, `${passing} MB`);
});
