import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { AS_SECOND, OPERATOR_IDS } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { reportReturn } from '../deposits/return-deposit.ts';
import { settle } from '../payments/operate.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';

let pool: Pool;
let desk: ManualDesk;
let sandbox: Sandbox;
let call: ManualDesk['call'];
let { arrived, small, match, statusOf, actionsOf } = {} as ManualDesk;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
  ({ sandbox, call, arrived, small, match, statusOf, actionsOf } = desk);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => desk.close());

const txn = (row: TransactionRow) => typeId('txn', row.id);

describe('unmatching', () => {
  test('takes a deposit away again (transition 14), and from one of several trades', async () => {
    const [first, second] = [await small(), await small()];
    const url = await arrived('7000.00');
    await match(url, [first, second]);
    const one = await call('POST', `${url}/unmatch`, { transactionId: txn(second), reason: 'mine' });
    assert.deepEqual(
      [one.body.status, one.body.exception.reason],
      ['partially_matched', 'unmatched_by_operator'],
    );
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['funded', 'awaiting_funds']);
    const all = await call('POST', `${url}/unmatch`, { reason: 'not theirs' });
    assert.deepEqual([all.body.status, all.body.customerId, all.body.allocations], ['unmatched', null, []]);
    assert.equal(await statusOf(first), 'awaiting_funds');
    assert.equal(timelineOf(await sandbox.read(first)).at(-1)?.code, 'deposit_removed');
    const again = await call('POST', `${url}/unmatch`, { reason: 'again' });
    assert.equal(again.body.code, 'invalid_state_transition');
    assert.deepEqual(await actionsOf(url), ['unmatched', 'unmatched', 'matched', 'received']);
    // Matched once more: nothing of the first match is in the way.
    assert.equal((await match(url, [first])).status, 200);
  });

  test('stays undone: the same entry reported again does not bring the match back', async () => {
    const row = await small();
    const entry = { bankReference: 'M-again', reference: row.reference };
    const url = await arrived('5000.00', entry);
    await call('POST', `${url}/unmatch`, { reason: 'not theirs' });
    const body = { amount: '5000.00', currency: 'USD', remitterName: 'Test customer', ...entry };
    const again = await call('POST', '/v1/operator/deposits', {
      ...body,
      remitterAccount: 'DE02 1203 0000 0000 2020 51',
    });
    assert.deepEqual([again.status, again.body.status, again.body.version], [200, 'unmatched', 2]);
    assert.equal(await statusOf(row), 'awaiting_funds');
  });

  test('leaves a trade with two deposits partly funded, and gives back what was forgiven', async () => {
    const row = await small();
    const first = await arrived('2000.00', { reference: row.reference });
    await arrived('2990.00', { reference: row.reference });
    assert.equal(await statusOf(row), 'funded');
    await call('POST', `${first}/unmatch`, { reason: 'not theirs' });
    const partly = await sandbox.read(row);
    assert.deepEqual(
      [partly.status, partly.received_minor, partly.shortfall_minor],
      ['partially_funded', '299000', '1000'],
    );
  });

  test('leaves a deposit alone whose excess goes back to the customer, or went', async () => {
    const row = await small();
    const url = await arrived('5001.00', { reference: row.reference });
    const trade = `/v1/operator/transactions/${txn(row)}`;
    const refused = async () => {
      for (const path of [`${url}/unmatch`, `${url}/return`]) {
        const { status, body } = await call('POST', path, { reason: 'not theirs' });
        assert.deepEqual(
          [path, status, body.code, body.from],
          [path, 409, 'invalid_state_transition', 'funded'],
        );
      }
    };
    assert.equal((await call('POST', `${trade}/refund-excess`, {})).status, 200);
    await refused();
    const paid = await call('POST', `${trade}/refund-paid`, { bankReference: 'R-3' });
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
    await refused();
    assert.deepEqual(await actionsOf(url), ['excess_refunded', 'received']);
  });

  test('is no longer possible once the payout has begun', async () => {
    const row = await small();
    const url = await arrived('5000.00', { reference: row.reference });
    await settle(sandbox.desk, { transactionId: row.id, ifMatch: undefined });
    const refused = await call('POST', `${url}/unmatch`, { reason: 'too late' });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.from],
      [409, 'invalid_state_transition', 'settling'],
    );
  });
});

describe('returning', () => {
  test('sends money back that no trade has, whole or in part', async () => {
    const url = await arrived('800.00');
    const part = await call('POST', `${url}/return`, { amount: '300.00', reason: 'not ours' });
    assert.deepEqual([part.body.status, part.body.returnedAmount], ['partially_matched', '300.00']);
    const tooMuch = await call('POST', `${url}/return`, { amount: '500.01', reason: 'x' });
    assert.equal(tooMuch.body.errors[0].code, 'out_of_range');
    const rest = await call('POST', `${url}/return`, { reason: 'not ours', bankReference: 'R-1' });
    assert.deepEqual([rest.body.status, rest.body.exception], ['returned', null]);
    assert.equal(
      (await call('POST', `${url}/return`, { reason: 'x' })).body.code,
      'invalid_state_transition',
    );
  });

  test('sends excess back, and not what a trade has', async () => {
    const row = await small();
    const url = await arrived('5001.00', { reference: row.reference });
    const returned = await call('POST', `${url}/return`, { reason: 'paid too much' });
    assert.deepEqual([returned.body.status, returned.body.returnedAmount], ['matched', '1.00']);
    assert.deepEqual([await statusOf(row), (await sandbox.read(row)).excess_minor], ['funded', '0']);
    const refused = await call('POST', `${url}/return`, { reason: 'x' });
    assert.equal(refused.body.code, 'invalid_state_transition');
  });

  test('by the bank of the remitter takes the money from its trade, unless the payout has begun', async () => {
    const row = await small();
    const url = await arrived('5000.00', { reference: row.reference });
    const back = { returnedBy: 'remitter_bank', bankReference: 'R-2', reason: 'recalled' };
    const returned = await call('POST', `${url}/return`, back);
    assert.deepEqual([returned.body.status, returned.body.exception], ['returned', null]);
    const trade = await sandbox.read(row);
    assert.deepEqual([trade.status, trade.status_reason], ['awaiting_funds', 'deposit_returned']);
    const late = await small();
    const other = await arrived('5000.00', { reference: late.reference });
    await settle(sandbox.desk, { transactionId: late.id, ifMatch: undefined });
    const reported = await call('POST', `${other}/return`, back);
    assert.equal(reported.status, 200);
    assert.deepEqual(reported.body.exception, { type: 'returned', reason: 'transaction_settling' });
    assert.deepEqual([reported.body.status, await statusOf(late)], ['matched', 'settling']);
  });
});

