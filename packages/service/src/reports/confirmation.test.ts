import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { preFund } from '../../test/support/executions.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import type { PricedTransaction } from '../transactions/record.ts';
import { confirmationLines, confirmationOf } from './confirmation.ts';

let sandbox: Sandbox;
before(async () => {
  const { pool } = await createTestDatabase();
  sandbox = await createSandbox(pool);
});

const confirmed = (row: PricedTransaction) => {
  const record = confirmationOf(row, 'Acme Ltd', sandbox.clock.now());
  const lines = confirmationLines(record).map(({ label, value }) => [label, value]);
  return { record, labels: lines.map(([label]) => label), said: new Map(lines as [string, string][]) };
};

test('the confirmation of a trade says where to pay it, by when, and where it is paid out', async () => {
  const row = await sandbox.trade();
  const { record, labels } = confirmed(row);
  assert.equal(record.paidOutTo, row.destination_masked);
  assert.ok(record.payTo !== null && record.payToAccount !== null);
  for (const label of ['Pay to', 'Account', 'Pay by (UTC)', 'Paid out to account'])
    assert.ok(labels.includes(label), label);
});

test('its terms stay what was agreed when the value date is put off and the payout goes to another account', async () => {
  const row = await sandbox.trade();
  const before = confirmed(row);
  const { customerId } = sandbox.desk;
  const [cutOff, account] = ['2026-03-11T13:00:00.000Z', '** 4711'];
  await sandbox.desk.pool.query(
    `update transactions set value_date = '2026-03-11', funding_cutoff_at = $3, destination_masked = $4
     where customer_id = $1 and id = $2`,
    [customerId, row.id, cutOff, account],
  );
  const after = confirmed(await sandbox.read(row));
  for (const term of ['valueDate', 'payBy', 'paidOutTo'])
    assert.equal(after.record[term], before.record[term], term);
  assert.deepEqual(
    [after.record.valueDateNow, after.record.payByNow, after.record.paidOutToNow],
    ['2026-03-11', cutOff, account],
  );
  assert.equal(after.said.get('Pay by (UTC)'), before.record.payBy);
  assert.equal(after.said.get('Pay by at creation (UTC)'), cutOff);
  assert.equal(after.said.get('Paid out to account at creation'), account);
  assert.ok(
    before.labels.every((label) => !/^Pa.* at creation/.test(String(label))),
    'nothing has changed',
  );
});

test('of one that the balance has paid it asks for no payment', async () => {
  await preFund(sandbox.desk, 100_000_000n);
  const row = await sandbox.trade();
  assert.equal(row.pre_funded, true);
  const { record, labels, said } = confirmed(row);
  assert.deepEqual([record.payTo, record.payToAccount], [null, null]);
  for (const label of ['Pay to', 'Account', 'Pay by (UTC)']) assert.ok(!labels.includes(label), label);
  assert.equal(said.get('Paid from'), 'balance');
  const kept = confirmed({ ...row, proceeds: 'balance' });
  assert.deepEqual([kept.record.paidOutTo, kept.record.paidOutToNow], ['balance', 'balance']);
  assert.deepEqual(
    [kept.said.get('Paid out to'), kept.said.get('Paid out to account')],
    ['balance', undefined],
  );
});
