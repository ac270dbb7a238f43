import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { current, funded, order, type Story, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { placeHold } from './holds.ts';
import { settle } from './operate.ts';
import { COUNTED_MAX } from './search-transactions.ts';

const PATH = '/v1/operator/transactions';
const MARCH = 'tradeDateFrom=2026-03-01&tradeDateTo=2026-03-31';

let pool: Pool;
let server: OperatorServer;
let big: Story;
let small: Story;
let held: Story;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
  big = await trade(pool, { amount: '250000.00', clientReference: 'PO-7' });
  small = await trade(pool, { amount: '1000.00', clientReference: 'PO-7' });
  held = await funded(pool, { amount: '2000.00' });
  const hold = { kind: 'review', reason: 'new payee', by: held.desk.clientId } as const;
  await placeHold(held.desk, order(held.row), hold);
});
after(() => server.close());

const found = async (query: string): Promise<string[]> => {
  const { status, body } = await server.call('GET', `${PATH}?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.items.map((each: { transactionId: string }) => each.transactionId);
};
const idOf = ({ row }: Story) => typeId('txn', row.id);
const newest = (...stories: readonly Story[]) => stories.map(idOf).sort().reverse();

describe('operators find transactions', () => {
  test('by dates that there were: the year 0 is none', async () => {
    const of = (date: string) =>
      server.call('GET', `${PATH}?clientReference=PO-7&valueDateFrom=${date}&valueDateTo=${date}`);
    for (const before of ['0001-01-01', '1969-12-01']) assert.equal((await of(before)).status, 200, before);
    const { status, body } = await of('0000-01-01');
    assert.equal(status, 400, JSON.stringify(body));
    const wrong = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
    assert.deepEqual(wrong, [
      ['/query/valueDateFrom', 'wrong_format'],
      ['/query/valueDateTo', 'wrong_format'],
    ]);
  });

  test('by each of what they may have in hand', async () => {
    const customer = `customerId=${typeId('cus', big.desk.customerId)}`;
    const bought = `${BigInt(big.row.buy_minor) / 100n}.${(BigInt(big.row.buy_minor) % 100n).toString().padStart(2, '0')}`;
    for (const [query, expected] of [
      [`reference=${big.row.reference}`, newest(big)],
      ['reference=RF00000000000000', []],
      ['clientReference=PO-7', newest(big, small)],
      [`clientReference=PO-7&${customer}`, newest(big)],
      [`currency=USD&minAmount=200000.00&${MARCH}`, newest(big)],
      [`currency=USD&minAmount=1000.00&maxAmount=2000.00&${MARCH}`, newest(small, held)],
      [`currency=EUR&minAmount=${bought}&maxAmount=${bought}&${customer}`, newest(big)],
      [`currency=JPY&${MARCH}`, []],
      [`held=true&${MARCH}`, newest(held)],
      [`held=false&${MARCH}&status=funded`, []],
      ['tradeDateFrom=2026-03-04&tradeDateTo=2026-03-04', newest(big, small, held)],
      ['tradeDateFrom=2026-03-05&tradeDateTo=2026-03-31', []],
      ['valueDateFrom=2026-03-06&valueDateTo=2026-03-06', newest(big, small, held)],
      ['valueDateFrom=2026-03-07&valueDateTo=2026-03-31', []],
    ] as const) {
      assert.deepEqual(await found(query), expected, query);
    }
  });

  test('page by page, with a cursor that belongs to the filter', async () => {
    const query = `clientReference=PO-7&currency=USD&minAmount=1.00&limit=1`;
    const first = await server.call('GET', `${PATH}?${query}`);
    const second = await server.call('GET', `${PATH}?${query}&cursor=${first.body.nextCursor}`);
    assert.deepEqual(
      [...first.body.items, ...second.body.items].map((each) => each.transactionId),
      newest(big, small),
    );
    assert.equal(second.body.hasMore, false);
    const other = await server.call(
      'GET',
      `${PATH}?clientReference=PO-7&limit=1&cursor=${first.body.nextCursor}`,
    );
    assert.equal(other.body.code, 'cursor_invalid');
  });

  test('and are told what is wrong, or too wide to look through', async () => {
    for (const [query, pointer] of [
      ['minAmount=1.00', '/query/minAmount'],
      ['currency=USD&minAmount=1.001', '/query/minAmount'],
      ['currency=ZZZ', '/query/currency'],
      ['currency=USD', '/query/tradeDateFrom'],
      ['held=true', '/query/tradeDateFrom'],
      ['currency=USD&tradeDateFrom=2025-01-01&tradeDateTo=2026-01-01', '/query/tradeDateFrom'],
      ['valueDateFrom=2026-03-01', '/query/tradeDateFrom'],
      [`tradeDateFrom=2026-03-02&tradeDateTo=2026-03-01`, '/query/tradeDateTo'],
    ] as const) {
      const { body } = await server.call('GET', `${PATH}?${query}`);
      assert.equal(body.code, 'validation_failed', query);
      assert.equal(body.errors[0].pointer, pointer, query);
    }
  });

  test('and see how much waits, counted up to a limit', async () => {
    const { body } = await server.call('GET', `${PATH}/counts`);
    const counts = Object.fromEntries(
      body.items.map((each: { work: string; count: number; isMore: boolean }) => [each.work, each]),
    );
    assert.deepEqual(counts.awaiting_funds, { work: 'awaiting_funds', count: 2, isMore: false });
    assert.deepEqual(counts.funded, { work: 'funded', count: 1, isMore: false });
    assert.deepEqual(counts.withdrawal_pending, { work: 'withdrawal_pending', count: 0, isMore: false });
    assert.equal(COUNTED_MAX, 1_000);
  });
});

test('the same command on many transactions ends for each by itself, and once under a key', async () => {
  const [one, two, waiting] = [await funded(pool), await funded(pool), await trade(pool)];
  await settle(two.desk, order(two.row));
  const items = [one, two, waiting].map((story) => ({ transactionId: idOf(story) }));
  const body = { command: 'settle', items: [...items, { transactionId: 'txn_nobody' }] };
  const key = { 'idempotency-key': 'many-1' };
  const done = await server.call('POST', `${PATH}/commands`, body, key);
  assert.equal(done.status, 200, JSON.stringify(done.body));
  assert.deepEqual(
    done.body.items.map((each: { outcome: string; status: string; problem: { code: string } | null }) => [
      each.outcome,
      each.status,
      each.problem?.code ?? null,
    ]),
    [
      ['done', 'settling', null],
      ['refused', null, 'invalid_state_transition'],
      ['refused', null, 'invalid_state_transition'],
      ['refused', null, 'transaction_not_found'],
    ],
  );
  const { version } = await current(one.desk, one.row);
  assert.deepEqual((await server.call('POST', `${PATH}/commands`, body, key)).body, done.body);
  assert.equal((await current(one.desk, one.row)).version, version);

  const paid = (story: Story, more = {}) => ({
    transactionId: idOf(story),
    bankReference: 'BY-HAND',
    ...more,
  });
  const confirmed = await server.call('POST', `${PATH}/commands`, {
    command: 'payout-confirmed',
    items: [paid(one, { version }), paid(two, { version: 99 })],
  });
  assert.deepEqual(
    confirmed.body.items.map((each: { outcome: string; problem: { code: string } | null }) => [
      each.outcome,
      each.problem?.code ?? null,
    ]),
    [
      ['done', null],
      ['refused', 'version_mismatch'],
    ],
  );
  assert.equal((await current(one.desk, one.row)).payout_reference, 'BY-HAND');
  for (const wrong of [
    { command: 'settle', items: [] },
    { command: 'unwind', items },
    { command: 'settle', items: Array.from({ length: 101 }, () => items[0]) },
  ]) {
    assert.equal((await server.call('POST', `${PATH}/commands`, wrong)).body.code, 'validation_failed');
  }
});
