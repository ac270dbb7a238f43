import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from './batcher.ts';
import { Turns } from './turns.ts';

interface Statement {
  readonly items: readonly string[];
  land(): void;
  fail(error: Error): void;
}

/** A batcher of texts whose first letter is their key, with two statements at once that are over when the test says so. */
function underTest({ maxBatch = 256, waitLimitMs = 60_000 } = {}) {
  const statements: Statement[] = [];
  const order: string[] = [];
  const batcher = new Batcher<string, string>({
    name: 'test',
    maxBatch,
    maxInFlight: 2,
    maxQueue: 1_000,
    locks: { keyOf: (item) => item.slice(0, 1), waitLimitMs },
    run: (items) =>
      new Promise((resolve, reject) => {
        const land = () => {
          order.push(...items);
          resolve(items);
        };
        statements.push({ items, land, fail: reject });
      }),
  });
  const submit = (item: string) => batcher.submit(item);
  /** Nobody waits for the answers. */
  const send = (...items: string[]): void => {
    for (const item of items) void submit(item);
  };
  const itemsOf = () => statements.map(({ items }) => items.join(' '));
  return { batcher, statements, submit, send, itemsOf, order };
}

/** Lets everything happen that is due. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('other keys go beside a statement, its own keys wait for its end', async () => {
  const { batcher, statements, send, itemsOf } = underTest();
  send('a1', 'b1');
  await turn();
  send('a2', 'c1', 'd1', 'b2');
  await turn();
  assert.deepEqual(itemsOf(), ['a1 b1', 'c1 d1']);
  assert.equal(batcher.waiting, 2);
  statements[1]?.land();
  await turn();
  assert.equal(statements.length, 2, 'the keys of the first are still under way');
  statements[0]?.land();
  await turn();
  assert.deepEqual(itemsOf(), ['a1 b1', 'c1 d1', 'a2 b2']);
  assert.equal(batcher.waiting, 0);
});

test('items of one key keep their order, also when a statement is full', async () => {
  const { statements, submit, send, order } = underTest({ maxBatch: 2 });
  const answers = ['a1', 'a2', 'a3', 'b1', 'a4', 'b2'].map(submit);
  send('a5', 'b3');
  for (let landed = 0; order.length < 8; landed++) {
    await turn();
    const running = statements.slice(landed);
    const keys = running.flatMap(({ items }) => [...new Set(items.map((item) => item.slice(0, 1)))]);
    assert.equal(new Set(keys).size, keys.length, `one key in two statements: ${keys}`);
    statements[landed]?.land();
  }
  assert.deepEqual(await Promise.all(answers), ['a1', 'a2', 'a3', 'b1', 'a4', 'b2']);
  assert.deepEqual(
    order.filter((item) => item.startsWith('a')),
    ['a1', 'a2', 'a3', 'a4', 'a5'],
  );
  assert.deepEqual(
    order.filter((item) => item.startsWith('b')),
    ['b1', 'b2', 'b3'],
  );
});

test('one key alone is in one statement at a time', async () => {
  const { statements, send, itemsOf } = underTest();
  send('a1');
  await turn();
  send('a2', 'a3');
  await turn();
  assert.deepEqual(itemsOf(), ['a1']);
  statements[0]?.land();
  await turn();
  assert.deepEqual(itemsOf(), ['a1', 'a2 a3']);
});

test('what waited for its turn is refused like the rest when it has waited too long', async () => {
  const { statements, submit, send } = underTest({ waitLimitMs: 30 });
  send('a1');
  await turn();
  const refused = assert.rejects(submit('a2'), { code: 'overloaded' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const fresh = submit('b1');
  statements[0]?.land();
  await refused;
  await turn();
  statements[1]?.land();
  assert.equal(await fresh, 'b1');
  assert.deepEqual(
    statements.map(({ items }) => items),
    [['a1'], ['b1']],
  );
});

test('a statement that failed gives its keys free', async () => {
  const { statements, submit, itemsOf } = underTest();
  const bad = submit('a1');
  await turn();
  const next = submit('a2');
  statements[0]?.fail(new Error('wrong'));
  await assert.rejects(bad, /wrong/);
  await turn();
  assert.deepEqual(itemsOf(), ['a1', 'a2']);
  statements[1]?.land();
  assert.equal(await next, 'a2');
});

test('turns count how often a key is under way', () => {
  const turns = new Turns<string>((each) => each);
  turns.begin(['a', 'a', 'b']);
  turns.begin(['a']);
  assert.equal(turns.hold('a'), true);
  assert.equal(turns.hold('c'), false);
  assert.deepEqual(turns.end(['a', 'a', 'b']), []);
  assert.equal(turns.waiting, 1);
  assert.deepEqual(turns.end(['a']), ['a']);
  assert.equal(turns.waiting, 0);
  assert.equal(turns.hold('a'), false);
});
