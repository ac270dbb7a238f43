import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, reported, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { AS_SECOND, createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { failedReturnsSweep } from './operate-return.ts';

let pool: Pool;
let desk: ManualDesk;
let server: OperatorServer;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
  server = createOperatorServer(desk.sandbox);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});
after(async () => {
  await server.close();
  await desk.close();
});

const PAYER = 'DE02120300000000202051';
const scope = { authorization: 'Bearer operator:payouts operator:deposits operator:entries' };
let credits = 0;

/** A deposit of nobody that a statement has reported. */
async function arrived(amount: string, account: string | null = PAYER): Promise<string> {
  const parties =
    account === null
      ? '<Dbtr><Nm>Payer Ltd</Nm></Dbtr>'
      : `<Dbtr><Nm>Payer Ltd</Nm></Dbtr><DbtrAcct><Id><IBAN>${account}</IBAN></Id></DbtrAcct>`;
  const credit: CamtEntry = {
    amount,
    reference: `IN-${++credits}`,
    details: [txDtls(`number ${credits}`, { parties })],
  };
  const [entry] = await reported(server, [credit], { currency: 'USD' });
  assert.ok(entry.depositId, JSON.stringify(entry));
  return `/v1/operator/deposits/${entry.depositId}`;
}
const order = (url: string, body: Record<string, unknown> = {}) =>
  desk.call('POST', `${url}/return`, { reason: 'not ours', ...body });
const show = async (url: string) => (await desk.call('GET', url)).body;
async function run(): Promise<{ runId: string; payments: Record<string, string>[] }> {
  const made = await desk.call(
    'POST',
    '/v1/operator/settlement-runs',
    { currency: 'USD', valueDate: '2026-03-06' },
    scope,
  );
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { runId } = made.body;
  const payments = (
    await desk.call('GET', `/v1/operator/settlement-runs/${runId}/payments`, undefined, scope)
  ).body.items;
  return { runId, payments };
}
const sent = (runId: string) =>
  desk.call('POST', `/v1/operator/settlement-runs/${runId}/mark-sent`, {}, scope);
async function house(): Promise<Record<string, bigint | undefined>> {
  const all = await balancesOf(pool, HOUSE_ID);
  return {
    bank: all['bank USD'] ?? 0n,
    suspense: all['suspense USD'] ?? 0n,
    owed: all['returns_payable USD'] ?? 0n,
  };
}
let debits = 0;
const debit = (amount: string, refs: string): CamtEntry => ({
  amount,
  direction: 'DBIT',
  reference: `OUT-${++debits}`,
  details: [txDtls('payment', { refs })],
});
const back = (amount: string, refs: string): CamtEntry => ({
  amount,
  reference: `BACK-${++debits}`,
  details: [txDtls('returned', { refs, after: '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>' })],
});

test('what the state of a deposit forbids is told before the version, and the version before anything is done', async () => {
  const url = await arrived('41.00');
  const stale = { ...scope, 'if-match': '"v9"' };
  const give = (path: string, body: object) =>
    desk.call('POST', `${url}/${path}`, { reason: 'not ours', ...body }, stale);
  const seen = await give('return', {});
  assert.deepEqual([seen.status, seen.body.code], [412, 'version_mismatch']);
  assert.equal((await show(url)).status, 'unmatched');
  const { version } = (await order(url)).body;
  const codeOf = async (path: string, body: object = {}) => (await give(path, body)).body.code;
  assert.equal(await codeOf('return'), 'invalid_state_transition');
  assert.equal(await codeOf('ignore'), 'invalid_state_transition');
  assert.equal(await codeOf('unmatch'), 'invalid_state_transition');
  const { returns } = await show(url);
  const pay = `returns/${returns[0].returnId}`;
  assert.equal(await codeOf(`${pay}/cancel`), 'version_mismatch');
  assert.equal((await show(url)).version, version);
  const cancelled = await desk.call('POST', `${url}/${pay}/cancel`, { reason: 'it is ours' }, scope);
  assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body));
  assert.equal(await codeOf(`${pay}/cancel`), 'invalid_state_transition');
});

