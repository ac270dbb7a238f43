import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { AS_SECOND } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

/** A person says that a deposit is the money of a top-up by hand. */

let pool: Pool;
let desk: ManualDesk;
let customerId: string;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
  customerId = typeId('cus', desk.sandbox.desk.customerId);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});
after(() => desk.close());

let bookings = 0;
async function toppedUp(amount: string): Promise<string> {
  const bankReference = `PHONE-${++bookings}`;
  const path = `/v1/operator/customers/${customerId}/balances/top-ups`;
  const { status } = await desk.call('POST', path, { currency: 'USD', amount, bankReference });
  assert.equal(status, 201);
  return bankReference;
}
const replace = (url: string, body: object, headers = {}) =>
  desk.call('POST', `${url}/replace-top-up`, { customerId, reason: 'told by phone', ...body }, headers);
const show = async (url: string) => (await desk.call('GET', url)).body;
async function available(): Promise<string> {
  const { items } = (await desk.call('GET', `/v1/operator/customers/${customerId}/balances`)).body;
  return items[0]?.available ?? '0.00';
}
const untold = async () => {
  const { items } = (await desk.call('GET', '/v1/operator/ledger/bank-reconciliation/items')).body;
  return items.filter(({ kind }: { kind: string }) => kind === 'top_up_not_told').length;
};

test('only the difference is credited, and the history says what it was', async () => {
  const was = await available();
  const url = await desk.arrived('21.00');
  const bankReference = await toppedUp('20.00');
  const { body, status, headers } = await replace(url, { bankReference });
  assert.deepEqual([status, body.status, body.exception], [200, 'matched', null], JSON.stringify(body));
  assert.equal(headers.etag, '"v2"');
  assert.equal(Number(await available()) - Number(was), 21);
  const [part] = body.allocations;
  assert.deepEqual(
    [part.to, part.matchRule, part.allocatedAmount, part.evidence.toppedUpUnder],
    ['balance', 'manual', '21.00', bankReference],
  );
  const [last] = (await desk.call('GET', `${url}/history`)).body.items;
  assert.deepEqual([last.action, last.detail.balance.toppedUpUnder], ['matched', bankReference]);
  assert.equal(await untold(), 0);
});

test('a part of a deposit may be it; the rest is for somebody else', async () => {
  const row = await desk.small();
  const url = await desk.arrived('5022.00');
  const bankReference = await toppedUp('22.00');
  const part = await replace(url, { bankReference, amount: '22.00' });
  assert.deepEqual([part.body.status, part.body.exception.reason], ['partially_matched', 'rest_unmatched']);
  assert.equal((await desk.match(url, [row])).body.status, 'matched');
  assert.equal(await desk.statusOf(row), 'funded');
});

test('what a trade has too much of it goes along', async () => {
  const row = await desk.small();
  const url = await desk.arrived('5023.00', { reference: row.reference });
  assert.equal((await show(url)).excessAmount, '23.00');
  const bankReference = await toppedUp('23.00');
  const was = await available();
  const { body } = await replace(url, { bankReference });
  assert.deepEqual([body.status, body.excessAmount, await available()], ['matched', '0.00', was]);
});

test('what is wrong is told, and nothing is done', async () => {
  const url = await desk.arrived('24.00');
  const bankReference = await toppedUp('24.00');
  const other = await createManualDesk(pool);
  const otherId = typeId('cus', other.sandbox.desk.customerId);
  await other.close();
  const euros = await desk.arrived('24.00', { currency: 'EUR' });
  for (const [at, body, code, pointer] of [
    [url, { bankReference: 'NEVER' }, 'not_permitted', '/bankReference'],
    [url, { bankReference, customerId: otherId }, 'not_permitted', '/bankReference'],
    [euros, { bankReference }, 'not_permitted', '/bankReference'],
    [url, { bankReference, amount: '24.01' }, 'out_of_range', '/amount'],
    [url, { bankReference, customerId: 'cus_x' }, 'customer_not_found', undefined],
    [
      '/v1/operator/deposits/dep_01kjwm2yv8es9tc9xqqkvaawwa',
      { bankReference },
      'deposit_not_found',
      undefined,
    ],
  ] as const) {
    const { body: answer } = await replace(at, body);
    const [error] = answer.errors ?? [];
    assert.deepEqual([error?.code ?? answer.code, error?.pointer], [code, pointer], JSON.stringify(answer));
  }
  assert.equal((await replace(url, { bankReference }, { 'if-match': '"v7"' })).status, 412);
  const token = { authorization: 'Bearer operator:read' };
  assert.equal((await replace(url, { bankReference }, token)).status, 403);
  assert.equal((await replace(url, { bankReference })).status, 200);
  const again = await replace(await desk.arrived('24.00'), { bankReference });
  assert.equal(again.body.errors[0].code, 'not_permitted', 'a deposit has its place');
  const twice = await replace(url, { bankReference: await toppedUp('24.50') });
  assert.equal(twice.body.errors[0].code, 'already_matched');
});

test('less than the top-up is taken from the balance, if it has that', async () => {
  const other = await createManualDesk(pool);
  const id = typeId('cus', other.sandbox.desk.customerId);
  const path = `/v1/operator/customers/${id}/balances`;
  const topUp = { currency: 'USD', amount: '300.00', bankReference: 'LESS' };
  assert.equal((await other.call('POST', `${path}/top-ups`, topUp)).status, 201);
  const withdrawal = { currency: 'USD', amount: '295.00', reason: 'x' };
  const headers = { 'idempotency-key': 'less' };
  assert.equal((await other.call('POST', `${path}/withdrawals`, withdrawal, headers)).status, 201);
  const url = await other.arrived('290.00');
  const refused = await replace(url, { customerId: id, bankReference: 'LESS' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
  assert.equal((await show(url)).status, 'unmatched');
  const enough = await other.arrived('295.00');
  assert.equal((await replace(enough, { customerId: id, bankReference: 'LESS' })).status, 200);
  assert.equal((await other.call('GET', path)).body.items[0].available, '0.00');
  await other.close();
});

test('above the limit it takes two persons, and a repeated request does it once', async () => {
  const was = await available();
  const url = await desk.arrived('150001.00');
  const bankReference = await toppedUp('150000.00');
  const proposed = await replace(url, { bankReference }, { 'idempotency-key': 'two' });
  assert.deepEqual([proposed.status, proposed.body.kind], [202, 'top_up_replace']);
  assert.equal((await show(url)).status, 'unmatched', 'nothing is done yet');
  const approve = `${proposed.headers.location}/approve`;
  assert.equal((await desk.call('POST', approve, undefined, AS_SECOND)).status, 200);
  assert.equal(Number(await available()) - Number(was), 150_001);
  const repeated = await replace(url, { bankReference }, { 'idempotency-key': 'two' });
  assert.deepEqual([repeated.status, repeated.body], [202, proposed.body]);
});
