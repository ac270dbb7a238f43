import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from './differences.ts';

test('what differs is told column by column', () => {
  assert.deepEqual(
    differences({ name: 'a', version: 1, same: [1] }, { version: 2, name: 'a', same: [1], more: null }),
    [
      { column: 'more', before: undefined, after: 'null' },
      { column: 'version', before: '1', after: '2' },
    ],
  );
});

test('a row that came or went has one side', () => {
  assert.deepEqual(differences(undefined, { name: 'x' }), [
    { column: 'name', before: undefined, after: 'x' },
  ]);
  assert.deepEqual(differences({ name: 'x' }, null), [{ column: 'name', before: 'x', after: undefined }]);
  assert.deepEqual(differences('set', 'set'), []);
  assert.deepEqual(differences(undefined, 'set'), [{ column: '', before: undefined, after: 'set' }]);
});
