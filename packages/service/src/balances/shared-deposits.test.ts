import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Pool } from '../database/pool.ts';
import { settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let desk: ManualDesk;
let other: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
  other = await createManualDesk(pool);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(async () => {
  await desk.close();
  await other.close();
});

test('what a customer owes of a deposit that another one has a part of cannot be withdrawn', async () => {
  const customerId = typeId('cus', desk.sandbox.desk.customerId);
  const balances = `/v1/operator/customers/${customerId}/balances`;
  const withdraw = (amount: string) => {
    const wanted = { currency: 'USD', amount, reason: 'asked by letter' };
    return desk.call('POST', `${balances}/withdrawals`, wanted, { 'idempotency-key': amount });
  };
  const row = await other.small();
  const url = await desk.arrived('6000.00');
  assert.equal((await desk.match(url, [row])).status, 200);
  const given = await desk.call('POST', `${url}/match`, { balance: { customerId }, reason: 'the rest' });
  assert.deepEqual([given.status, given.body.customerId], [200, null], JSON.stringify(given.body));
  assert.equal((await withdraw('1000.00')).status, 201);
  const taken = await desk.call('POST', `${url}/return`, { returnedBy: 'remitter_bank', reason: 'recall' });
  assert.deepEqual(taken.body.exception, { type: 'returned', reason: 'balance_spent' });
  const topUp = { currency: 'USD', amount: '1200.00', bankReference: 'HAND-1' };
  assert.equal((await desk.call('POST', `${balances}/top-ups`, topUp)).status, 201);
  const refused = await withdraw('500.00');
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.limit],
    [422, 'limit_exceeded', '200.00'],
    JSON.stringify(refused.body),
  );
  assert.equal((await withdraw('200.00')).status, 201);
});

test('nor what the balance has of a deposit that was taken back after the payout of its trade had begun', async () => {
  const customerId = typeId('cus', desk.sandbox.desk.customerId);
  const balances = `/v1/operator/customers/${customerId}/balances`;
  const row = await other.small();
  const url = await desk.arrived('6000.00');
  assert.equal((await desk.match(url, [row])).status, 200);
  const given = await desk.call('POST', `${url}/match`, { balance: { customerId }, reason: 'the rest' });
  assert.equal(given.status, 200, JSON.stringify(given.body));
  await settle(other.sandbox.desk, { transactionId: row.id, ifMatch: undefined });
  const taken = await desk.call('POST', `${url}/return`, { returnedBy: 'remitter_bank', reason: 'recall' });
  assert.deepEqual(taken.body.exception, { type: 'returned', reason: 'transaction_settling' });
  const body = { currency: 'USD', amount: '100.00', reason: 'asked by letter' };
  const refused = await desk.call('POST', `${balances}/withdrawals`, body, { 'idempotency-key': 'W' });
  assert.deepEqual(
    [refused.status, refused.body.code],
    [422, 'limit_exceeded'],
    JSON.stringify(refused.body),
  );
});