test('a return that the bank has refused, or sent back, and tells of in no file is in suspense again', async () => {
  const first = await house();
  const rejected = await arrived('1300.00');
  const { returns } = (await order(rejected)).body;
  const { runId } = await run();
  const fail = (url: string, { returnId }: { returnId: string }) =>
    desk.call('POST', `${url}/returns/${returnId}/failed`, { reason: 'the bank called' }, scope);
  const early = await fail(rejected, returns[0]);
  assert.deepEqual(
    [early.status, early.body.code, early.body.runId],
    [409, 'invalid_state_transition', runId],
  );
  await sent(runId);
  const failed = await fail(rejected, returns[0]);
  assert.equal(failed.status, 200, JSON.stringify(failed.body));
  assert.deepEqual(
    [failed.body.status, failed.body.exception.reason, failed.body.returns[0].status],
    ['unmatched', 'return_failed', 'failed'],
  );
  assert.equal((await fail(rejected, returns[0])).status, 409, 'once');

  const paid = await arrived('1400.00');
  const [going] = (await order(paid)).body.returns;
  const confirm = { bankReference: 'SEEN-1', reason: 'seen in online banking' };
  const confirmed = await desk.call('POST', `${paid}/returns/${going.returnId}/paid`, confirm, scope);
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  assert.equal((await fail(paid, going)).status, 200);
  const last = await house();
  assert.deepEqual(
    [last.bank, last.suspense, last.owed],
    [(first.bank ?? 0n) + 270_000n, (first.suspense ?? 0n) - 270_000n, first.owed],
    'the bank has all of it, and nobody is owed anything',
  );
  assert.equal((await order(paid)).status, 200, 'it is ordered anew');
});

