import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { funded, order, refusal } from '../../test/support/stories.ts';
import { bookTopUp } from '../balances/balances.ts';
import { withdraw, withdrawForCustomer } from '../balances/withdraw.ts';
import { cancelRun, downloadFile, markSent } from './end-run.ts';
import { settle } from './operate.ts';
import { listPayments } from './run-payment-store.ts';
import { createRun, previewRun } from './settlement-runs.ts';

/** Money that would go to a suspended customer by itself waits; what an operator orders is paid. */

const BY = '0195f000-0000-7000-8000-00000000000a';
const EUR = { currency: 'EUR', valueDate: '2026-03-06' };

test('runs leave out what is due to a suspended customer, until it is resumed', async () => {
  const { pool } = await createTestDatabase();
  const { desk, row } = await funded(pool);
  const { customerId, clock } = desk;
  await settle(desk, order(row));
  const room = { pool, clock, fourEyesFromUsdMinor: async () => undefined, usdValueOf: () => 2_000n };
  await bookTopUp(room, { customerId, currency: 'EUR', amount: '100.00', bankReference: 'T1', bookedBy: BY });
  const mine = { customerId, currency: 'EUR', amount: '10.00', by: BY };
  const asked = await withdraw(room, mine);
  const ordered = await withdrawForCustomer(room, {
    ...mine,
    amount: '20.00',
    reason: 'closing the account',
  });
  assert.ok(ordered.done);
  const status = (to: string) =>
    pool.query('update customers set status = $2 where id = $1', [customerId, to]);

  await status('suspended');
  assert.equal((await refusal(withdraw(room, mine))).code, 'customer_suspended');
  const preview = await previewRun(desk, EUR);
  assert.deepEqual(
    preview.excluded.map(({ due, reason }) => [due.purpose, due.transaction_id ?? due.withdrawal_id, reason]),
    [
      ['payout', row.id, 'customer_suspended'],
      ['withdrawal', asked.id, 'customer_suspended'],
    ],
  );
  const paid = async () => {
    const run = await createRun(desk, EUR, BY);
    const payments = await listPayments(pool, run.id, undefined, 100);
    return payments.map((each) => each.amount_minor).sort();
  };
  assert.deepEqual(await paid(), ['2000']);
  assert.equal((await refusal(createRun(desk, EUR, BY))).members.excluded, 2);
  await status('active');
  assert.deepEqual(await paid(), ['1000', row.buy_minor]);
});

test('a run from before a suspension is neither taken out nor sent, and made again without what is held back', async () => {
  const { pool } = await createTestDatabase();
  const { desk, row } = await funded(pool);
  const { customerId, clock } = desk;
  await settle(desk, order(row));
  const room = { pool, clock, fourEyesFromUsdMinor: async () => undefined, usdValueOf: () => 2_000n };
  await bookTopUp(room, { customerId, currency: 'EUR', amount: '100.00', bankReference: 'T1', bookedBy: BY });
  const mine = { customerId, currency: 'EUR', amount: '20.00', by: BY };
  const ordered = await withdrawForCustomer(room, { ...mine, reason: 'closing the account' });
  assert.ok(ordered.done);
  const run = await createRun(desk, EUR, BY);
  const onRun = { runId: run.id, ifMatch: undefined, by: BY };
  await pool.query(`update customers set status = 'suspended' where id = $1`, [customerId]);
  const taken = () => downloadFile(desk, { runId: run.id, format: 'pain.001', by: BY });
  for (const attempt of [() => markSent(desk, onRun), taken]) {
    const problem = await refusal(attempt());
    assert.equal(problem.code, 'invalid_state_transition');
    assert.match(problem.message, /^1 of its payments are now held back \(customer_suspended\)/);
  }
  assert.ok((await cancelRun(desk, { ...onRun, reason: undefined })).done);
  const again = await createRun(desk, EUR, BY);
  assert.equal((await markSent(desk, { ...onRun, runId: again.id })).status, 'sent');
  const amounts = await listPayments(pool, again.id, undefined, 100);
  assert.deepEqual(
    amounts.map((each) => each.amount_minor),
    ['2000'],
    'an operator has ordered it',
  );
  await pool.query(`update customers set status = 'active' where id = $1`, [customerId]);
  const rest = await createRun(desk, EUR, BY);
  assert.equal((await markSent(desk, { ...onRun, runId: rest.id })).status, 'sent');
});
