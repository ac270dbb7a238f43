import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSources } from './support/source-files.ts';

/** Whoever locks a number waits for everybody else who locks it, whatever it is for. */
test('each number that is locked by itself is of one thing', () => {
  const sources = readSources(join(import.meta.dirname, '../../..')).filter(({ path }) =>
    path.startsWith('packages/service/src/'),
  );
  const places = sources.flatMap(({ path, code }) =>
    (code.match(/\b4_201_\d{3}\b/g) ?? []).map((number) => ({ number, path })),
  );
  assert.ok(places.length >= 6, 'the pattern is that of the numbers');
  const shared = [...Map.groupBy(places, ({ number }) => number)].filter(([, users]) => users.length > 1);
  assert.deepEqual(
    shared.map(([number, users]) => [number, ...users.map(({ path }) => path)]),
    [],
  );
});
