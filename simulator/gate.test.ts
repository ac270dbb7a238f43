import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Gate } from './gate.ts';
import { turn } from './real.ts';

/** An errand that is over when the test says so. */
function errand(gate: Gate, name: string, reported: string[], processId?: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const work = async () => {
    reported.push(`${name} goes`);
    begin();
    await promise;
  };
  const over = gate.pass(work, () => processId).then(() => reported.push(`${name} is told`));
  return { begun, over, answer: resolve };
}

/** As many as do what Node hands to threads, unless it is told otherwise. */
const THREADS = 4;

test('one errand at a time leaves the process, in the order in which they were asked for', async () => {
  const gate = new Gate();
  const reported: string[] = [];
  const one = errand(gate, 'one', reported);
  const other = errand(gate, 'other', reported);
  other.answer();
  await one.begun;
  for (let i = 0; i < 50; i++) await turn();
  assert.deepEqual(reported, ['one goes']);
  one.answer();
  await gate.quiet();
  assert.deepEqual(reported, ['one goes', 'one is told', 'other goes', 'other is told']);
});

test('one that waits for a lock lets others go on, and is told first when it has got it', async () => {
  const gate = new Gate();
  let isHeld = true;
  gate.look = async (processIds) => processIds.filter((each) => each === 1 && isHeld);
  const reported: string[] = [];
  const waiting = errand(gate, 'waiting', reported, 1);
  const holder = errand(gate, 'holder', reported, 2);
  await holder.begun;
  assert.deepEqual(reported, ['waiting goes', 'holder goes']);
  isHeld = false;
  holder.answer();
  for (let i = 0; i < 50; i++) await turn();
  assert.deepEqual(reported, ['waiting goes', 'holder goes'], 'what has the lock now is waited for');
  waiting.answer();
  await gate.quiet();
  assert.deepEqual(reported.slice(2), ['waiting is told', 'holder is told']);
  assert.equal(gate.blocked, 0);
});

test('it is quiet while somebody waits for a lock of nobody here', async () => {
  const gate = new Gate();
  gate.look = async (processIds) => processIds;
  const reported: string[] = [];
  const waiting = errand(gate, 'waiting', reported, 1);
  await gate.quiet();
  assert.deepEqual([reported, gate.blocked], [['waiting goes'], 1]);
  waiting.answer();
  await gate.quiet();
  await waiting.over;
  assert.equal(gate.blocked, 0);
});

test('an immediate that is still to come is waited for, however many turns it takes', async () => {
  const gate = new Gate();
  gate.immediateSet();
  let isQuiet = false;
  const quiet = gate.quiet().then(() => {
    isQuiet = true;
  });
  for (let i = 0; i < 100; i++) await turn();
  assert.equal(isQuiet, false);
  gate.immediateDone();
  await quiet;
});

test('a file that is being closed is waited for, however long the threads have no time for it', async () => {
  const gate = new Gate();
  const file = await open(import.meta.filename);
  const busy = Array.from({ length: THREADS }, () => promisify(pbkdf2)('', '', 200_000, 32, 'sha512'));
  let isClosed = false;
  const closed = file.close().then(() => {
    isClosed = true;
  });
  await gate.quiet();
  assert.ok(isClosed);
  await Promise.all([...busy, closed]);
});

test('what fails outside fails for who asked', async () => {
  const gate = new Gate();
  await assert.rejects(
    gate.pass(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await gate.pass(async () => 7), 7);
});
