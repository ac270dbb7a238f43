import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathering } from './gathering.ts';

test('what is added within a moment is handed over together, each once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const handed: (readonly string[])[] = [];
  const gathering = new Gathering<string>(100, (items) => handed.push(items));
  gathering.add('a');
  t.mock.timers.tick(99);
  gathering.add('b');
  gathering.add('a');
  assert.deepEqual(handed, []);
  t.mock.timers.tick(1);
  assert.deepEqual(handed, [['a', 'b']]);
  t.mock.timers.tick(1_000);
  assert.equal(handed.length, 1, 'and then nothing');
});

test('what comes afterwards, or meanwhile, waits for the next time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const handed: (readonly string[])[] = [];
  const gathering = new Gathering<string>(100, (items) => {
    handed.push(items);
    if (handed.length === 1) gathering.add('c');
  });
  gathering.add('a');
  t.mock.timers.tick(100);
  gathering.add('b');
  t.mock.timers.tick(100);
  assert.deepEqual(handed, [['a'], ['c', 'b']]);
});
