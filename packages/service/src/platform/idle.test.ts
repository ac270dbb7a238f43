import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idlePause } from './idle.ts';

test('a pause lasts for as long as the event loop is busy', { timeout: 30_000 }, async () => {
  const pause = idlePause(20);
  let busy = true;
  let over = false;
  // One turn of the loop after the other, so that it never waits, however little of the machine this process gets.
  const work = () => {
    if (busy) setImmediate(work);
  };
  work();
  const paused = pause().then(() => {
    over = true;
  });
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(over, false);
  busy = false;
  await paused;
});

test('while nothing else happens it is over at once', { timeout: 30_000 }, async () => {
  let pauses = 0;
  for (; pauses < 5; pauses++) await idlePause(1)();
  assert.equal(pauses, 5, 'each of them ended');
});
