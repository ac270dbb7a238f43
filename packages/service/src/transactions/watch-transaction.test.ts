import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TransactionRow } from './record.ts';
import type { TransactionStore } from './store.ts';
import { TransactionWatch } from './watch-transaction.ts';

/** Rows that only have what is watched. */
const rowOf = (customer: string, id: string, version = 1) =>
  ({ customer_id: customer, id, version }) as unknown as TransactionRow;
const LONG = 60;
const MOST = 10;

/** A store in which a test changes what it likes, and a watch on it. */
function watched() {
  const rows = new Map<string, TransactionRow>();
  let looks = 0;
  const store = {
    find: async (customer: string, id: string) => {
      looks++;
      return rows.get(`${customer} ${id}`);
    },
  } as unknown as TransactionStore;
  const change = (row: TransactionRow) => rows.set(`${row.customer_id} ${row.id}`, row);
  return { watch: new TransactionWatch(store), change, looks: () => looks };
}

const held = (watch: TransactionWatch, customer: string, gone = new AbortController().signal) =>
  watch.changed(rowOf(customer, 'a'), LONG, gone);

describe('a held read', () => {
  test('is answered with the next look after a change, every quarter of a second', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { watch, change, looks } = watched();
    let answer: TransactionRow | undefined;
    const waiting = held(watch, 'acme').then((row) => {
      answer = row;
    });
    const pass = async (ms: number) => {
      t.mock.timers.tick(ms);
      await new Promise(setImmediate);
    };
    await pass(249);
    assert.equal(looks(), 0);
    await pass(1);
    assert.deepEqual([looks(), answer], [1, undefined], 'a row that is gone is waited for as it was');
    change(rowOf('acme', 'a', 2));
    await pass(250);
    await waiting;
    assert.equal(answer?.version, 2);
  });

  test('of no time is answered at once, with what is known', async () => {
    const { watch, looks } = watched();
    const row = rowOf('acme', 'a');
    assert.equal(await watch.changed(row, 0, new AbortController().signal), row);
    assert.equal(looks(), 0);
  });

  test('ends with the caller, and with the service', async () => {
    const { watch } = watched();
    const caller = new AbortController();
    const leaving = held(watch, 'acme', caller.signal);
    caller.abort();
    assert.equal((await leaving).version, 1);
    const others = [held(watch, 'acme'), held(watch, 'other')];
    watch.close();
    assert.deepEqual(
      (await Promise.all(others)).map(({ version }) => version),
      [1, 1],
    );
    assert.equal((await held(watch, 'acme')).version, 1, 'none is held any more');
  });

  test('is one of ten of a customer, whoever else waits; each that ends makes room', async () => {
    const { watch } = watched();
    const callers = Array.from({ length: MOST }, () => new AbortController());
    const waiting = callers.map(({ signal }) => held(watch, 'acme', signal));
    const tooMany = {
      code: 'rate_limited',
      message: /^10 requests/,
      members: { 'violated-policies': ['held'] },
      headers: { 'Retry-After': '1' },
    };
    await assert.rejects(held(watch, 'acme'), tooMany);
    waiting.push(held(watch, 'other'));
    callers[0]?.abort();
    await waiting[0];
    waiting.push(held(watch, 'acme'));
    await assert.rejects(held(watch, 'acme'), tooMany);
    watch.close();
    await Promise.all(waiting);
  });
});