describe('a deposit that goes back', () => {
  test('is paid by the next run to the account that it came from, and is gone when the bank says so', async () => {
    const first = await house();
    const url = await arrived('1200.00');
    const ordered = await order(url);
    assert.equal(ordered.status, 200, JSON.stringify(ordered.body));
    const [shown] = ordered.body.returns;
    assert.deepEqual(
      [
        ordered.body.status,
        shown.status,
        shown.amount,
        shown.accountHolder,
        shown.destinationMasked.slice(-4),
      ],
      ['returned', 'pending', '1200.00', 'Payer Ltd', '2051'],
    );
    const owed = await house();
    assert.deepEqual(
      [owed.bank, owed.suspense, owed.owed],
      [(first.bank ?? 0n) + 120_000n, first.suspense, (first.owed ?? 0n) - 120_000n],
      'the bank has it still, and it is owed',
    );
    const { runId, payments } = await run();
    const payment = payments.find((each) => each.endToEndId === shown.reference);
    assert.ok(payment, JSON.stringify(payments));
    assert.deepEqual([payment.amount, payment.customerId], ['1200.00', null]);
    const file = await server.raw('GET', `/v1/operator/settlement-runs/${runId}/files/pain.001`);
    assert.match(String(file.body), new RegExp(`<IBAN>${PAYER}</IBAN>`));
    assert.equal((await show(url)).returns[0].status, 'in_run');
    const refused = await desk.call('POST', `${url}/returns/${shown.returnId}/cancel`, { reason: 'x' });
    assert.equal(refused.body.code, 'invalid_state_transition');
    const { body } = await desk.call('POST', `${url}/returns/${shown.returnId}/failed`, { reason: 'x' });
    assert.deepEqual([body.code, body.from, body.to], ['invalid_state_transition', 'in_run', 'failed']);
    assert.equal((await sent(runId)).status, 200);
    assert.equal((await show(url)).returns[0].status, 'sent');
    const [entry] = await reported(server, [debit('1200.00', e2e(shown.reference))], { currency: 'USD' });
    assert.equal(entry.paymentState, 'applied', JSON.stringify(entry));
    const paid = (await show(url)).returns[0];
    assert.deepEqual([paid.status, paid.bankReference], ['paid', entry.bankReference]);
    assert.deepEqual(await house(), first);
  });

  test('and that the bank sends back is in suspense again, and can go back once more', async () => {
    const first = await house();
    const url = await arrived('70.00');
    const [{ reference }] = (await order(url)).body.returns;
    const { runId } = await run();
    await sent(runId);
    await reported(server, [debit('70.00', e2e(reference))], { currency: 'USD' });
    const [entry] = await reported(server, [back('70.00', e2e(reference))], { currency: 'USD' });
    assert.deepEqual([entry.paymentState, entry.depositState], ['applied', 'none'], JSON.stringify(entry));
    assert.equal(await failedReturnsSweep(desk.sandbox.desk, silentLogger).run(), 1);
    const reopened = await show(url);
    assert.deepEqual(
      [reopened.status, reopened.exception, reopened.returns[0].status, reopened.returns[0].failure],
      ['unmatched', { type: 'unmatched', reason: 'return_failed' }, 'failed', 'returned'],
    );
    assert.equal((await house()).suspense, (first.suspense ?? 0n) - 7_000n);
    const again = await order(url, {
      account: { iban: 'GB29NWBK60161331926819', accountHolder: 'Payer Limited' },
    });
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.notEqual(again.body.returns[1].reference, reference);
    const next = await run();
    assert.equal(next.payments.length, 1);
    await sent(next.runId);
    await reported(server, [debit('70.00', e2e(again.body.returns[1].reference))], { currency: 'USD' });
    assert.deepEqual(await house(), first);
  });

  test('goes to an account without an IBAN by the BIC of its bank', async () => {
    const url = await arrived('25.00', null);
    const account = { accountNumber: '12345678', bic: 'NWBKGB2L', accountHolder: 'Payer Limited' };
    const ordered = await order(url, { account });
    assert.equal(ordered.status, 200, JSON.stringify(ordered.body));
    const { runId, payments } = await run();
    assert.equal(payments.length, 1, 'no bank is missing');
    await sent(runId);
    await reported(server, [debit('25.00', e2e(ordered.body.returns[0].reference))], { currency: 'USD' });
    assert.equal((await show(url)).returns[0].status, 'paid');
  });

  test('needs an account: as the bank told it, as the operator gives it, or two persons say that it was paid outside', async () => {
    const url = await arrived('15.00', null);
    const without = await order(url);
    assert.deepEqual(
      [without.status, without.body.errors[0].pointer],
      [400, '/account'],
      JSON.stringify(without.body),
    );
    const wrong = await order(url, { account: { iban: 'DE00000' } });
    assert.equal(wrong.body.errors[0].pointer, '/account/iban');
    const nowhere = await order(url, { account: { accountNumber: '12345678' } });
    assert.equal(nowhere.body.errors[0].pointer, '/account/bic');
    const outside = await order(url, { paidOutside: true, bankReference: 'EBANKING-1' });
    assert.equal(outside.status, 202, 'however little it is');
    const approved = await desk.call(
      'POST',
      `/v1/operator/approvals/${outside.body.approvalId}/approve`,
      {},
      AS_SECOND,
    );
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    const done = await show(url);
    assert.deepEqual([done.status, done.returns], ['returned', []]);
    // The statement reports it, and a person says which it is.
    const [entry] = await reported(server, [debit('15.00', '')], { currency: 'USD' });
    const matched = await desk.call('POST', `/v1/operator/statement-entries/${entry.entryId}/match`, {
      depositId: done.depositId,
      reason: 'e-banking',
    });
    assert.equal(matched.status, 200, JSON.stringify(matched.body));
  });

  test('may be called off before a run holds it, and confirmed by hand where no statement tells', async () => {
    const first = await house();
    const url = await arrived('33.00');
    const [{ returnId }] = (await order(url, { amount: '30.00' })).body.returns;
    const off = await desk.call('POST', `${url}/returns/${returnId}/cancel`, {
      reason: 'it is ours after all',
    });
    assert.deepEqual(
      [off.status, off.body.status, off.body.returns[0].status, off.body.returnedAmount],
      [200, 'unmatched', 'cancelled', '0.00'],
      JSON.stringify(off.body),
    );
    const [, second] = (await order(url)).body.returns;
    const paid = await desk.call('POST', `${url}/returns/${second.returnId}/paid`, {
      bankReference: 'B-1',
      reason: 'told',
    });
    assert.deepEqual([paid.status, paid.body.returns[1].status], [200, 'paid'], JSON.stringify(paid.body));
    const unknown = await desk.call('POST', `${url}/returns/dpr_x/paid`, {
      bankReference: 'B-1',
      reason: 'told',
    });
    assert.equal(unknown.body.code, 'deposit_return_not_found');
    // The debit is known when it comes.
    const [entry] = await reported(server, [debit('33.00', e2e(second.reference))], { currency: 'USD' });
    assert.equal(entry.paymentState, 'known', JSON.stringify(entry));
    assert.deepEqual(await house(), first);
  });
});