describe('a return that a statement reports', () => {
  test('is the bank’s doing in the history, and once is enough', async () => {
    const row = await small();
    const url = await arrived('5000.00', { reference: row.reference });
    const depositId = parseTypeId('dep', url.split('/').at(-1) ?? '') ?? '';
    const reported = { depositId, bankReference: 'R-9', reason: 'AC04' };
    const report = () =>
      inTransaction(pool, (connection) =>
        reportReturn(connection, sandbox.desk, reported, sandbox.clock.now()),
      );
    assert.equal((await report()).status, 'returned');
    assert.equal(await statusOf(row), 'awaiting_funds');
    const { body } = await call('GET', `${url}/history`);
    assert.deepEqual([body.items[0].actor, body.items[0].detail.bankReference], ['bank_feed', 'R-9']);
    await assert.rejects(
      report(),
      (error: unknown) => error instanceof Problem && error.code === 'invalid_state_transition',
    );
  });
});

describe('setting aside, assigning, noting', () => {
  test('an ignored deposit is nobody’s work, keeps its money in suspense, and can still be matched', async () => {
    const url = await arrived('5000.00');
    const ignored = await call('POST', `${url}/ignore`, { reason: 'own transfer' });
    assert.deepEqual([ignored.body.status, ignored.body.exception], ['ignored', null]);
    assert.equal(
      (await call('POST', `${url}/ignore`, { reason: 'x' })).body.code,
      'invalid_state_transition',
    );
    assert.equal(
      (await call('POST', `${url}/assign`, { assignee: 'Ann' })).body.code,
      'invalid_state_transition',
    );
    const row = await small();
    assert.equal((await match(url, [row])).body.status, 'matched');
  });

  test('a note and an assignee are kept in the history', async () => {
    const url = await arrived('77.00');
    assert.equal((await call('POST', `${url}/note`, { note: 'asked them' })).body.version, 2);
    assert.equal((await call('POST', `${url}/assign`, { assignee: 'Ann' })).status, 200);
    assert.deepEqual(await actionsOf(url), ['assigned', 'noted', 'received']);
    assert.equal((await call('POST', `${url}/note`, { note: '' })).status, 400);
  });
});

describe('four eyes', () => {
  test('above the limit a second operator approves, with an OAuth client of its own', async () => {
    const row = await sandbox.trade({ amount: '100000.01' });
    const url = await arrived('100000.01');
    const proposed = await match(url, [row], { 'idempotency-key': 'four-eyes' });
    assert.equal(proposed.status, 202, JSON.stringify(proposed.body));
    assert.deepEqual([proposed.body.kind, proposed.body.subject], ['deposit_match', url.split('/').at(-1)]);
    assert.deepEqual((await match(url, [row], { 'idempotency-key': 'four-eyes' })).body, proposed.body);
    assert.equal((await match(url, [row])).body.code, 'already_exists');
    assert.equal(await statusOf(row), 'awaiting_funds');
    const approval = String(proposed.headers.location);
    assert.equal((await call('POST', `${approval}/approve`)).body.code, 'second_person_required');
    const approved = await call('POST', `${approval}/approve`, undefined, AS_SECOND);
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    assert.equal(await statusOf(row), 'funded');
    const { body } = await call('GET', `${url}/history`);
    assert.deepEqual(
      [body.items[0].actor, body.items[0].detail.approvedBy],
      [typeId('cli', OPERATOR_IDS.first), typeId('cli', OPERATOR_IDS.second)],
    );
    const undo = await call('POST', `${url}/unmatch`, { reason: 'wrong' });
    assert.equal(undo.status, 202);
    await call('POST', `${undo.headers.location}/reject`, { note: 'it is right' }, AS_SECOND);
    assert.equal(await statusOf(row), 'funded');
  });

  test('what was seen is what is approved: a deposit that changed since is not touched', async () => {
    const row = await sandbox.trade({ amount: '150000.00' });
    const url = await arrived('150000.00');
    const proposed = await match(url, [row]);
    await call('POST', `${url}/note`, { note: 'wait' });
    const refused = await call('POST', `${proposed.headers.location}/approve`, undefined, AS_SECOND);
    assert.deepEqual([refused.status, refused.body.code], [412, 'version_mismatch']);
    assert.equal((await call('GET', String(proposed.headers.location))).body.status, 'pending');
  });

  test('what cannot be done is refused at once; an unknown worth takes two persons', async () => {
    const url = await arrived('200000.00');
    const refused = await call('POST', `${url}/unmatch`, { reason: 'x' });
    assert.equal(refused.body.code, 'invalid_state_transition');
    const kwd = await arrived('1.000', { currency: 'KWD' });
    assert.equal((await call('POST', `${kwd}/return`, { reason: 'x' })).status, 202);
  });
});
