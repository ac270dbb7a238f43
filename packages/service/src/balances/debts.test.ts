import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { AS_SECOND } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { bankEntry } from '../deposits/funding.ts';
import { postEntries } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';
import { topUpBalance } from './balances.ts';

/** What a customer owes apart from open trades, and how that ends. */

let pool: Pool;
let desk: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 24 }));
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await desk.close();
});
after(() => desk.close());

let told = 0;
/** A customer of its own, who owes so much and has so much, in cents. */
async function owing(debtMinor: bigint, balanceMinor: bigint): Promise<string> {
  desk = await createManualDesk(pool);
  const { customerId, clock } = desk.sandbox.desk;
  const money = { customerId, currency: 'USD', amountMinor: balanceMinor, bankReference: `D${++told}` };
  await inTransaction(pool, async (connection) => {
    if (balanceMinor > 0n) await topUpBalance(connection, money, clock.now());
    const debt = { ...bankEntry('USD', -debtMinor, 'customer_receivable'), customerId };
    await postEntries(connection, [debt], clock.now());
  });
  return `/v1/operator/customers/${typeId('cus', customerId)}/balances`;
}
const say = (url: string, amount: string) =>
  desk.call(
    'POST',
    url,
    { currency: 'USD', amount, reason: 'as agreed' },
    { 'idempotency-key': `D${++told}` },
  );
const balances = async (url: string) => {
  const { body } = await desk.call('GET', url);
  return [body.items, body.debts];
};
const books = () => balancesOf(pool, desk.sandbox.desk.customerId);

test('a balance pays what its customer owes, and no more than it has', async () => {
  const url = await owing(30_000n, 20_000n);
  assert.deepEqual(await balances(url), [
    [{ currency: 'USD', available: '200.00' }],
    [{ currency: 'USD', amount: '300.00' }],
  ]);
  const much = await say(`${url}/debt-payments`, '250.00');
  assert.deepEqual([much.status, much.body.code, much.body.limit], [422, 'limit_exceeded', '200.00']);
  const paid = await say(`${url}/debt-payments`, '180.00');
  assert.equal(paid.status, 201, JSON.stringify(paid.body));
  assert.deepEqual(paid.body.debts, [{ currency: 'USD', amount: '120.00' }]);
  assert.deepEqual(paid.body.items, [{ currency: 'USD', available: '20.00' }]);
  const { rows } = await pool.query(
    `select type from feed_events where customer_id = $1 order by sequence desc limit 1`,
    [desk.sandbox.desk.customerId],
  );
  assert.equal(rows[0]?.type, 'balance.debt_paid');
});

test('nobody pays more than is owed, and a trade that is not paid is no debt', async () => {
  const url = await owing(10_000n, 50_000n);
  const { sandbox } = desk;
  await sandbox.desk.execute(await sandbox.desk.quote({ amount: '700.00' }));
  const refused = await say(`${url}/debt-payments`, '100.01');
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.detail],
    [409, 'invalid_state_transition', 'The customer owes 100.00 USD apart from open trades.'],
  );
  assert.equal((await say(`${url}/debt-payments`, '100.00')).status, 201);
  assert.deepEqual((await balances(url))[1], []);
  const again = await say(`${url}/debt-write-offs`, '0.01');
  assert.deepEqual(
    [again.status, again.body.detail],
    [409, 'The customer owes 0.00 USD apart from open trades.'],
  );
});

test('a debt that is written off costs the house', async () => {
  const url = await owing(1_200n, 0n);
  const { status, body } = await say(`${url}/debt-write-offs`, '12.00');
  assert.deepEqual([status, body.debts], [201, []]);
  const { 'customer_receivable USD': owed = 0n, 'charges USD': charges } = await books();
  assert.deepEqual([owed, charges], [0n, 1_200n]);
  const { rows } = await pool.query(
    'select type, detail::text as detail from feed_events where customer_id = $1 order by sequence',
    [desk.sandbox.desk.customerId],
  );
  assert.deepEqual(
    rows.map(({ type, detail }) => [type, JSON.parse(detail)]),
    [
      ['balance.debt_booked', { amount: '12.00', currency: 'USD', reason: 'bank_debit' }],
      ['balance.debt_released', { amount: '12.00', currency: 'USD', reason: 'written_off' }],
    ],
  );
});

test('what is owed in a currency cannot be withdrawn', async () => {
  const url = await owing(30_000n, 50_000n);
  const { customerId, clock } = desk.sandbox.desk;
  const euros = { customerId, currency: 'EUR', amountMinor: 10_000n, bankReference: `D${++told}` };
  await inTransaction(pool, (connection) => topUpBalance(connection, euros, clock.now()));
  const withdraw = (currency: string, amount: string) =>
    desk.call(
      'POST',
      `${url}/withdrawals`,
      { currency, amount, reason: 'asked by letter' },
      { 'idempotency-key': `D${++told}` },
    );
  const much = await withdraw('USD', '200.01');
  assert.deepEqual(
    [much.status, much.body.code, much.body.limitType, much.body.limit],
    [422, 'limit_exceeded', 'balance', '200.00'],
  );
  assert.equal((await withdraw('USD', '50.00')).status, 201);
  const inEuros = await withdraw('EUR', '100.00');
  assert.equal(inEuros.status, 202, 'what is worth nobody knows how much takes two persons');
  assert.equal((await say(`${url}/debt-payments`, '300.00')).status, 201);
  assert.equal((await withdraw('USD', '150.00')).status, 201);
});

test('of several at once one pays', async () => {
  const url = await owing(30_000n, 90_000n);
  const replies = await Promise.all([1, 2, 3, 4].map(() => say(`${url}/debt-payments`, '300.00')));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  assert.equal((await books())['customer_balance USD'], -60_000n);
});

test('much takes two persons', async () => {
  const url = await owing(20_000_000_00n, 30_000_000_00n);
  const { status, body } = await say(`${url}/debt-payments`, '20000000.00');
  assert.equal(status, 202, JSON.stringify(body));
  const path = `/v1/operator/approvals/${body.approvalId}/approve`;
  const approved = await desk.call('POST', path, {}, AS_SECOND);
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  assert.deepEqual((await balances(url))[1], []);
});