/** A deposit that names its payment, and the debit by which the remitter's bank takes it back. */
async function recallable(id: string): Promise<{ url: string; recall: () => Promise<ShownEntry> }> {
  const parties = `<Dbtr><Nm>Payer Ltd</Nm></Dbtr><DbtrAcct><Id><IBAN>${PAYER}</IBAN></Id></DbtrAcct>`;
  const details = (text: string, after = '') => [txDtls(text, { refs: e2e(id), parties, after })];
  const credit: CamtEntry = { amount: '31.00', reference: `IN-${++credits}`, details: details('for you') };
  const [entry] = await reported(server, [credit], { currency: 'USD' });
  const after = '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>';
  const taken: CamtEntry = {
    ...{ amount: '31.00', direction: 'DBIT', reference: `OUT-${++debits}` },
    details: details('recall', after),
  };
  return {
    url: `/v1/operator/deposits/${entry.depositId}`,
    recall: async () => (await reported(server, [taken], { currency: 'USD' }))[0],
  };
}
const matchEntry = (entry: ShownEntry, url: string) =>
  desk.call(
    'POST',
    `/v1/operator/statement-entries/${entry.entryId}/match`,
    { depositId: url.split('/').at(-1), reason: 'told by the bank' },
    scope,
  );

describe('a deposit that the remitter’s bank takes back', () => {
  test('while it is to go back is no return that was known: it must not go back twice', async () => {
    const first = await house();
    const { url, recall } = await recallable('RECALL-1');
    const [{ returnId }] = (await order(url)).body.returns;
    const entry = await recall();
    assert.deepEqual([entry.paymentState, entry.paymentReason], ['mismatch', 'state'], JSON.stringify(entry));
    assert.ok(entry.exceptionId);
    const preview = async () => {
      const path = '/v1/operator/settlement-runs/preview?currency=USD&valueDate=2026-03-06';
      const { body } = await desk.call('GET', path, undefined, scope);
      return [
        body.payments?.length ?? body.items?.length,
        body.excluded.map((each: { reason: string }) => each.reason),
      ];
    };
    assert.deepEqual(await preview(), [0, ['deposit_returned']]);
    const early = await matchEntry(entry, url);
    assert.equal(early.status, 200, JSON.stringify(early.body));
    assert.equal((await show(url)).returns[0].returnId, returnId);
    assert.equal((await show(url)).returns[0].status, 'paid', 'and no run pays it any more');
    assert.deepEqual(await house(), first);
  });

  test('while a file is to send it back is held in the file, and sent once a person says that it is another', async () => {
    const { url, recall } = await recallable('RECALL-3');
    await order(url);
    const { runId } = await run();
    const entry = await recall();
    assert.deepEqual([entry.paymentState, entry.paymentReason], ['mismatch', 'state'], JSON.stringify(entry));
    const held = await sent(runId);
    assert.equal(held.status, 409, JSON.stringify(held.body));
    assert.match(JSON.stringify(held.body), /deposit_returned/);
    const path = `/v1/operator/statement-entries/${entry.entryId}/book`;
    const booked = await desk.call('POST', path, { as: 'house_funds', reason: 'another payment' }, scope);
    assert.equal(booked.status, 200, JSON.stringify(booked.body));
    assert.equal((await sent(runId)).status, 200);
    const [{ reference }] = (await show(url)).returns;
    await reported(server, [debit('31.00', e2e(reference))], { currency: 'USD' });
  });

  test('and was booked as money of the house is work for a person', async () => {
    const { url, recall } = await recallable('RECALL-2');
    const booked = await desk.call('POST', `${url}/book`, { as: 'house_funds', reason: 'ours' }, scope);
    assert.equal(booked.status, 200, JSON.stringify(booked.body));
    const entry = await recall();
    assert.deepEqual([entry.paymentState, entry.paymentReason], ['mismatch', 'state'], JSON.stringify(entry));
    const path = `/v1/operator/statement-entries/${entry.entryId}/book`;
    const undone = await desk.call('POST', path, { as: 'house_funds', reason: 'taken back' }, scope);
    assert.equal(undone.status, 200, JSON.stringify(undone.body));
  });
});

