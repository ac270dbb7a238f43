import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase, ownerOf } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { typeId } from '../platform/ids.ts';
import { rematchUntouchedSweep } from './rematch-deposits.ts';

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

const rematchUntouched = () => rematchUntouchedSweep(desk.sandbox.desk, silentLogger).run();
const show = async (url: string) => (await desk.call('GET', url)).body;
const cus = () => typeId('cus', desk.sandbox.desk.customerId);

let accounts = 0;
async function newCustomer(): Promise<void> {
  await desk.close();
  desk = await createManualDesk(pool);
}
async function register(number: string): Promise<void> {
  const path = `/v1/operator/customers/${cus()}/virtual-accounts`;
  assert.equal((await desk.call('POST', path, { currency: 'USD', number })).status, 201);
}
const newNumber = () => `GB33BUKB2020155555${String(++accounts).padStart(4, '0')}`;

describe('a deposit that came before what it is for', () => {
  test('finds a trade on its virtual account that is executed later', async () => {
    await newCustomer();
    const virtualAccount = newNumber();
    await register(virtualAccount);
    const url = await desk.arrived('700.00', { virtualAccount });
    assert.equal(await rematchUntouched(), 0);
    assert.equal((await show(url)).version, 1);
    const row = await desk.sandbox.trade({ amount: '700.00' });
    assert.equal(await rematchUntouched(), 1);
    const deposit = await show(url);
    assert.deepEqual([deposit.status, deposit.version, deposit.exception], ['matched', 2, null]);
    const [part] = deposit.allocations;
    assert.deepEqual(
      [part.matchRule, part.score, part.actor, part.matchedBy],
      ['virtual_account_exact', 95, 'system', 'auto'],
    );
    assert.equal(part.evidence.outstandingMinor, '70000');
    assert.equal(await desk.statusOf(row), 'funded');
    assert.deepEqual(await desk.actionsOf(url), ['matched', 'received']);
    const { rows } = await pool.query(
      `select e.status, resolution from reconciliation_exceptions e join deposits d on d.id = e.deposit_id where d.customer_id = $1`,
      [desk.sandbox.desk.customerId],
    );
    assert.deepEqual(rows, [{ status: 'resolved', resolution: 'matched' }]);
    assert.equal(await rematchUntouched(), 0);
  });

  test('finds the account that is registered later, and the balance whose reference is made later', async () => {
    await newCustomer();
    const virtualAccount = newNumber();
    const url = await desk.arrived('80.00', { virtualAccount });
    await desk.sandbox.trade({ amount: '80.00' });
    assert.equal(await rematchUntouched(), 0);
    await register(virtualAccount);
    assert.equal(await rematchUntouched(), 1);
    assert.equal((await show(url)).customerId, cus());
    const { topUpReference } = (await desk.call('GET', `/v1/operator/customers/${cus()}/balances`)).body;
    await ownerOf(pool).query('delete from balance_references where reference = $1', [topUpReference]);
    const early = await desk.arrived('20.00', { remittanceText: topUpReference });
    assert.equal((await show(early)).exception.reason, 'unknown_reference');
    await pool.query('insert into balance_references values ($1, $2)', [
      desk.sandbox.desk.customerId,
      topUpReference,
    ]);
    assert.equal(await rematchUntouched(), 1);
    assert.equal((await show(early)).allocations[0].to, 'balance');
  });

  test('is matched when of two trades that it could be for one is cancelled, and never while there are two', async () => {
    await newCustomer();
    const virtualAccount = newNumber();
    await register(virtualAccount);
    const [one, other] = [
      await desk.sandbox.trade({ amount: '500.00' }),
      await desk.sandbox.trade({ amount: '500.00' }),
    ];
    const url = await desk.arrived('500.00', { virtualAccount });
    assert.equal((await show(url)).exception.type, 'ambiguous');
    assert.equal(await rematchUntouched(), 0);
    await endTransaction(desk.sandbox.desk, { transactionId: one.id, ifMatch: undefined });
    assert.equal(await rematchUntouched(), 1);
    assert.equal((await show(url)).allocations[0].transactionId, typeId('txn', other.id));
  });

  test('two of them for one trade: the first has it, by however many instances', async () => {
    await newCustomer();
    const virtualAccount = newNumber();
    await register(virtualAccount);
    const urls = [
      await desk.arrived('60.00', { virtualAccount }),
      await desk.arrived('60.00', { virtualAccount }),
    ];
    await desk.sandbox.trade({ amount: '60.00' });
    const moved = await Promise.all([rematchUntouched(), rematchUntouched(), rematchUntouched()]);
    assert.equal(
      moved.reduce((sum, each) => sum + each, 0),
      1,
    );
    const statuses = await Promise.all(urls.map(async (url) => (await show(url)).status));
    assert.deepEqual(statuses.sort(), ['matched', 'unmatched']);
  });
});

test('what a person has touched, or only proposed, is left alone', async () => {
  await newCustomer();
  const virtualAccount = newNumber();
  await register(virtualAccount);
  const touched: string[] = [];
  const proposal = await desk.arrived('150000.00', { virtualAccount });
  assert.equal((await desk.call('POST', `${proposal}/return`, { reason: 'odd' })).status, 202);
  touched.push(proposal);
  const work: readonly (readonly [string, Record<string, unknown>])[] = [
    ['note', { note: 'asked them' }],
    ['assign', { assignee: 'Jo' }],
    ['ignore', { reason: 'ours' }],
  ];
  for (const [index, [verb, body]] of work.entries()) {
    const url = await desk.arrived(`${index + 1}1.00`, { virtualAccount });
    assert.equal((await desk.call('POST', `${url}/${verb}`, body)).status, 200, verb);
    touched.push(url);
  }
  for (const amount of ['150000.00', '11.00', '21.00', '31.00']) await desk.sandbox.trade({ amount });
  assert.equal(await rematchUntouched(), 0);
  for (const url of touched) assert.notEqual((await show(url)).status, 'matched');
  const matched = await desk.arrived('11.00', { virtualAccount });
  await desk.call('POST', `${matched}/unmatch`, { reason: 'not theirs' });
  assert.equal(await rematchUntouched(), 0);
  // Rules that are set to suggest only are not overruled by looking twice.
  const { version: _, ...rules } = (await desk.call('GET', '/v1/operator/matching-rules')).body;
  const put = (suggestOnly: string[]) =>
    desk.call('PUT', '/v1/operator/matching-rules', { ...rules, suggestOnly }, { 'if-match': '*' });
  await put(['virtual_account_exact']);
  const suggested = await desk.arrived('11.00', { virtualAccount });
  await put([]);
  assert.equal(await rematchUntouched(), 0);
  assert.equal((await show(suggested)).exception.reason, 'suggested');
});
