import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { fund, funded, openUsd, order, refusal, trade } from '../../test/support/stories.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { assertBalanced } from '../ledger/journal.ts';
import { timelineOf } from '../transactions/record.ts';
import { applyPaymentReport } from './bank-payment-report.ts';
import { endTransaction } from './end-transaction.ts';
import { changeOne, confirm, confirmRefund, fail, rejectRefund, settle } from './operate.ts';
import { refundExcess, refundOf } from './refund-changes.ts';
import { fundingCutoffSweep } from './sweeps.ts';
import { reversal } from './unwind-changes.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 16 }));
});
afterEach(() => assertBooksBalance(pool));

describe('unwinding', () => {
  test('takes every posting of the execution back, whichever side was fixed', async () => {
    for (const fixedSide of ['sell', 'buy'] as const) {
      const { desk, row } = await trade(pool, { fixedSide });
      const cancelled = await endTransaction(desk, order(row), { reason: 'trade_error' });
      assert.equal(cancelled.status, 'cancelled');
      assert.equal(cancelled.status_reason, 'trade_error');
      assert.equal(cancelled.refund, null);
      assert.deepEqual(await balancesOf(pool, desk.customerId), {});
      assert.equal(await openUsd(desk), '0');
      const { rows } = await pool.query<{ account: string; currency: string; total: string }>(
        `select account, currency, sum(amount) as total from journal_postings where transaction_id = $1
         group by account, currency having sum(amount) <> 0`,
        [row.id],
      );
      assert.deepEqual(rows, []);
    }
  });

  test('is told as it was when an operator says that its refund, which had left, came back', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 4_000_000n);
    await endTransaction(desk, order(row));
    const owed = await balancesOf(pool, desk.customerId);
    await confirmRefund(desk, order(row), 'OUT-1');
    const failed = await rejectRefund(desk, order(row), 'closed');
    assert.equal(refundOf(failed)?.failure, 'returned');
    assert.equal(timelineOf(failed).at(-1)?.code, 'refund_returned');
    assert.deepEqual(await balancesOf(pool, desk.customerId), owed);
  });

  test('with money received opens a refund and owes it', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 4_000_000n);
    const cancelled = await endTransaction(desk, order(row));
    assert.deepEqual(JSON.parse(cancelled.refund ?? ''), {
      status: 'pending',
      amount: '40000.00',
      currency: 'USD',
      reason: 'client_request',
      bankReference: null,
    });
    assert.deepEqual(await balancesOf(pool, desk.customerId), {
      'bank USD': 4_000_000n,
      'customer_excess USD': -4_000_000n,
    });
  });

  test('after a failed payout gives all back: what was forgiven is not forgiven, what was too much is owed', async () => {
    for (const amount of [9_998_000n, 10_000_500n]) {
      const { desk, row } = await trade(pool);
      await fund(desk, row, amount);
      await settle(desk, order(row));
      await confirm(desk, order(row), undefined);
      await fail(desk, order(row), undefined, undefined);
      const cancelled = await endTransaction(desk, order(row), { reason: 'compliance_rejected' });
      assert.equal(
        JSON.parse(cancelled.refund ?? '').amount,
        amount === 9_998_000n ? '99980.00' : '100005.00',
      );
      assert.deepEqual(await balancesOf(pool, desk.customerId), {
        'bank USD': amount,
        'customer_excess USD': -amount,
      });
    }
  });

  test('opens another refund than that of an overpayment, which the bank cannot send back unnoticed', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 10_000_500n);
    await changeOne(desk, order(row), refundExcess);
    await confirmRefund(desk, order(row), 'B-1');
    await settle(desk, order(row));
    await fail(desk, order(row), 'payout_rejected', undefined);
    const cancelled = await endTransaction(desk, order(row));
    const { status, amount, attempt } = refundOf(cancelled) ?? assert.fail();
    assert.deepEqual([status, amount, attempt], ['pending', '100000.00', 2]);
    const now = desk.clock.now();
    const [customerId, subjectId, amountMinor] = [desk.customerId, row.id, 500n];
    const first = { customerId, subjectId, purpose: 'refund', attempt: 1, amountMinor } as const;
    const told = { targets: [first], amountMinor, currency: 'USD', at: now };
    const report = (kind: 'paid' | 'returned') =>
      inTransaction(pool, (connection) => applyPaymentReport(connection, { ...told, kind }, now));
    assert.equal((await report('paid')).outcome, 'known');
    assert.equal((await report('returned')).outcome, 'mismatch');
  });

  test('of an overdue trade is its close-out; of a funded one takes two persons; of a settled one is too late', async () => {
    const overdue = await trade(pool);
    overdue.desk.clock.set(overdue.row.funding_cutoff_at);
    await fundingCutoffSweep(overdue.desk).run();
    const closed = await endTransaction(overdue.desk, order(overdue.row));
    assert.equal(closed.status_reason, 'closed_out');
    assert.equal(timelineOf(closed).at(-1)?.code, 'closed_out');
    const { desk, row } = await funded(pool);
    const refused = await refusal(endTransaction(desk, order(row)));
    assert.equal(refused.code, 'invalid_state_transition');
    assert.equal(refused.members.needs, 'second_person');
    await settle(desk, order(row));
    await confirm(desk, order(row), undefined);
    assert.equal((await refusal(endTransaction(desk, order(row)))).code, 'invalid_state_transition');
  });

  test('is an entry that balances by itself', async () => {
    const { row } = await trade(pool, { fixedSide: 'buy' });
    assert.doesNotThrow(() => assertBalanced(reversal(row)));
  });
});
