import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operation } from '@firmquote/api/operation';
import { pageOf } from '@firmquote/api/schema';
import { Type } from '@firmquote/api/typebox';
import { fastify } from 'fastify';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { VirtualClock } from '../platform/clock.ts';
import { IdempotencyStore } from './idempotency-store.ts';
import { ListTurns, listTurns } from './list-turns.ts';
import { CursorCodec } from './paging.ts';
import { serve } from './serve.ts';

/** Lists that go on until they are ended by name. */
class Lists {
  readonly #turns: ListTurns;
  readonly #ends = new Map<string, PromiseWithResolvers<string>>();
  readonly begun: string[] = [];
  /** Names of those whose callers have hung up. */
  readonly gone = new Set<string>();

  constructor(turns: ListTurns) {
    this.#turns = turns;
  }

  ask(...names: string[]): Promise<string>[] {
    return names.map((name) =>
      this.#turns.run(
        () => {
          const end = Promise.withResolvers<string>();
          this.#ends.set(name, end);
          this.begun.push(name);
          return end.promise;
        },
        () => !this.gone.has(name),
      ),
    );
  }

  end(name: string): void {
    this.#ends.get(name)?.resolve(name);
  }

  fail(name: string): void {
    this.#ends.get(name)?.reject(new Error(name));
  }
}

const passed = () => new Promise(setImmediate);

describe('turns', () => {
  test('of ten connections lists of customers have four, and the next begins when one has ended', async () => {
    const lists = new Lists(new ListTurns(10, 'customer'));
    const asked = lists.ask('a', 'b', 'c', 'd', 'e', 'f');
    await passed();
    assert.deepEqual(lists.begun, ['a', 'b', 'c', 'd']);
    lists.end('c');
    assert.equal(await asked[2], 'c');
    await passed();
    assert.deepEqual(lists.begun, ['a', 'b', 'c', 'd', 'e']);
    for (const name of ['a', 'b', 'd', 'e']) lists.end(name);
    await passed();
    lists.end('f');
    assert.deepEqual(await Promise.all(asked), ['a', 'b', 'c', 'd', 'e', 'f']);
    void lists.ask('g', 'h', 'i', 'j', 'k');
    await passed();
    assert.deepEqual(lists.begun.slice(6), ['g', 'h', 'i', 'j'], 'all turns are free again');
  });

  test('a list that fails hands its turn on', async () => {
    const lists = new Lists(new ListTurns(4, 'customer'));
    const [first, second] = lists.ask('a', 'b');
    lists.fail('a');
    await assert.rejects(first as Promise<string>, /^Error: a$/);
    await passed();
    assert.deepEqual(lists.begun, ['a', 'b']);
    lists.end('b');
    assert.equal(await second, 'b');
  });

  test('a list whose caller has hung up while it waited is not made, and its turn goes on', async () => {
    const lists = new Lists(new ListTurns(4, 'customer'));
    const [, second, third] = lists.ask('a', 'b', 'c');
    lists.gone.add('b');
    lists.end('a');
    await assert.rejects(second as Promise<string>, { name: 'Problem', code: 'overloaded' });
    await passed();
    assert.deepEqual(lists.begun, ['a', 'c']);
    lists.end('c');
    assert.equal(await third, 'c');
    void lists.ask('d');
    await passed();
    assert.deepEqual(lists.begun, ['a', 'c', 'd'], 'the turn is free again');
  });

  test('quick lists go past a slow one, but not past more than may be slow', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const turns = new ListTurns(10, 'operator');
    const lists = new Lists(turns);
    void lists.ask('slow 1', 'slow 2', 'a', 'b', 'c');
    t.mock.timers.tick(249);
    await passed();
    assert.deepEqual(lists.begun, ['slow 1', 'slow 2']);
    t.mock.timers.tick(1);
    await passed();
    assert.deepEqual(lists.begun, ['slow 1', 'slow 2', 'a'], 'one may be slow');
    t.mock.timers.tick(1_000);
    await passed();
    assert.equal(turns.waiting, 2, 'three of ten connections');
    lists.end('slow 1');
    await passed();
    assert.equal(turns.waiting, 2, 'its turn had been handed on');
    t.mock.timers.tick(250);
    await passed();
    assert.deepEqual(lists.begun.slice(3), ['b'], 'now the second slow one lets one go past');
  });

  test('with few connections each audience has one turn', async () => {
    for (const audience of ['customer', 'operator'] as const) {
      const lists = new Lists(new ListTurns(4, audience));
      void lists.ask('a', 'b');
      await passed();
      assert.deepEqual(lists.begun, ['a']);
    }
  });
});

describe('callers who hang up', () => {
  const listThings = operation({
    id: 'listThings',
    tag: 'Operations',
    access: { audience: 'operator', scope: 'operator:things' },
    method: 'GET',
    path: '/things',
    summary: 'List things',
    pages: true,
    answers: { 200: pageOf(Type.Object({})) },
  });
  const app = fastify();
  const lists = listTurns(1);
  app.decorate('kit', {
    idempotency: new IdempotencyStore({} as Pool, new VirtualClock()),
    cursors: new CursorCodec(Buffer.alloc(32, 1)),
    recordAct: async () => undefined,
    lists,
  });
  const ends: (() => void)[] = [];
  serve(app, listThings, async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { body: { items: [], nextCursor: null, hasMore: false } };
  });
  after(() => app.close());

  test('leave their place in the queue of lists', { timeout: 30_000 }, async () => {
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/things`;
    const first = fetch(url);
    while (ends.length < 1) await passed();
    const hangUp = new AbortController();
    const second = fetch(url, { signal: hangUp.signal });
    const [{ socket }] = await once(app.server, 'request');
    hangUp.abort();
    await assert.rejects(second);
    if (!socket.destroyed) await once(socket, 'close');
    const third = fetch(url);
    while (lists.operator.waiting < 2) await passed();
    assert.equal(ends.length, 1, 'one at a time');
    ends[0]?.();
    assert.equal((await first).status, 200);
    while (ends.length < 2) await passed();
    ends[1]?.();
    assert.equal((await third).status, 200);
    assert.equal(ends.length, 2, 'the list that nobody waits for was not made');
  });
});

describe('lists of a service', () => {
  let pool: Pool;
  let server: OperatorServer;
  before(async () => {
    ({ pool, server } = await createOperatedSandbox({ withBank: true }));
  });
  after(() => server.close());

  test('lists that hang leave connections to everything else', { timeout: 60_000 }, async () => {
    let lists: Promise<{ readonly status: number }>[] = [];
    await inTransaction(pool, async (connection) => {
      // What it takes for a list to be as slow as can be.
      await connection.query('lock table deposits in access exclusive mode');
      lists = Array.from({ length: 2 * pool.options.max }, () => server.call('GET', '/v1/operator/deposits'));
      await sleep(1_000);
      const answered = pool.query('select 1').then(() => 'answered');
      assert.equal(await Promise.race([answered, sleep(3_000).then(() => 'waits')]), 'answered');
    });
    const statuses = (await Promise.all(lists)).map(({ status }) => status);
    assert.deepEqual(statuses, Array(lists.length).fill(200));
  });
});
