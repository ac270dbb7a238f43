import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { AS_SECOND, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { current, order } from '../../test/support/stories.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { houseEntry } from '../deposits/funding.ts';
import { lockDeposit } from '../deposits/room.ts';
import { postEntries } from '../ledger/journal.ts';
import { settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';
import { readBankReconciliation } from './bank-reconciliation.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});

const PATH = '/v1/operator/statements';
const withdraw = (fileId: string) =>
  server.call('POST', `${PATH}/${fileId}/withdraw`, { reason: 'it was a test file of the bank' });
const approve = (approvalId: string) =>
  server.call('POST', `/v1/operator/approvals/${approvalId}/approve`, {}, AS_SECOND);
const depositOf = async (reference: string) =>
  (
    await pool.query('select status, booked_as from deposits where bank_reference = $1 order by id', [
      reference,
    ])
  ).rows;
const unexplained = async () =>
  (await readBankReconciliation(pool, 'USD')).find((each) => each.currency === 'USD')?.unexplainedMinor ?? 0n;

describe('a file that should not have come', () => {
  test('is withdrawn by two people, and what it reported is undone', async () => {
    const row = await sandbox.trade();
    const credit = { amount: '100000.00', reference: 'WD-1', details: [txDtls(row.reference)] };
    const debit = { amount: '7.00', reference: 'WD-2', direction: 'DBIT' as const, details: [txDtls('?')] };
    const file = camt([credit, debit], { opening: '0.00', closing: '99993.00', number: '1' });
    const { fileId } = (await server.upload(file)).body;
    assert.equal((await current(sandbox.desk, row)).received_minor, '10000000');

    const proposed = await withdraw(fileId);
    assert.deepEqual(
      [proposed.status, proposed.body.request?.deposits],
      [202, 1],
      JSON.stringify(proposed.body),
    );
    assert.equal((await current(sandbox.desk, row)).received_minor, '10000000', 'nothing is done yet');
    const approved = await approve(proposed.body.approvalId);
    assert.equal(approved.status, 200, JSON.stringify(approved.body));

    assert.equal((await current(sandbox.desk, row)).received_minor, '0');
    assert.deepEqual(await depositOf('WD-1'), [{ status: 'returned', booked_as: 'never_booked' }]);
    const shown = (await server.call('GET', `${PATH}/${fileId}`)).body;
    assert.equal(shown.withdrawn.reason, 'it was a test file of the bank');
    assert.notEqual(shown.withdrawn.by, shown.withdrawn.approvedBy);
    const open = await server.call('GET', '/v1/operator/exceptions?status=open&type=payout_mismatch');
    assert.equal(open.body.items.length, 0, 'the debit waits for nobody');
    assert.equal(await unexplained(), 0n);
    await assertBankAgrees(pool);

    assert.equal(
      (await server.upload(file)).body.withdrawn?.reason,
      shown.withdrawn.reason,
      'it stays withdrawn',
    );
    assert.equal((await withdraw(fileId)).body.code, 'invalid_state_transition');
    // The right file reports the same money: then it is booked.
    const right = await server.upload(camt([credit], { opening: '0.00', closing: '100000.00', number: '1' }));
    assert.deepEqual([right.status, right.body.newEntries], [201, 1]);
    assert.equal((await current(sandbox.desk, row)).received_minor, '10000000');
    await assertBankAgrees(pool);
  });

  test('is not withdrawn with more deposits than the second person has seen', async () => {
    const credit = (reference: string) => ({ amount: '5.00', reference, details: [txDtls(reference)] });
    const notified = async (message: '052' | '054', ...references: string[]) =>
      (await server.upload(camt(references.map(credit), { message }))).body.fileId as string;
    const file = await notified('054', 'WD-20', 'WD-21');
    const other = await notified('052', 'WD-21');
    const { body: proposal } = await withdraw(file);
    assert.equal(proposal.request.deposits, 1);
    assert.equal((await withdraw(other)).status, 200, 'the first one still reports it');
    const { status, body } = await approve(proposal.approvalId);
    assert.deepEqual([status, body.code, body.deposits], [409, 'proposal_outdated', 2]);
    assert.deepEqual(await depositOf('WD-20'), [{ status: 'unmatched', booked_as: null }]);
    const path = `/v1/operator/approvals/${proposal.approvalId}/reject`;
    assert.equal((await server.call('POST', path, {}, AS_SECOND)).status, 200);
    const again = await withdraw(file);
    assert.equal(again.body.request.deposits, 2);
    assert.equal((await approve(again.body.approvalId)).status, 200);
    assert.deepEqual(await depositOf('WD-21'), [{ status: 'returned', booked_as: 'never_booked' }]);
  });

  test('is not withdrawn while a payout depends on it, and says which', async () => {
    const row = await sandbox.trade();
    const free = await sandbox.trade();
    const credit = (each: { reference: string }, reference: string) => ({
      amount: '100000.00',
      reference,
      details: [txDtls(each.reference)],
    });
    const file = camt([credit(row, 'WD-3'), credit(free, 'WD-4')], { message: '054' });
    const { fileId } = (await server.upload(file)).body;
    await settle(sandbox.desk, order(await current(sandbox.desk, row)));
    const refused = await withdraw(fileId);
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.dependentCount],
      [409, 'invalid_state_transition', 1],
    );
    const [dependent] = refused.body.dependents;
    assert.deepEqual(dependent.transactions, [{ transactionId: typeId('txn', row.id), status: 'settling' }]);
    assert.equal((await current(sandbox.desk, free)).received_minor, '10000000', 'nothing is half done');
  });

  for (const how of ['in one of its own', 'in one with its return', 'told by a person before']) {
    test(`is withdrawn with the return of a deposit, which is no longer taken back by it: ${how}`, async () => {
      const row = await sandbox.trade();
      const [reference, isBoth] = [`WD-BACK-${how.length}`, how.includes('with')];
      const credit = { amount: '100000.00', reference, details: [txDtls(row.reference)] };
      const refs = `<TxId>${reference}</TxId>`;
      const after = '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>';
      const back = { ...credit, direction: 'DBIT' as const, reference: `R-${reference}` };
      const recall = { ...back, details: [txDtls('RECALL', { refs, after })] };
      if (!isBoth) await server.upload(camt([credit], { message: '054' }));
      const [{ id }] = (
        await pool.query('select id from deposits where bank_reference = $1', [reference])
      ).rows.concat({});
      if (how.startsWith('told')) {
        const said = { returnedBy: 'remitter_bank', reason: 'told by phone' };
        const path = `/v1/operator/deposits/${typeId('dep', id)}/return`;
        assert.equal((await server.call('POST', path, said)).status, 200);
      }
      const file = camt(isBoth ? [credit, recall] : [recall], { message: '054' });
      const { fileId } = (await server.upload(file)).body;
      assert.deepEqual(await depositOf(reference), [{ status: 'returned', booked_as: null }]);
      const asked = await withdraw(fileId);
      const done = asked.status === 202 ? await approve(asked.body.approvalId) : asked;
      assert.equal(done.status, 200, JSON.stringify(done.body));
      const end = isBoth
        ? { status: 'returned', booked_as: 'never_booked' }
        : { status: how.startsWith('told') ? 'returned' : 'unmatched', booked_as: null };
      assert.deepEqual(await depositOf(reference), [end]);
      await assertBankAgrees(pool);
    });
  }

  test('is not withdrawn while the house has booked a deposit of it as its own', async () => {
    const credit = { amount: '12.00', reference: 'WD-7', details: [txDtls('INTEREST')] };
    const { fileId } = (await server.upload(camt([credit], { message: '054' }))).body;
    const [entry] = (await server.call('GET', `${PATH}/${fileId}/entries`)).body.items;
    const booked = await server.call('POST', `/v1/operator/deposits/${entry.depositId}/book`, {
      as: 'interest',
      reason: 'interest of February',
    });
    assert.equal(booked.status, 200, JSON.stringify(booked.body));
    const refused = await withdraw(fileId);
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.dependents],
      [
        409,
        'invalid_state_transition',
        [{ entryId: entry.entryId, depositId: entry.depositId, bookedAs: 'interest' }],
      ],
      JSON.stringify(refused.body),
    );
    assert.deepEqual(await depositOf('WD-7'), [{ status: 'returned', booked_as: 'interest' }]);
    await assertBankAgrees(pool);
  });

  test('is withdrawn while somebody is at work on one of its deposits, and neither locks the other out', async () => {
    const credits = ['WD-8', 'WD-9'].map((reference) => ({
      amount: '5.00',
      reference,
      details: [txDtls(reference)],
    }));
    const { fileId } = (await server.upload(camt(credits, { message: '054' }))).body;
    const { rows } = await pool.query<{ id: string }>(
      `select e.deposit_id as id from entry_details e join deposits d on d.id = e.deposit_id
       where d.bank_reference in ('WD-8', 'WD-9') order by e.id`,
    );
    const last = rows.at(-1)?.id ?? '';
    const over = new Error('only looked at');
    let withdrawing: ReturnType<typeof withdraw> | undefined;
    const working = inTransaction(pool, async (connection) => {
      const deposit = await lockDeposit(connection, last);
      assert.ok(deposit);
      withdrawing = withdraw(fileId);
      await untilLocked(pool);
      // The house's balances come last, for whoever is at work.
      await postEntries(connection, [houseEntry('deposit_returned', deposit, -1n)], sandbox.clock.now());
      throw over;
    });
    await assert.rejects(working, over);
    const proposed = await withdrawing;
    assert.deepEqual(
      [proposed?.status, proposed?.body.request?.deposits],
      [202, 2],
      JSON.stringify(proposed?.body),
    );
    assert.equal((await approve(proposed?.body.approvalId)).status, 200);
    for (const reference of ['WD-8', 'WD-9'])
      assert.deepEqual(await depositOf(reference), [{ status: 'returned', booked_as: 'never_booked' }]);
    await assertBankAgrees(pool);
  });

  test('with nothing in the books takes one person, and keeps what others report', async () => {
    const debit = { amount: '3.00', reference: 'WD-5', direction: 'DBIT' as const, details: [txDtls('fee')] };
    const { fileId } = (await server.upload(camt([debit], { message: '054' }))).body;
    const gone = await withdraw(fileId);
    assert.deepEqual([gone.status, gone.body.withdrawn?.approvedBy], [200, null], JSON.stringify(gone.body));

    const row = await sandbox.trade();
    const credit = { amount: '100000.00', reference: 'WD-6', details: [txDtls(row.reference)] };
    const first = await server.upload(camt([credit], { message: '054' }));
    const second = await server.upload(camt([credit], { message: '052' }));
    assert.equal(second.body.newEntries, 0);
    assert.equal((await withdraw(first.body.fileId)).status, 200);
    assert.equal((await current(sandbox.desk, row)).received_minor, '10000000', 'the other file reports it');
    assert.equal((await withdraw('stf_01jngx7z5d2m8r4v6t9k3b1c0a')).body.code, 'statement_file_not_found');
  });
});

