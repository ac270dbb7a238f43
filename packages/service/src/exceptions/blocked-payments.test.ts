import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Payable, payable } from '../../test/support/bank-story.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Pool } from '../database/pool.ts';
import type { Purpose } from '../payments/payment-states.ts';
import { createRun } from '../payments/settlement-runs.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { blockedPaymentSweep } from './blocked-payments.ts';

const EUR = { currency: 'EUR', valueDate: '2026-03-06' };
const NEW_IBAN = 'FR1420041010050500013M02606';

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());

const retire = ({ desk }: Payable) =>
  pool.query(
    "update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'",
    [desk.customerId],
  );
const correct = ({ desk }: Payable) =>
  pool.query(
    `insert into settlement_instructions (customer_id, id, currency, account_holder, iban, status, created_at)
     values ($1, $2, 'EUR', 'Test customer', $3, 'active', now())`,
    [desk.customerId, newUuid(desk.clock.now()), NEW_IBAN],
  );
const sweep = ({ desk }: Payable) => blockedPaymentSweep(desk).run();
const exceptionsOf = async ({ desk }: Payable, status = 'open') => {
  const customerId = typeId('cus', desk.customerId);
  const listed = await server.call(
    'GET',
    `/v1/operator/exceptions?customerId=${customerId}&status=${status}`,
  );
  return listed.body.items;
};
const pathOf = ({ purpose, subjectId }: Payable) =>
  purpose === 'withdrawal'
    ? `/v1/operator/withdrawals/${typeId('wdr', subjectId)}`
    : `/v1/operator/transactions/${typeId('txn', subjectId)}`;

