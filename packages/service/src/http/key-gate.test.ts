import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { KeyGate } from './key-gate.ts';

function later<T>() {
  return Promise.withResolvers<T>();
}

test('requests with one key go one after the other, and those with others beside them', async () => {
  const gate = new KeyGate();
  const begun: string[] = [];
  const request = (id: string, name: string, over: Promise<string>) =>
    gate.run(id, () => {
      begun.push(name);
      return over;
    });
  const [first, second] = [later<string>(), later<string>()];
  const all = [
    request('a', 'first', first.promise),
    request('a', 'second', second.promise),
    request('a', 'third', Promise.resolve('third answer')),
    request('b', 'other', Promise.resolve('other answer')),
  ];
  assert.equal(await all[3], 'other answer');
  assert.deepEqual(begun, ['first', 'other']);
  first.resolve('first answer');
  assert.equal(await all[0], 'first answer');
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['first', 'other', 'second']);
  second.resolve('second answer');
  assert.deepEqual(await Promise.all(all), ['first answer', 'second answer', 'third answer', 'other answer']);
});

test('what comes after a request that failed goes on', async () => {
  const gate = new KeyGate();
  const first = later<string>();
  const failed = gate.run('a', () => first.promise);
  const next = gate.run('a', () => Promise.resolve('answer'));
  first.reject(new Error('no connection'));
  await assert.rejects(failed, /no connection/);
  assert.equal(await next, 'answer');
});

test('a request that has waited for long enough is told so, and the first goes on', async () => {
  const gate = new KeyGate(20);
  const first = later<string>();
  const answer = gate.run('a', () => first.promise);
  await assert.rejects(
    gate.run('a', () => Promise.resolve('never')),
    { code: 'request_in_progress' },
  );
  first.resolve('answer');
  assert.equal(await answer, 'answer');
  assert.equal(await gate.run('a', () => Promise.resolve('later')), 'later');
});

/** Sixty-four requests under way at any time, each of which makes 6 kB; prints how many MB of 110 a collection of the young ones has kept. */
const MANY_REQUESTS = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const { KeyGate } = await import(process.argv[1]);
  const old = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  const gate = new KeyGate();
  const underWay = [];
  let kept = 0;
  for (let i = 0; i < 20_000; i++) {
    const { promise, resolve } = Promise.withResolvers();
    gate.run('customer/' + i, () => promise);
    underWay.push(() => resolve(Array.from({ length: 200 }, (_, n) => ({ n }))));
    if (underWay.length === 64) underWay.shift()();
    if (i % 20 === 0) await new Promise(setImmediate);
    if (i % 500 === 0) {
      const before = old();
      gc({ type: 'minor' });
      if (i > 2_000) kept += old() - before;
    }
  }
  process.stdout.write(String(kept / 1e6));
`;

test('nothing that a request has made outlives it in the gate', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    // Collected when it is asked for, and not before.
    '--max-semi-space-size=32',
    '--no-allocation-site-pretenuring',
    '--input-type=module',
    '--eval',
    MANY_REQUESTS,
    new URL('./key-gate.ts', import.meta.url).href,
  ]);
  const kept = Number.parseFloat(stdout);
  assert.ok(kept < 10, `${kept} MB were kept`);
});
