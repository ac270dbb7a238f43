import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  type Instructed,
  instructed,
  instructedOne,
  reported,
  returned,
  statusOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { current, order, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { settle } from '../payments/operate.ts';
import type { TransactionRow } from '../transactions/record.ts';

let pool: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});

describe('payouts that come back', () => {
  test('are returned, whatever names them, and are no deposits', async () => {
    const made = await instructed(pool, 3);
    const debits = await reported(
      server,
      made.map((each) => debit(each.amount, e2e(each.endToEndId))),
    );
    const [one, two, three] = made as [Instructed, Instructed, Instructed];
    const returns = await reported(server, [
      returned(one.amount, e2e(one.endToEndId)),
      returned(two.amount, `<TxId>${debits[1]?.bankReference}</TxId>`, 'AC06'),
      returned(three.amount, '', 'MS03', {
        details: [],
        reversal: true,
        reference: `REV-${three.row.reference}`,
      }),
    ]);
    assert.deepEqual(
      returns.map((each) => [each.kind, each.paymentState, each.depositState]),
      [
        ['return', 'applied', 'none'],
        ['return', 'applied', 'none'],
        // Nothing in it says what was taken back: it is money that nobody knows.
        ['reversal', 'unknown', 'booked'],
      ],
    );
    const failed = await current(one.desk, one.row);
    assert.deepEqual([failed.status, failed.status_reason], ['settlement_failed', 'payout_returned']);
    assert.equal(JSON.parse(failed.failure ?? '').detail, 'AC04 RETURNED');
    assert.equal(await statusOf(two), 'settlement_failed');
    assert.equal(await statusOf(three), 'settled');
    assert.equal((await balancesOf(pool, one.desk.customerId))['bank EUR'], undefined);
  });

  test('end the same in every order of debit, return and second debit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(['debit', 'return', 'second'], { minLength: 3 }),
        fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
        async (order, apart) => {
          const made = await instructedOne(pool);
          const entries: Record<string, CamtEntry> = {
            debit: debit(made.amount, e2e(made.endToEndId)),
            return: returned(made.amount, e2e(made.endToEndId)),
            second: debit(made.amount, e2e(made.endToEndId)),
          };
          // Some in one file, some in files of their own.
          const files: CamtEntry[][] = [[]];
          for (const [n, name] of order.entries()) {
            if (n > 0 && apart[n - 1]) files.push([]);
            files.at(-1)?.push(entries[name] as CamtEntry);
          }
          const shown: Record<string, unknown>[] = [];
          for (const file of files) shown.push(...(await reported(server, file)));
          assert.equal(await statusOf(made), 'settlement_failed');
          assert.equal((await balancesOf(pool, made.desk.customerId))['bank EUR'], undefined);
          const wrong = shown.filter((each) => each.paymentState === 'mismatch');
          assert.deepEqual(
            wrong.map((each) => each.paymentReason),
            ['paid_twice'],
          );
          assert.equal(shown.filter((each) => each.exceptionId !== null).length, 1);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('deposits that the remitter’s bank takes back', () => {
  const paidIn = (row: TransactionRow, amount: string, reference: string, endToEndId: string): CamtEntry => ({
    amount,
    currency: 'USD',
    reference,
    details: [
      txDtls(row.reference, {
        refs: e2e(endToEndId),
        parties:
          '<Dbtr><Nm>Acme</Nm></Dbtr><DbtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></DbtrAcct>',
      }),
    ],
  });
  const takenBack = (
    amount: string,
    refs: string,
    text = 'RECALL',
    more: Partial<CamtEntry> = {},
  ): CamtEntry => {
    const parties =
      '<Dbtr><Nm>Acme</Nm></Dbtr><DbtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></DbtrAcct>';
    const after = '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>';
    return debit(amount, '', '', {
      currency: 'USD',
      details: [txDtls(text, { refs, parties, after })],
      ...more,
    });
  };
  const notify = (entries: readonly CamtEntry[]) => reported(server, entries, { currency: 'USD' });

  test('leave the trade without its money, whatever names them', async () => {
    const ways: ((row: TransactionRow, reference: string, id: string) => CamtEntry)[] = [
      (_row, _reference, id) => takenBack('100000.00', e2e(id)),
      (_row, reference) => takenBack('100000.00', `<TxId>${reference}</TxId>`),
      (row) => takenBack('100000.00', '', `recall of ${row.reference}`),
      (_row, reference) => takenBack('100000.00', '', '', { details: [], reversal: true, reference }),
    ];
    for (const [n, way] of ways.entries()) {
      const { desk, row } = await trade(pool);
      const [reference, id] = [`DEPREF-${n}`, `CUSTOMER-${n}`];
      // Both in one file: the deposit is booked before its return.
      const [credit, back] = await notify([paidIn(row, '100000.00', reference, id), way(row, reference, id)]);
      assert.deepEqual(
        [back.paymentState, back.returnedDepositId],
        ['applied', credit.depositId],
        JSON.stringify(back),
      );
      const unpaid = await current(desk, row);
      assert.deepEqual([unpaid.status, unpaid.status_reason], ['awaiting_funds', 'deposit_returned']);
      assert.equal((await balancesOf(pool, desk.customerId))['bank USD'], undefined);
      const [again] = await notify([way(row, reference, id)]);
      // A reversal under the same reference is the same entry once more.
      assert.deepEqual([again.new, again.paymentReason], n === 3 ? [false, null] : [true, 'returned_twice']);
    }
    await assertReconciled(pool);
  });

  test('whose payout has begun are exceptions, and another amount or nobody’s deposit too', async () => {
    const { desk, row } = await trade(pool);
    const [credit] = await notify([paidIn(row, '100000.00', 'DEPREF-X', 'CUSTOMER-X')]);
    const [short] = await notify([takenBack('99990.00', e2e('CUSTOMER-X'))]);
    assert.deepEqual([short.paymentState, short.paymentReason], ['mismatch', 'amount']);
    await settle(desk, order(row));
    const [late] = await notify([takenBack('100000.00', e2e('CUSTOMER-X'))]);
    assert.deepEqual(
      [late.paymentState, late.paymentReason, late.returnedDepositId],
      ['mismatch', 'payout_begun', credit.depositId],
    );
    const deposit = await server.call('GET', `/v1/operator/deposits/${credit.depositId}`);
    assert.equal(deposit.body.exception.type, 'returned');
    const [nobody] = await notify([takenBack('7.00', e2e('NEVER-SEEN'))]);
    assert.equal(nobody.paymentState, 'unknown');
    assert.ok(nobody.exceptionId);
    await assertReconciled(pool);
  });

  test('by an operator’s word before are known', async () => {
    const { row } = await trade(pool);
    const [credit] = await notify([paidIn(row, '100000.00', 'DEPREF-Y', 'CUSTOMER-Y')]);
    const done = await server.call('POST', `/v1/operator/deposits/${credit.depositId}/return`, {
      returnedBy: 'remitter_bank',
      reason: 'told by phone',
    });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    const [back] = await notify([takenBack('100000.00', e2e('CUSTOMER-Y'))]);
    assert.deepEqual([back.paymentState, back.returnedDepositId], ['known', credit.depositId]);
  });
});
