import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { ReadOnlyDatabase } from '../database/session.ts';
import { RENEWED_TOGETHER_MS } from '../platform/refreshing-cache.ts';
import { ClientStates, FRESH_MS, USABLE_MS } from './client-states.ts';
import type { ClientState } from './token-store.ts';

const active = (id: string): ClientState => ({
  id,
  kind: 'customer',
  customerId: 'customer',
  status: 'active',
  ipAllowList: [],
  scopes: [],
  personId: undefined,
  expiresAt: undefined,
  dpopBound: false,
  revokedUpTo: undefined,
  revokedTokens: new Set(),
});

/** What is due in the background begins. */
const renewDue = (t: TestContext) => t.mock.timers.tick(RENEWED_TOGETHER_MS);

/** States that answer when the test says so. */
function harness() {
  let now = 1_000_000;
  const reads: { ids: readonly string[]; answer: PromiseWithResolvers<readonly ClientState[]> }[] = [];
  const states = new ClientStates({
    realClock: { now: () => now },
    read: (ids) => {
      const answer = Promise.withResolvers<readonly ClientState[]>();
      reads.push({ ids, answer });
      return answer.promise;
    },
  });
  const answerWith = async (found: readonly ClientState[]) => {
    await new Promise(setImmediate);
    reads.at(-1)?.answer.resolve(found);
    await new Promise(setImmediate);
  };
  return {
    states,
    reads,
    answerWith,
    advance: (ms: number) => {
      now += ms;
    },
    async warm(id: string) {
      const asked = states.get(id);
      await answerWith([active(id)]);
      return asked;
    },
  };
}

describe('client states', () => {
  test('clients that ask together are read together, each once', async () => {
    const { states, reads, answerWith } = harness();
    const asked = Promise.all([states.get('a'), states.get('b'), states.get('a')]);
    await answerWith([active('a')]);
    const [a, b, again] = await asked;
    assert.deepEqual(
      reads.map((read) => read.ids),
      [['a', 'b']],
    );
    assert.equal(a?.status, 'active');
    assert.equal(b, undefined, 'there is no such client');
    assert.equal(again, a);
  });

  test('clients that are due at about the same time are renewed together', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { states, reads, answerWith, advance } = harness();
    const asked = Promise.all([states.get('a'), states.get('b')]);
    await answerWith([active('a'), active('b')]);
    await asked;
    advance(FRESH_MS);
    void states.get('a');
    await new Promise(setImmediate);
    void states.get('b');
    assert.equal(reads.length, 1, 'nobody waits for it');
    renewDue(t);
    await answerWith([active('a'), active('b')]);
    assert.deepEqual(
      reads.map(({ ids }) => ids),
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
  });

  test('up to two seconds old: used; up to five: used and renewed; older: waited for', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { states, reads, answerWith, advance, warm } = harness();
    await warm('a');
    advance(FRESH_MS - 1);
    assert.ok(!(states.get('a') instanceof Promise));
    assert.equal(reads.length, 1);
    advance(1);
    assert.ok(!(states.get('a') instanceof Promise));
    assert.ok(!(states.get('a') instanceof Promise));
    renewDue(t);
    await answerWith([{ ...active('a'), status: 'suspended' }]);
    assert.equal(reads.length, 2, 'one renewal at a time');
    const renewed = states.get('a');
    assert.ok(!(renewed instanceof Promise));
    assert.equal(renewed?.status, 'suspended');
    advance(USABLE_MS);
    const waiting = states.get('a');
    assert.ok(waiting instanceof Promise);
    await answerWith([active('a')]);
    assert.equal((await waiting)?.status, 'active');
  });

  test('the age counts from the question, however late the answer', async () => {
    const { states, reads, advance } = harness();
    const asked = states.get('a');
    await new Promise(setImmediate);
    advance(USABLE_MS);
    reads[0]?.answer.resolve([active('a')]);
    await asked;
    assert.ok(states.get('a') instanceof Promise);
  });

  test('who comes when an answer is overdue does not wait for it, and it is not kept', async () => {
    const { states, reads, advance, answerWith } = harness();
    const first = states.get('a');
    await new Promise(setImmediate);
    advance(USABLE_MS);
    const second = states.get('a');
    await answerWith([{ ...active('a'), status: 'suspended' }]);
    assert.equal((await second)?.status, 'suspended');
    reads[0]?.answer.resolve([active('a')]);
    assert.equal((await first)?.status, 'active');
    assert.equal((states.get('a') as ClientState).status, 'suspended');
  });

  test('an answer that was on its way when the client was changed is not kept', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { states, reads, answerWith, advance, warm } = harness();
    await warm('a');
    advance(FRESH_MS);
    void states.get('a');
    renewDue(t);
    await new Promise(setImmediate);
    states.forget('a');
    reads[1]?.answer.resolve([active('a')]);
    await new Promise(setImmediate);
    const next = states.get('a');
    assert.ok(next instanceof Promise);
    await answerWith([{ ...active('a'), status: 'suspended' }]);
    assert.equal((await next)?.status, 'suspended');
  });

  test('forgetting a client that is only queued leaves nobody waiting', async () => {
    const { states, answerWith } = harness();
    const first = states.get('a');
    states.forget('a');
    const second = states.get('a');
    await answerWith([active('a')]);
    assert.equal((await first)?.id, 'a');
    assert.equal((await second)?.id, 'a');
  });

  test('a failure is 503 for those who must wait and nothing to those who need not', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { states, reads, advance, warm } = harness();
    await warm('a');
    advance(FRESH_MS);
    assert.ok(!(states.get('a') instanceof Promise));
    renewDue(t);
    await new Promise(setImmediate);
    reads[1]?.answer.reject(new Error('connect ECONNREFUSED'));
    await new Promise(setImmediate);
    assert.ok(!(states.get('a') instanceof Promise), 'still usable');
    advance(USABLE_MS - FRESH_MS);
    renewDue(t);
    await new Promise(setImmediate);
    const waiting = states.get('a');
    reads[2]?.answer.reject(new Error('connect ECONNREFUSED'));
    await assert.rejects(Promise.resolve(waiting), { code: 'maintenance', status: 503 });
  });

  test('a database that takes no writes is told as that, by whatever needs it first', async () => {
    const { states, reads } = harness();
    const waiting = states.get('a');
    await new Promise(setImmediate);
    const failure = new ReadOnlyDatabase('The database takes no writes: the server is a standby.');
    reads[0]?.answer.reject(failure);
    await assert.rejects(Promise.resolve(waiting), (error) => error === failure);
  });

  test('a clock that was set back makes every state too old', async () => {
    const { states, advance, warm } = harness();
    await warm('a');
    advance(-1);
    assert.ok(states.get('a') instanceof Promise);
  });
});
