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

test('of one that the balance has paid it asks for no payment', async () => {
  await preFund(sandbox.desk, 100_000_000n);
  const row = await sandbox.trade();
  assert.equal(row.pre_funded, true);
  const { record, labels, said } = confirmed(row);
  assert.deepEqual([record.payTo, record.payToAccount], [null, null]);
  for (const label of ['Pay to', 'Account', 'Pay by (UTC)']) assert.ok(!labels.includes(label), label);
  assert.equal(said.get('Paid from'), 'balance');
  const kept = confirmed({ ...row, proceeds: 'balance' });
  assert.equal(kept.record.paidOutTo, 'balance');
  assert.deepEqual(
    [kept.said.get('Paid out to'), kept.said.get('Paid out to account')],
    ['balance', undefined],
  );
});
