import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../problems/problem.ts';
import { Batcher } from './batcher.ts';

/** Held rows: whoever needs one goes aside, and the others go on. */

interface Statement {
  readonly items: readonly string[];
  land(): void;
  heldUp(): void;
}

const heldUp = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** Items are a key and a number, `a1`. Statements are over when the test says so. */
function underTest(waitLimitMs = 60_000, maxQueue = 1_000) {
  const statements: Statement[] = [];
  const batcher = new Batcher<string, string>({
    name: 'test',
    maxBatch: 256,
    maxInFlight: 1,
    maxQueue,
    locks: { keyOf: (item) => item.slice(0, 1), waitLimitMs },
    run: (items) =>
      new Promise((resolve, reject) => {
        statements.push({
          items,
          land: () => resolve(items.map((item) => `${item} done`)),
          heldUp: () => reject(heldUp()),
        });
      }),
  });
  const answers = new Map<string, string>();
  const submit = (...items: string[]) => {
    for (const item of items) {
      batcher.submit(item).then(
        (answer) => answers.set(item, answer),
        (error: Error) => answers.set(item, error instanceof Problem ? error.code : error.message),
      );
    }
  };
  /** The statement that carries exactly these, once it is there. */
  const statement = async (...items: string[]): Promise<Statement> => {
    for (;;) {
      const found = statements.findIndex((each) => each.items.join() === items.join());
      if (found >= 0) return statements.splice(found, 1)[0] as Statement;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { batcher, statements, submit, statement, answers };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('the others of a batch that was held up are found in halves, while the main lane goes on', async () => {
  const { submit, statement, answers } = underTest();
  submit('a1', 'b1', 'c1', 'd1', 'a2');
  (await statement('a1', 'b1', 'c1', 'd1', 'a2')).heldUp();
  const [left, right] = [await statement('a1', 'a2', 'b1'), await statement('c1', 'd1')];
  // Somebody who was not in it waits for none of this.
  submit('e1');
  (await statement('e1')).land();
  await turn();
  assert.equal(answers.get('e1'), 'e1 done');
  right.land();
  left.heldUp();
  (await statement('b1')).land();
  await turn();
  assert.deepEqual([...answers.keys()], ['e1', 'c1', 'd1', 'b1']);
  // Those are back in the main lane.
  submit('b2', 'c2');
  (await statement('b2', 'c2')).land();
  (await statement('a1', 'a2')).land();
  await turn();
  assert.equal(answers.get('a2'), 'a2 done');
});

test('what comes for a held key joins it, in order, and leaves the main lane alone', async () => {
  const { submit, statement, statements, answers } = underTest();
  submit('a1');
  const first = await statement('a1');
  // In the queue before it is known.
  submit('a2', 'b1');
  first.heldUp();
  (await statement('b1')).land();
  const alone = await statement('a1');
  submit('a3', 'b2');
  (await statement('b2')).land();
  alone.heldUp();
  const next = await statement('a1', 'a2', 'a3');
  await turn();
  assert.deepEqual([...answers.keys()], ['b1', 'b2']);
  next.land();
  await turn();
  assert.deepEqual(statements, []);
  assert.deepEqual([...answers.values()], ['b1 done', 'b2 done', 'a1 done', 'a2 done', 'a3 done']);
  submit('a4', 'b3');
  (await statement('a4', 'b3')).land();
});

test('past its limit an item is refused as overloaded, and what came later is tried on', async () => {
  const { submit, statement, statements, answers } = underTest(400);
  submit('a1');
  (await statement('a1')).heldUp();
  while (!answers.has('a1')) {
    statements.shift()?.heldUp();
    await turn();
  }
  assert.equal(answers.get('a1'), 'overloaded');
  submit('a2');
  (await statement('a2')).land();
  await turn();
  assert.equal(answers.get('a2'), 'a2 done');
});

test('a main lane that stood still for too long refuses what waited, and sends the rest', async () => {
  const { submit, statement, answers } = underTest(50);
  submit('a1');
  const slow = await statement('a1');
  submit('b1');
  const began = performance.now();
  while (performance.now() - began < 60) await turn();
  submit('c1');
  slow.land();
  (await statement('c1')).land();
  await turn();
  assert.deepEqual(Object.fromEntries(answers), { a1: 'a1 done', b1: 'overloaded', c1: 'c1 done' });
});

test('what waits aside counts against the length of the queue', async () => {
  const { batcher, submit, statement, answers } = underTest(60_000, 2);
  submit('a1');
  (await statement('a1')).heldUp();
  await statement('a1');
  submit('a2', 'a3', 'a4');
  await turn();
  assert.equal(batcher.waiting, 2);
  assert.deepEqual(Object.fromEntries(answers), { a4: 'overloaded' });
});
