import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  euros,
  instructedOne,
  reported,
  returned,
  type ShownEntry,
  statusOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { AS_SECOND, createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { current, order, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  sandbox = await createSandbox(pool);
  const usdValueOf = (_currency: string, minor: bigint) => minor;
  server = createOperatorServer({ ...sandbox, desk: { ...sandbox.desk, usdValueOf } as Sandbox['desk'] });
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const say = (entry: ShownEntry, verb: 'book' | 'match', body: object, headers = {}) =>
  server.call(
    'POST',
    `/v1/operator/statement-entries/${entry.entryId}/${verb}`,
    { reason: 'seen', ...body },
    headers,
  );
const exceptionOf = (entry: ShownEntry) =>
  server.call('GET', `/v1/operator/exceptions/${entry.exceptionId}`).then(({ body }) => body);
const house = async (account: string) => (await balancesOf(pool, HOUSE_ID))[`${account} EUR`] ?? 0n;

describe('a debit of nobody', () => {
  test('is booked to an account of the house, once, and closes its exception', async () => {
    const [fee, moved] = await reported(server, [
      debit('12.50', '', 'FEES'),
      debit('5000.00', '', 'TO OUR SAVINGS'),
    ]);
    const early = await server.call('POST', `/v1/operator/exceptions/${fee.exceptionId}/resolve`, {
      resolution: 'acknowledged',
      note: 'never mind',
    });
    assert.deepEqual([early.status, early.body.code], [409, 'invalid_state_transition']);
    const done = await say(fee, 'book', { as: 'bank_charges' });
    assert.deepEqual(
      [done.status, done.body.paymentState, done.body.bookedAs, done.body.exceptionId],
      [200, 'by_hand', 'bank_charges', null],
    );
    assert.equal((await say(moved, 'book', { as: 'house_funds' })).status, 200);
    assert.deepEqual([await house('bank_charges'), await house('house_funds')], [1_250n, 500_000n]);
    assert.equal(await house('bank'), -501_250n);
    const closed = await exceptionOf(fee);
    assert.deepEqual([closed.status, closed.resolution], ['resolved', 'booked_as_bank_charges']);
    assert.equal((await say(fee, 'book', { as: 'interest' })).body.code, 'invalid_state_transition');
    const shown = await server.call('GET', `/v1/operator/statement-entries/${fee.entryId}`);
    assert.deepEqual(shown.body.bookedAs, 'bank_charges');
  });

  test('of a large amount takes two persons', async () => {
    const [entry] = await reported(server, [debit('250000.00', '', 'TO TREASURY')]);
    const proposed = await say(entry, 'book', { as: 'house_funds' });
    assert.equal(proposed.status, 202);
    const before = await house('house_funds');
    assert.equal((await say(entry, 'book', { as: 'house_funds' })).body.code, 'already_exists');
    const path = `/v1/operator/approvals/${proposed.body.approvalId}/approve`;
    assert.equal((await server.call('POST', path, {})).status, 403);
    const approved = await server.call('POST', path, {}, AS_SECOND);
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    assert.equal((await house('house_funds')) - before, 25_000_000n);
    assert.equal((await exceptionOf(entry)).status, 'resolved');
  });

  test('cannot be what it is not', async () => {
    const [entry] = await reported(server, [debit('1.00', '', 'WHAT')]);
    const { row } = await trade(pool);
    const refusals: [Promise<{ status: number; body: { code: string } }>, number, string][] = [
      [say(entry, 'book', { as: 'deposit' }), 409, 'invalid_state_transition'],
      [say(entry, 'book', { as: 'customer_debt' }), 400, 'validation_failed'],
      [say(entry, 'book', { as: 'customer_debt', customerId: 'cus_x' }), 404, 'customer_not_found'],
      [say(entry, 'match', {}), 400, 'validation_failed'],
      [say(entry, 'match', { transactionId: 'txn_x' }), 404, 'transaction_not_found'],
      [say(entry, 'match', { transactionId: typeId('txn', row.id) }), 409, 'invalid_state_transition'],
      [say(entry, 'match', { depositId: 'dep_x' }), 404, 'deposit_not_found'],
      [say({ entryId: 'ste_x' }, 'book', { as: 'interest' }), 404, 'statement_entry_not_found'],
    ];
    for (const [reply, status, code] of refusals) {
      const { status: got, body } = await reply;
      assert.deepEqual([got, body.code], [status, code]);
    }
    assert.equal((await exceptionOf(entry)).status, 'open');
  });
});

describe('a payment that is not as it should be', () => {
  test('is matched to its payout by hand; what is more or less is a charge of a bank', async () => {
    const made = await instructedOne(pool);
    const chargesBefore = await house('bank_charges');
    const more = euros(BigInt(made.row.buy_minor) + 1_500n);
    const [entry] = await reported(server, [debit(more, e2e(made.endToEndId))]);
    assert.equal(entry.paymentReason, 'amount');
    const transactionId = typeId('txn', made.row.id);
    const done = await say(entry, 'match', { transactionId });
    assert.deepEqual([done.status, done.body.bookedAs], [200, 'payout'], JSON.stringify(done.body));
    assert.equal(done.body.transactions[0].transactionId, transactionId);
    assert.equal(await statusOf(made), 'settled');
    assert.equal((await house('bank_charges')) - chargesBefore, 1_500n);
    assert.equal((await balancesOf(pool, made.desk.customerId))['bank EUR'], -BigInt(made.row.buy_minor));
    // It comes back with less than was sent.
    const less = euros(BigInt(made.row.buy_minor) - 800n);
    const [back] = await reported(server, [returned(less, e2e(made.endToEndId))]);
    assert.deepEqual(
      [back.paymentState, back.paymentReason, back.depositState],
      ['mismatch', 'amount', 'none'],
    );
    assert.equal((await say(back, 'match', { transactionId })).status, 200);
    assert.equal(await statusOf(made), 'settlement_failed');
    assert.equal((await house('bank_charges')) - chargesBefore, 2_300n);
    assert.equal((await balancesOf(pool, made.desk.customerId))['bank EUR'], undefined);
  });

  test('may be a deposit after all', async () => {
    const made = await instructedOne(pool);
    await reported(server, [
      debit(made.amount, e2e(made.endToEndId)),
      returned(made.amount, e2e(made.endToEndId)),
    ]);
    const [again] = await reported(server, [returned(made.amount, e2e(made.endToEndId))]);
    assert.equal(again.paymentReason, 'returned_twice');
    assert.equal((await say(again, 'book', { as: 'deposit' })).status, 200);
    await reported(server, [debit('0.01', '', 'ANOTHER')]);
    const shown = await server.call('GET', `/v1/operator/statement-entries/${again.entryId}`);
    assert.deepEqual([shown.body.bookedAs, shown.body.depositState], ['deposit', 'booked']);
  });
});

describe('deposits', () => {
  const interest = () => ({
    amount: '7.77',
    currency: 'EUR',
    reference: 'INTEREST-1',
    details: [txDtls('CREDIT INTEREST', {})],
  });

  test('that are the house’s own money are booked as that', async () => {
    const [entry] = await reported(server, [interest()]);
    const path = `/v1/operator/deposits/${entry.depositId}/book`;
    const done = await server.call('POST', path, { as: 'interest', reason: 'yearly' });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(
      [done.body.status, done.body.bookedAs, done.body.exception],
      ['returned', 'interest', null],
    );
    assert.equal(await house('interest'), -777n);
    const again = await server.call('POST', path, { as: 'interest', reason: 'yearly' });
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state_transition']);
  });

  test('that the house has kept as its own are no returns that a debit could be', async () => {
    const [credit] = await reported(server, [{ ...interest(), amount: '61.00', reference: 'INTEREST-2' }]);
    const kept = { as: 'interest', reason: 'yearly' };
    assert.equal(
      (await server.call('POST', `/v1/operator/deposits/${credit.depositId}/book`, kept)).status,
      200,
    );
    const [back] = await reported(server, [debit('61.00', '', 'INTEREST CORRECTED')]);
    const [before, bank] = [await house('interest'), await house('bank')];
    const matched = await say(back, 'match', { depositId: credit.depositId });
    assert.deepEqual([matched.status, matched.body.code], [409, 'invalid_state_transition']);
    assert.equal((await say(back, 'book', { as: 'interest' })).status, 200);
    assert.deepEqual([await house('interest'), await house('bank')], [before + 6_100n, bank - 6_100n]);
  });

  test('that the house has sent back are matched to the debit', async () => {
    const [credit] = await reported(server, [{ ...interest(), amount: '900.00', reference: 'STRANGER-1' }]);
    const [entry, other] = await reported(server, [
      debit('900.00', '', 'BACK'),
      debit('900.00', '', 'BACK TOO'),
    ]);
    const { depositId } = credit;
    const match = () => say(entry, 'match', { depositId });
    assert.equal((await match()).body.code, 'invalid_state_transition');
    await server.call('POST', `/v1/operator/deposits/${depositId}/return`, {
      account: { accountHolder: 'Stranger', iban: 'DE02120300000000202051' },
      reason: 'not ours',
    });
    const done = await match();
    assert.deepEqual([done.status, done.body.returnedDepositId], [200, depositId], JSON.stringify(done.body));
    assert.equal((await say(other, 'match', { depositId })).body.code, 'invalid_state_transition');
  });

  test('that were taken back after the payout had begun can be the customer’s debt', async () => {
    const { desk, row } = await trade(pool);
    const [credit] = await reported(
      server,
      [
        {
          amount: '100000.00',
          reference: 'GONE-1',
          details: [txDtls(row.reference, { refs: e2e('GONE-E') })],
        },
      ],
      { currency: 'USD' },
    );
    await settle(desk, order(row));
    const after = '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>';
    const [back] = await reported(
      server,
      [
        debit('100000.00', '', '', {
          currency: 'USD',
          details: [txDtls('FRAUD', { refs: e2e('GONE-E'), after })],
        }),
      ],
      { currency: 'USD' },
    );
    assert.deepEqual([back.paymentReason, back.returnedDepositId], ['payout_begun', credit.depositId]);
    const customerId = typeId('cus', desk.customerId);
    const done = await say(back, 'book', { as: 'customer_debt', customerId });
    assert.deepEqual(
      [done.status, done.body.bookedAs],
      [200, 'customer_receivable'],
      JSON.stringify(done.body),
    );
    const balances = await balancesOf(pool, desk.customerId);
    assert.deepEqual(balances['bank USD'], undefined);
    assert.equal(balances['customer_receivable USD'], 10_000_000n);
    assert.equal((await current(desk, row)).status, 'settling');
  });
});