test('a debit that a person matched to a return is its payment, and the bank’s next one is one too many', async () => {
  const url = await arrived('52.00');
  const [{ reference }] = (await order(url)).body.returns;
  const { runId } = await run();
  await sent(runId);
  const [unnamed] = await reported(server, [debit('52.00', '')], { currency: 'USD' });
  const matched = await matchEntry(unnamed, url);
  assert.equal(matched.status, 200, JSON.stringify(matched.body));
  assert.equal((await show(url)).returns[0].status, 'paid');
  const [second] = await reported(server, [debit('52.00', e2e(reference))], { currency: 'USD' });
  assert.deepEqual(
    [second.paymentState, second.paymentReason],
    ['mismatch', 'paid_twice'],
    JSON.stringify(second),
  );
  const path = `/v1/operator/statement-entries/${second.entryId}/book`;
  const lost = await desk.call('POST', path, { as: 'house_funds', reason: 'asked the bank' }, scope);
  assert.equal(lost.status, 200, JSON.stringify(lost.body));
});

describe('a deposit that its remitter’s bank takes back while the house sends a part of it back', () => {
  const takeBack = async (url: string) => {
    const taken = await order(url, { returnedBy: 'remitter_bank' });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    return taken.body;
  };

  for (const part of ['400.00', undefined]) {
    test(`is work for a person, and nothing goes: ${part ?? 'all of it'}`, async () => {
      const url = await arrived('1000.00');
      const before = await house();
      const ordered = await order(url, { returnedBy: 'house', amount: part });
      const { returnId } = ordered.body.returns[0];
      const taken = await takeBack(url);
      assert.deepEqual(taken.exception, { type: 'returned', reason: 'return_under_way' });
      const preview = '/v1/operator/settlement-runs/preview?currency=USD&valueDate=2026-03-06';
      const { body } = await desk.call('GET', preview, undefined, scope);
      const left = body.excluded.find((each: { returnId: string }) => each.returnId === returnId);
      assert.equal(left?.reason, 'deposit_returned', JSON.stringify(body));
      const { depositId } = taken;
      const [open] = (await desk.call('GET', `/v1/operator/exceptions?depositId=${depositId}`)).body.items;
      const { orders } = (await desk.call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body;
      const cancel = orders.find((each: { order: string }) => each.order === 'cancel');
      const done = await desk.call('POST', cancel.path, { reason: 'taken back already' });
      assert.equal(done.status, 200, JSON.stringify(done.body));
      const gone = await takeBack(url);
      assert.deepEqual([gone.status, gone.exception, gone.returnedAmount], ['returned', null, '1000.00']);
      const after = await house();
      assert.equal((before.bank ?? 0n) - (after.bank ?? 0n), 100_000n);
      assert.deepEqual([after.owed, after.suspense], [before.owed, (before.suspense ?? 0n) + 100_000n]);
    });
  }

  test('is work for a person too while a part that the bank has refused is not in suspense again yet', async () => {
    const url = await arrived('1000.00');
    const [{ reference }] = (await order(url, { amount: '400.00' })).body.returns;
    await sent((await run()).runId);
    await reported(server, [debit('400.00', e2e(reference))], { currency: 'USD' });
    await reported(server, [back('400.00', e2e(reference))], { currency: 'USD' });
    const early = await takeBack(url);
    assert.deepEqual(early.exception, { type: 'returned', reason: 'return_under_way' });
    assert.equal(await failedReturnsSweep(desk.sandbox.desk, silentLogger).run(), 1);
    const gone = await takeBack(url);
    assert.deepEqual([gone.status, gone.exception, gone.returnedAmount], ['returned', null, '1000.00']);
  });
});