describe('a payment to an account that was retired', () => {
  for (const purpose of ['payout', 'withdrawal'] as const satisfies Purpose[]) {
    test(`waits for a person, who sends it to the present one: ${purpose}`, async () => {
      const made = await payable(pool, purpose);
      assert.equal(await sweep(made), 0);
      await retire(made);
      assert.equal(await sweep(made), 1);
      assert.equal(await sweep(made), 0, 'reported once');
      const [work] = await exceptionsOf(made);
      const named = purpose === 'payout' ? work.transactionId : work.withdrawalId;
      assert.deepEqual([work.type, work.reason], ['payout_mismatch', 'instruction_retired']);
      assert.equal(pathOf(made).split('/').at(-1), named);
      const subject = (await server.call('GET', pathOf(made))).body;
      assert.deepEqual(work.sum, {
        amount: purpose === 'payout' ? subject.buyAmount : subject.amount,
        currency: 'EUR',
      });
      const { orders } = (await server.call('GET', `/v1/operator/exceptions/${work.exceptionId}`)).body;
      const redirect = `${pathOf(made)}/${purpose === 'payout' ? 'redirect-payout' : 'redirect'}`;
      assert.deepEqual(orders[0], { order: 'redirect', path: redirect, body: {} });

      const without = await server.call('POST', redirect);
      assert.deepEqual([without.status, without.body.code], [422, 'settlement_instructions_missing']);
      await correct(made);
      assert.equal(await sweep(made), 0, 'no machine chooses the new one');
      const done = await server.call('POST', redirect);
      assert.equal(done.status, 200, JSON.stringify(done.body));
      const shown = purpose === 'payout' ? done.body.payout : done.body;
      assert.equal(shown.destinationMasked, 'FR** **** 2606');
      const { rows: told } = await pool.query<{ type: string; version: number }>(
        'select type, version from feed_events where customer_id = $1 order by sequence desc limit 1',
        [made.desk.customerId],
      );
      const type = purpose === 'payout' ? 'transaction.settling' : 'withdrawal.redirected';
      assert.deepEqual(told, [{ type, version: done.body.version }]);
      assert.equal(await sweep(made), 1);
      assert.deepEqual(await exceptionsOf(made), []);
      assert.equal((await exceptionsOf(made, 'resolved'))[0].resolution, 'unblocked');

      const run = await createRun(made.desk, EUR, made.desk.clientId);
      const { body } = await server.call(
        'GET',
        `/v1/operator/settlement-runs/${typeId('run', run.id)}/payments`,
      );
      assert.equal(body.items[0].destinationMasked, 'FR** **** 2606');
      const late = await server.call('POST', redirect);
      assert.deepEqual([late.status, late.body.runId], [409, typeId('run', run.id)]);
      await server.call('POST', `/v1/operator/settlement-runs/${typeId('run', run.id)}/mark-sent`);
      await server.call('POST', `${pathOf(made)}/${purpose === 'payout' ? 'payout-confirmed' : 'paid'}`);
      assert.equal((await server.call('POST', redirect)).body.code, 'invalid_state_transition');
    });
  }

  for (const purpose of ['payout', 'refund', 'withdrawal', 'deposit_return'] as const) {
    test(`or that no bank can write, or in another country than its bank, is reported and closed: ${purpose}`, async () => {
      const made = await payable(pool, purpose);
      const table =
        purpose === 'deposit_return'
          ? `deposit_returns set %s where id = '${made.subjectId}'`
          : `settlement_instructions set %s where customer_id = '${made.desk.customerId}' and currency = 'EUR'`;
      const change = (set: string) => pool.query(`update ${table.replace('%s', set)}`);
      const open = async () => {
        const listed = await server.call('GET', '/v1/operator/exceptions?type=payout_mismatch&status=open');
        return listed.body.items.map((each: { reason: string }) => each.reason);
      };
      await change(`account_holder = 'Jürgen Ångström & Søn'`);
      assert.deepEqual([await sweep(made), await open()], [0, []], 'what can be written is no work');
      await change(`account_holder = '株式会社'`);
      assert.deepEqual([await sweep(made), await open()], [1, ['name_not_representable']]);
      assert.equal(await sweep(made), 0, 'reported once');
      await change(`account_holder = 'Kabushiki Gaisha', bic = 'DEUTDEFFXXX', iban = '${NEW_IBAN}'`);
      assert.deepEqual([await sweep(made), await open()], [2, ['bank_country_differs']]);
      await change(`bic = null`);
      assert.deepEqual([await sweep(made), await open()], [1, []]);
    });
  }

  test('is reported for a refund without any account, and closed when there is one', async () => {
    const made = await payable(pool, 'refund');
    await retire(made);
    await sweep(made);
    assert.equal((await exceptionsOf(made))[0].reason, 'no_account');
    await correct(made);
    await sweep(made);
    assert.deepEqual(await exceptionsOf(made), []);
  });

  test('that a person was done with is not reported again', async () => {
    const made = await payable(pool, 'payout');
    await retire(made);
    await sweep(made);
    const [{ exceptionId }] = await exceptionsOf(made);
    const resolution = { resolution: 'acknowledged', note: 'the customer was asked for an account' };
    const resolve = `/v1/operator/exceptions/${exceptionId}/resolve`;
    assert.equal((await server.call('POST', resolve, resolution)).status, 200);
    assert.equal(await sweep(made), 0);
    assert.deepEqual(await exceptionsOf(made), []);
    assert.equal(await sweep(made), 0, 'as long as it stays as it is');
  });

  test('that a person was done with is reported again when it could be made meanwhile, or for another reason', async () => {
    const made = await payable(pool, 'refund');
    const account = (set: string) =>
      pool.query(`update settlement_instructions set ${set} where customer_id = $1 and status = 'active'`, [
        made.desk.customerId,
      ]);
    const resolve = async () => {
      const [{ exceptionId }] = await exceptionsOf(made);
      const resolution = { resolution: 'acknowledged', note: 'there is another account' };
      const path = `/v1/operator/exceptions/${exceptionId}/resolve`;
      assert.equal((await server.call('POST', path, resolution)).status, 200);
    };
    await retire(made);
    assert.equal(await sweep(made), 1);
    await correct(made);
    await resolve();
    assert.equal(await sweep(made), 0);
    await retire(made);
    assert.equal(await sweep(made), 1, 'nobody would hear of it');
    await resolve();
    await correct(made);
    await account("account_holder = '株式会社'");
    assert.equal(await sweep(made), 1);
    assert.equal((await exceptionsOf(made))[0].reason, 'name_not_representable');
  });
});
