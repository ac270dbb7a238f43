import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { createBalanceHolder } from '../../test/support/balance-holder.ts';
import { debit, e2e, instructed, ordered, reported, returned } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { order } from '../../test/support/stories.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { confirm, fail, retry } from '../payments/operate.ts';
import { unwind } from '../payments/unwind-changes.ts';
import { typeId } from '../platform/ids.ts';
import { changeTransactions } from '../transactions/change.ts';
import { entrySweep } from './book-entries.ts';

/** An entry that did not fit a payment, and is none of ours when it is looked at once more. */

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

const shown = async (id: string) => (await server.call('GET', `/v1/operator/statement-entries/${id}`)).body;
const openOf = async (entryId: string) => {
  const { body } = await server.call('GET', '/v1/operator/exceptions?status=open&limit=200');
  return body.items
    .filter((each: { entryId: string }) => each.entryId === entryId)
    .map((each: { type: string; reason: string }) => [each.type, each.reason]);
};
const sweep = async () => {
  const { run } = entrySweep(sandbox.desk, silentLogger);
  for (let turns = 0; turns < 3; turns++) await run();
};

test('a debit that fits nothing any more is an unknown one', async () => {
  const row = await sandbox.trade({ amount: '1000.00' });
  const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
  const USD = { currency: 'USD' } as const;
  await reported(server, [{ ...USD, amount: '1010.00', details: [txDtls(row.reference)] }], USD);
  for (const verb of ['refund-excess', 'refund-failed']) {
    const done = await server.call('POST', `${path}/${verb}`, {});
    assert.equal(done.status, 200, JSON.stringify(done.body));
  }
  const [entry] = await reported(server, [debit('10.00', '', row.reference, USD)], USD);
  assert.deepEqual(await openOf(entry.entryId), [['payout_mismatch', 'state']], JSON.stringify(entry));
  // What two persons have agreed on.
  await inTransaction(pool, (connection) =>
    changeTransactions(
      connection,
      [{ customerId: row.customer_id, id: row.id }],
      sandbox.clock.now(),
      (locked) => unwind(locked, { reason: 'client_request' }, 'operator', true),
    ),
  );
  await sweep();
  assert.deepEqual((await pool.query('select reason from apply_failures')).rows, []);
  assert.equal((await shown(entry.entryId)).paymentState, 'unknown');
  assert.deepEqual(await openOf(entry.entryId), [['payout_mismatch', 'unknown_debit']]);
});

test('a debit is not booked by hand while it is about to be looked at again', async () => {
  const [made] = await instructed(pool, 1);
  assert.ok(made);
  const { desk, row } = made;
  await fail(desk, order(row), 'payout_rejected', 'the bank says so');
  const [entry] = await reported(server, [debit(made.amount, e2e(made.endToEndId))]);
  assert.deepEqual(await openOf(entry.entryId), [['payout_mismatch', 'state']], JSON.stringify(entry));
  await retry(desk, order(row));
  await confirm(desk, order(row), 'BY-PHONE');
  const book = () =>
    server.call('POST', `/v1/operator/statement-entries/${entry.entryId}/book`, {
      as: 'house_funds',
      reason: 'whose is it?',
    });
  const early = await book();
  assert.deepEqual([early.status, early.body.code], [409, 'invalid_state_transition']);
  assert.match(early.body.detail, /about to be matched again/);
  await sweep();
  assert.equal((await shown(entry.entryId)).paymentState, 'mismatch');
  assert.equal((await book()).status, 202, 'a second payment, which takes two persons');
});

test('returned money that fits nothing any more is a deposit, and no exception of the entry stays', async () => {
  const [one, other] = await instructed(pool, 2);
  assert.ok(one && other);
  const first = debit(one.amount, e2e(one.endToEndId), 'PAYMENT', { reference: 'TWICE-USED' });
  await reported(server, [first]);
  const [back] = await reported(server, [returned('1.00', '<TxId>TWICE-USED</TxId>')]);
  assert.deepEqual(await openOf(back.entryId), [['payout_mismatch', 'amount']], JSON.stringify(back));
  const more = { reference: 'TWICE-USED', booked: '2026-03-05' };
  await reported(server, [debit(other.amount, e2e(other.endToEndId), 'PAYMENT', more)]);
  await fail(one.desk, order(one.row), 'payout_returned', 'the bank says so');
  await sweep();
  const { paymentState, depositState } = await shown(back.entryId);
  assert.deepEqual([paymentState, depositState], ['unknown', 'booked']);
  assert.deepEqual(await openOf(back.entryId), []);
});

test('a sum of a file without what went back to a remitter, whose failure a person reports, is the sum of the file', async () => {
  const [sentBack, paid] = await ordered(pool, ['deposit_return', 'payout']);
  assert.ok(sentBack && paid);
  const sent = `/v1/operator/settlement-runs/${typeId('run', paid.runId)}/mark-sent`;
  assert.equal((await server.call('POST', sent)).status, 200);
  const [entry] = await reported(server, [debit(paid.amount, `<PmtInfId>${paid.messageId}S</PmtInfId>`)]);
  assert.deepEqual(await openOf(entry.entryId), [['payout_mismatch', 'amount']]);
  const { rows } = await pool.query('select deposit_id from deposit_returns where id = $1', [
    sentBack.subjectId,
  ]);
  const path = `/v1/operator/deposits/${typeId('dep', rows[0].deposit_id)}/returns/${typeId('dpr', sentBack.subjectId)}`;
  const failed = await server.call('POST', `${path}/failed`, { reason: 'the bank says so' });
  assert.equal(failed.status, 200, JSON.stringify(failed.body));
  await sweep();
  assert.equal((await shown(entry.entryId)).paymentState, 'applied');
  assert.deepEqual(await openOf(entry.entryId), []);
});

test('a debit that takes a deposit back is that, once a person has taken it back by word of mouth', async () => {
  const { byHand, withdraw, topUpReference, items } = await createBalanceHolder(sandbox, server);
  const NOTICE = { currency: 'USD', message: '054' } as const;
  const own = { amount: '700.00', currency: 'USD', reference: 'RECALLED' };
  const [credit] = await reported(
    server,
    [{ ...own, details: [txDtls(topUpReference, { refs: e2e('BY-1') })] }],
    NOTICE,
  );
  await withdraw('300.00');
  const after = '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>';
  const recall = debit('700.00', '', '', {
    currency: 'USD',
    details: [txDtls('RECALL', { refs: e2e('BY-1'), after })],
  });
  const [back] = await reported(server, [recall], NOTICE);
  assert.deepEqual([back.paymentReason, back.returnedDepositId], ['payout_begun', credit.depositId]);
  assert.deepEqual(await openOf(back.entryId), [['payout_mismatch', 'payout_begun']]);
  await byHand('400.00', 'MORE');
  const path = `/v1/operator/deposits/${credit.depositId}`;
  const taken = await server.call('POST', `${path}/return`, {
    returnedBy: 'remitter_bank',
    reason: 'so they say',
  });
  assert.equal(taken.body.status, 'returned', JSON.stringify(taken.body));
  await sweep();
  const { paymentState, returnedDepositId } = await shown(back.entryId);
  assert.deepEqual([paymentState, returnedDepositId], ['known', credit.depositId]);
  assert.deepEqual(await openOf(back.entryId), []);
  assert.deepEqual(await items(), ['top_up_not_told -400.00']);
  const { body } = await server.call('GET', '/v1/operator/ledger/bank-reconciliation/items?limit=200');
  assert.deepEqual(
    body.items.filter(({ depositId }: { depositId: string }) => depositId === credit.depositId),
    [],
  );
});
