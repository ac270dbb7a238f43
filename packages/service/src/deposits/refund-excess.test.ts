import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import type { Reply } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { lockRows } from '../transactions/change.ts';

let pool: Pool;
let desk: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => desk.close());

/** A trade that was paid 100.00 too much, whose refund the bank has refused. */
async function refused(): Promise<{ path: string; deposit: string }> {
  const row = await desk.small();
  const deposit = await desk.arrived('5100.00', { remittanceText: row.reference });
  const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
  assert.equal((await desk.call('POST', `${path}/refund-excess`, {})).status, 200);
  const failed = await desk.call('POST', `${path}/refund-failed`, { detail: 'account closed' });
  assert.deepEqual([failed.status, failed.body.refund.status], [200, 'failed'], JSON.stringify(failed.body));
  return { path, deposit };
}
const owed = async () => (await balancesOf(pool, desk.sandbox.desk.customerId))['customer_excess USD'] ?? 0n;

test('a refund of what was paid too much is not repeated once that has gone elsewhere', async () => {
  const { path, deposit } = await refused();
  const back = await desk.call('POST', `${deposit}/return`, { reason: 'they want it back' });
  assert.deepEqual([back.status, back.body.returnedAmount], [200, '100.00'], JSON.stringify(back.body));
  assert.equal(await owed(), 0n);
  const repeated = await desk.call('POST', `${path}/retry-refund`, {});
  assert.deepEqual([repeated.status, repeated.body.code], [409, 'invalid_state_transition']);
  const due = await desk.call(
    'GET',
    '/v1/operator/settlement-runs/preview?currency=USD&valueDate=2026-03-06',
  );
  assert.deepEqual(
    due.body.payments.map(({ amount }: { amount: string }) => amount),
    ['100.00'],
    'it goes back once',
  );
});

test('a refund is repeated as long as the trade keeps what it is of', async () => {
  const { path } = await refused();
  const repeated = await desk.call('POST', `${path}/retry-refund`, {});
  assert.deepEqual([repeated.status, repeated.body.refund.status], [200, 'pending']);
  const paid = await desk.call('POST', `${path}/refund-paid`, { bankReference: 'OUT-1' });
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  assert.equal(await owed(), 0n);
});

test('of what was paid too much and goes back in part, the rest is in suspense and no longer with the trade', async () => {
  const row = await desk.small();
  const deposit = await desk.arrived('5100.00', { remittanceText: row.reference });
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  const back = await desk.call('POST', `${deposit}/return`, { amount: '40.00', account, reason: 'a part' });
  assert.deepEqual(
    [back.body.excessAmount, back.body.allocatedAmount, back.body.exception],
    ['0.00', '5000.00', { type: 'unmatched', reason: 'rest_unmatched' }],
  );
});

test('a refund also ends the work on what was paid too much a moment before it', async () => {
  const row = await desk.small();
  const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
  let both: readonly [deposit: Promise<string>, refund: Promise<Reply>] | undefined;
  await inTransaction(pool, async (holder) => {
    await lockRows(holder, [{ customerId: row.customer_id, id: row.id }]);
    // The money comes in first; the refund has looked for what came in when it waits behind it.
    const deposit = desk.arrived('5100.00', { remittanceText: row.reference });
    await untilLocked(pool, 1);
    const refund = desk.call('POST', `${path}/refund-excess`, {});
    await untilLocked(pool, 2);
    both = [deposit, refund];
  });
  assert.ok(both);
  const [deposit, { status, body }] = await Promise.all(both);
  assert.deepEqual([status, body.refund?.amount], [200, '100.00'], JSON.stringify(body));
  assert.equal((await desk.call('GET', deposit)).body.exception, null);
  assert.equal((await desk.actionsOf(deposit))[0], 'excess_refunded');
});