describe('a corrected statement', () => {
  test('takes the place of the one that it corrects', async () => {
    const account = 'GB33BUKB20201555555555';
    await pool.query(
      `insert into collection_accounts (currency, details, updated_at)
       values ('GBP', $1, now()) on conflict (currency) do update set details = excluded.details`,
      [
        JSON.stringify({
          ...{ accountHolder: 'House', bankName: null, bic: null, iban: account },
          ...{ accountNumber: null, routingNumber: null, rails: [] },
        }),
      ],
    );
    const base = { account, currency: 'GBP', number: '5', opening: '0.00' };
    const [a, b] = ['CORR-A', 'CORR-B'].map((reference) => ({
      amount: '10.00',
      currency: 'GBP',
      reference,
      details: [txDtls(reference)],
    }));
    assert(a !== undefined && b !== undefined);
    const wrong = await server.upload(camt([a, b], { ...base, closing: '20.00' }));
    const right = await server.upload(camt([a], { ...base, closing: '10.00' }));
    assert.deepEqual([right.status, right.body.newEntries], [201, 0], JSON.stringify(right.body));
    const shown = async (fileId: string) =>
      (await server.call('GET', `${PATH}/${fileId}/statements`)).body.items[0];
    const [old, now] = [await shown(wrong.body.fileId), await shown(right.body.fileId)];
    assert.deepEqual([old.correctedBy, old.closing, now.correctedBy], [now.statementId, null, null]);
    assert.equal(now.closing.amount, '10.00');
    const [bank] = await readBankReconciliation(pool, 'GBP');
    assert.equal(bank?.accounts[0]?.closing_minor, '1000');
    const { rows } = await pool.query(
      'select b.bank_reference, e.missing_since is not null as missing from entry_details e join bank_entries b on b.id = e.entry_id where b.currency = $1 and e.same_as is null order by 1',
      ['GBP'],
    );
    assert.deepEqual(rows, [
      { bank_reference: 'CORR-A', missing: false },
      { bank_reference: 'CORR-B', missing: true },
    ]);
    // The same statement in another format corrects nothing.
    const again = await server.upload(camt([a], { ...base, closing: '10.00', version: '04' }));
    assert.equal((await shown(again.body.fileId)).correctedBy, null);
    assert.equal((await shown(right.body.fileId)).correctedBy, null);
  });

  test('that the bank does not number is known by its name, its period and its opening balance', async () => {
    const base = { account: 'GB33BUKB20201555555555', currency: 'GBP', date: '2026-03-05' };
    const credit = (reference: string, amount: string) => ({
      ...{ amount, currency: 'GBP', reference },
      details: [txDtls(reference)],
    });
    const [c, d] = [credit('CORR-C', '10.00'), credit('CORR-D', '10.00')];
    const shown = async (fileId: string) =>
      (await server.call('GET', `${PATH}/${fileId}/statements`)).body.items[0];
    const took = async (entries: (typeof c)[], opening: string, closing: string) => {
      const reported = await server.upload(camt(entries, { ...base, opening, closing }));
      assert.equal(reported.status, 201, JSON.stringify(reported.body));
      return reported.body.fileId;
    };
    const wrong = await took([c, d], '10.00', '30.00');
    const right = await took([c], '10.00', '20.00');
    const { statementId, correctedBy } = await shown(right);
    assert.deepEqual([(await shown(wrong)).correctedBy, correctedBy], [statementId, null]);
    // One name for all that follow each other, also where the first of them has nothing in it.
    const later = [
      await took([credit('CORR-E', '5.00')], '20.00', '25.00'),
      await took([], '25.00', '25.00'),
      await took([credit('CORR-F', '1.00')], '25.00', '26.00'),
      await took([credit('CORR-G', '1.00')], '26.00', '27.00'),
    ];
    for (const fileId of [right, ...later]) assert.equal((await shown(fileId)).correctedBy, null);
  });
});
