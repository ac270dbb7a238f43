import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from './batcher.ts';

interface Statement {
  readonly items: readonly number[];
  land(): void;
  fail(error: Error): void;
}

/** A batcher whose statements are over when the test says so. */
function underTest({ maxBatch = 256, maxInFlight = 1, maxQueue = 1_000 } = {}) {
  const statements: Statement[] = [];
  const batcher = new Batcher<number, string>({
    name: 'test',
    maxBatch,
    maxInFlight,
    maxQueue,
    run: (items) =>
      new Promise((resolve, reject) => {
        statements.push({ items, land: () => resolve(items.map((item) => `answer ${item}`)), fail: reject });
      }),
  });
  const submit = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => batcher.submit(from + i));
  return { batcher, statements, submit };
}

/** Lets everything happen that is due. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const sizes = (statements: readonly Statement[]) => statements.map(({ items }) => items.length);

test('what arrives together goes together, and each gets its own answer', async () => {
  const { statements, submit } = underTest();
  const answers = submit(0, 5);
  await turn();
  assert.deepEqual(
    statements.map(({ items }) => items),
    [[0, 1, 2, 3, 4]],
  );
  statements[0]?.land();
  assert.deepEqual(
    await Promise.all(answers),
    [0, 1, 2, 3, 4].map((i) => `answer ${i}`),
  );
});

test('what arrives while a statement is under way waits for it and goes in the next', async () => {
  const { batcher, statements, submit } = underTest();
  submit(0, 1);
  await turn();
  submit(1, 4);
  await turn();
  assert.deepEqual(sizes(statements), [1]);
  assert.equal(batcher.waiting, 3);
  statements[0]?.land();
  await turn();
  assert.deepEqual(statements[1]?.items, [1, 2, 3]);
});

test('no batch is larger than permitted, and nothing is forgotten', async () => {
  const { statements, submit } = underTest({ maxBatch: 4 });
  const answers = submit(0, 10);
  for (let i = 0; i < 3; i++) {
    await turn();
    statements[i]?.land();
  }
  assert.deepEqual(sizes(statements), [4, 4, 2]);
  assert.equal((await Promise.all(answers)).length, 10);
});

test('callers in a closed loop end in two groups of one size, however uneven they began', async () => {
  const { statements, submit } = underTest();
  let asked = 0;
  const ask = (callers: number) => {
    for (let i = 0; i < callers; i++) void submit(asked, ++asked)[0]?.then(() => ask(1));
  };
  ask(60);
  await turn();
  ask(4);
  for (let i = 0; i < 6; i++) {
    await turn();
    statements[i]?.land();
  }
  assert.deepEqual(sizes(statements), [60, 4, 32, 32, 32, 32]);
});

test('a second statement goes beside the first only when it carries as much', async () => {
  const { statements, submit } = underTest({ maxInFlight: 2 });
  submit(0, 3);
  await turn();
  submit(3, 5);
  await turn();
  assert.deepEqual(sizes(statements), [3]);
  submit(5, 6);
  await turn();
  assert.deepEqual(sizes(statements), [3, 3]);
});

test('one bad item does not fail its neighbours: halves find it, beside what comes next', async () => {
  const { statements, submit } = underTest();
  const settling = Promise.allSettled(submit(0, 4));
  await turn();
  const next = submit(4, 5)[0];
  statements[0]?.fail(new Error('division by zero'));
  await turn();
  assert.deepEqual(sizes(statements), [4, 1, 2]);
  statements[1]?.land();
  assert.equal(await next, 'answer 4');
  statements[2]?.land();
  await turn();
  statements[3]?.fail(new Error('division by zero'));
  await turn();
  statements[4]?.land();
  await turn();
  statements[5]?.fail(new Error('division by zero'));
  assert.deepEqual(
    (await settling).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['answer 0', 'answer 1', 'answer 2', 'Error: division by zero'],
  );
  assert.deepEqual(sizes(statements), [4, 1, 2, 2, 1, 1]);
});

test('when the connection broke nobody is tried again: the outcome is unknown', async () => {
  const { statements, submit } = underTest();
  const settling = Promise.allSettled(submit(0, 2));
  await turn();
  statements[0]?.fail(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  assert.deepEqual(
    (await settling).map((each) => each.status),
    ['rejected', 'rejected'],
  );
  await turn();
  assert.equal(statements.length, 1);
});

test('after a failure the next batch goes', async () => {
  const { statements, submit } = underTest();
  const failed = submit(0, 1)[0]?.catch(() => 'failed');
  await turn();
  const after = submit(1, 2)[0];
  statements[0]?.fail(new Error('division by zero'));
  assert.equal(await failed, 'failed');
  await turn();
  statements[1]?.land();
  assert.equal(await after, 'answer 1');
});

test('past the queue a request is refused as overloaded', async () => {
  const { submit } = underTest({ maxQueue: 2 });
  submit(0, 1);
  await turn();
  submit(1, 3);
  await assert.rejects(Promise.all(submit(3, 4)), { code: 'overloaded' });
});

test('a statement that answers for fewer items than it carried fails all of them', async () => {
  const batcher = new Batcher<number, string>({
    name: 'short',
    maxBatch: 8,
    maxInFlight: 1,
    maxQueue: 8,
    run: async () => [],
  });
  await assert.rejects(batcher.submit(1), /short: 0 results for 1 items/);
});
