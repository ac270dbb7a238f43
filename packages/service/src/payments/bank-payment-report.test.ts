import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, fund, funded, order, refusal, trade } from '../../test/support/stories.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { openExcessRefund } from '../deposits/refund-excess.ts';
import { newUuid } from '../platform/ids.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import { applyPaymentReport, type BankPaymentReport } from './bank-payment-report.ts';
import { markSent } from './end-run.ts';
import { endTransaction } from './end-transaction.ts';
import { confirm, confirmRefund, fail, rejectRefund, repeatRefund, retry, settle } from './operate.ts';
import { listPayments } from './run-payment-store.ts';
import { createRun } from './settlement-runs.ts';

const BY = '0195f000-0000-7000-8000-00000000000a';
let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
afterEach(() => assertBooksBalance(pool));

async function notify(
  desk: Desk,
  notice: Partial<BankPaymentReport> & Pick<BankPaymentReport, 'kind' | 'amountMinor'>,
) {
  const now = desk.clock.now();
  return inTransaction(pool, (connection) =>
    applyPaymentReport(connection, { currency: 'EUR', at: now, bankReference: 'STMT-1', ...notice }, now),
  );
}

/** A payout that is in a run, and the payment that it is in. */
async function instructed(): Promise<{ desk: Desk; row: TransactionRow; endToEndId: string; uetr: string }> {
  const { desk, row } = await funded(pool);
  await settle(desk, order(row));
  const run = await createRun(desk, { currency: 'EUR', valueDate: '2026-03-06' }, BY);
  const all = await listPayments(pool, run.id, undefined, 100);
  const mine = all.find((each) => each.customer_id === desk.customerId);
  assert.ok(mine);
  return { desk, row, endToEndId: mine.end_to_end_id, uetr: mine.uetr };
}

describe('what a bank tells of a payment', () => {
  test('settles the payout that it names by EndToEndId or UETR, once', async () => {
    for (const by of ['endToEndId', 'uetr'] as const) {
      const made = await instructed();
      const { desk, row } = made;
      const notice = { kind: 'paid', amountMinor: BigInt(row.buy_minor), [by]: made[by] } as const;
      const at = desk.clock.now() - 60_000;
      assert.equal((await notify(desk, { ...notice, at })).outcome, 'applied');
      const settled = await current(desk, row);
      assert.deepEqual(
        [settled.status, settled.payout_reference, settled.paid_at],
        ['settled', 'STMT-1', at],
      );
      assert.equal(timelineOf(settled).at(-1)?.actor, 'bank_feed');
      assert.equal((await notify(desk, notice)).outcome, 'known');
      assert.equal((await balancesOf(pool, desk.customerId))['bank EUR'], -BigInt(row.buy_minor));
    }
  });

  test('finds it by reference and amount when the bank hands on nothing else, also without a run', async () => {
    const { desk, row } = await funded(pool);
    await settle(desk, order(row));
    const amountMinor = BigInt(row.buy_minor);
    const notice = { kind: 'paid', amountMinor, references: [row.reference] } as const;
    assert.equal((await notify(desk, { ...notice, amountMinor: amountMinor - 1n })).outcome, 'unknown');
    assert.equal((await notify(desk, { ...notice, currency: 'USD' })).outcome, 'unknown');
    assert.equal(
      (await notify(desk, { kind: 'paid', amountMinor, endToEndId: 'NOTPROVIDED' })).outcome,
      'unknown',
    );
    assert.equal((await notify(desk, notice)).outcome, 'applied');
    assert.equal((await current(desk, row)).status, 'settled');
  });

  test('finds several payouts by their references when the bank books their sum', async () => {
    const [one, two, unpaid] = [await funded(pool), await funded(pool), await trade(pool)];
    for (const { desk, row } of [one, two]) await settle(desk, order(row));
    const amountMinor = BigInt(one.row.buy_minor) + BigInt(two.row.buy_minor);
    const references = [one.row.reference, two.row.reference];
    const notice = { kind: 'paid', amountMinor, references } as const;
    for (const wrong of [
      { amountMinor: amountMinor + 1n },
      { currency: 'GBP' },
      { references: [...references, unpaid.row.reference] },
    ]) {
      assert.equal((await notify(one.desk, { ...notice, ...wrong })).outcome, 'unknown');
    }
    assert.equal((await notify(one.desk, notice)).outcome, 'applied');
    for (const { desk, row } of [one, two]) assert.equal((await current(desk, row)).status, 'settled');
  });

  test('with another amount or currency is for a person to look at', async () => {
    const { desk, row, endToEndId } = await instructed();
    const amountMinor = BigInt(row.buy_minor);
    const short = await notify(desk, { kind: 'paid', amountMinor: amountMinor - 1n, endToEndId });
    assert.deepEqual([short.outcome, 'reason' in short && short.reason], ['mismatch', 'amount']);
    const other = await notify(desk, { kind: 'paid', amountMinor, endToEndId, currency: 'USD' });
    assert.deepEqual([other.outcome, 'reason' in other && other.reason], ['mismatch', 'currency']);
    assert.equal((await current(desk, row)).status, 'settling');
  });

  test('finds the refund whose id a field of 16 characters has cut off to that of the payout', async () => {
    const { desk, row, endToEndId } = await instructed();
    await notify(desk, { kind: 'rejected', amountMinor: BigInt(row.buy_minor), endToEndId });
    await endTransaction(desk, order(row));
    const run = await createRun(desk, { currency: 'USD', valueDate: '2026-03-06' }, BY);
    const all = await listPayments(pool, run.id, undefined, 100);
    const refund = all.find((each) => each.customer_id === desk.customerId);
    assert.equal(refund?.end_to_end_id, `${endToEndId}-R2`);
    const cut = { otherIds: [refund.end_to_end_id.slice(0, 16)], references: [row.reference] };
    const amountMinor = BigInt(row.sell_minor);
    const other = await notify(desk, {
      ...cut,
      kind: 'paid',
      amountMinor: amountMinor - 1n,
      currency: 'USD',
    });
    assert.deepEqual([other.outcome, 'reason' in other && other.reason], ['mismatch', 'currency']);
    const paid = await notify(desk, { ...cut, kind: 'paid', amountMinor, currency: 'USD' });
    assert.equal(paid.outcome, 'applied');
    assert.equal(JSON.parse((await current(desk, row)).refund ?? '').status, 'paid');
  });

  test('rejects, and returns after it was paid; the retry is another payment', async () => {
    const { desk, row, endToEndId } = await instructed();
    const amountMinor = BigInt(row.buy_minor);
    await notify(desk, { kind: 'rejected', amountMinor, endToEndId, detail: 'AC04 closed account' });
    const failed = await current(desk, row);
    assert.deepEqual([failed.status, failed.status_reason], ['settlement_failed', 'payout_rejected']);
    assert.equal(JSON.parse(failed.failure ?? '').detail, 'AC04 closed account');
    // It had left after all.
    assert.equal((await notify(desk, { kind: 'returned', amountMinor, endToEndId })).outcome, 'applied');
    assert.equal((await current(desk, row)).status_reason, 'payout_returned');
    await retry(desk, order(row));
    // What the bank says of the first payment no longer touches the second one.
    const stale = await notify(desk, { kind: 'paid', amountMinor, endToEndId });
    assert.deepEqual([stale.outcome, 'reason' in stale && stale.reason], ['mismatch', 'state']);
    await confirm(desk, order(row), undefined);
    const returned = await notify(desk, { kind: 'returned', amountMinor, references: [row.reference] });
    assert.equal(returned.outcome, 'applied');
    assert.equal((await current(desk, row)).status_reason, 'payout_returned');
  });

  test('moves all payouts of one payment, or none', async () => {
    const desk = await createDesk(pool);
    await pool.query(`update customers set settings = '{"paymentNetting": true}' where id = $1`, [
      desk.customerId,
    ]);
    const rows: TransactionRow[] = [];
    for (let i = 0; i < 3; i++) {
      const row = await desk.execute(await desk.quote({ amount: '1000.00' }));
      await fund(desk, row);
      rows.push(await settle(desk, order(row)));
    }
    const run = await createRun(desk, { currency: 'EUR', valueDate: '2026-03-06' }, BY);
    const payment = (await listPayments(pool, run.id, undefined, 100)).find(
      (each) => each.customer_id === desk.customerId,
    );
    const [first] = rows;
    assert.ok(payment && first);
    const notice = { kind: 'paid', amountMinor: BigInt(payment.amount_minor), uetr: payment.uetr } as const;
    await fail(desk, order(first), 'payout_rejected', undefined);
    assert.equal((await notify(desk, notice)).outcome, 'mismatch');
    for (const row of rows.slice(1)) assert.equal((await current(desk, row)).status, 'settling');
  });

  test('that cannot be true yet is kept, and is due again when its payout moves', async () => {
    const { desk, row, endToEndId } = await instructed();
    await fail(desk, order(row), 'payout_rejected', undefined);
    const sourceId = newUuid(desk.clock.now());
    const early = await notify(desk, {
      kind: 'paid',
      amountMinor: BigInt(row.buy_minor),
      endToEndId,
      sourceId,
    });
    assert.deepEqual([early.outcome, 'reason' in early && early.reason], ['mismatch', 'state']);
    const kept = async () =>
      (
        await pool.query<{ subject_id: string; due: boolean }>(
          'select subject_id, due from bank_reports_set_aside where source_id = $1',
          [sourceId],
        )
      ).rows;
    assert.deepEqual(await kept(), [{ subject_id: row.id, due: false }]);
    await retry(desk, order(row));
    assert.deepEqual(await kept(), [{ subject_id: row.id, due: true }]);
  });

  test('of a payment of which one payout was told before is for a person to look at', async () => {
    const desk = await createDesk(pool);
    await pool.query(`update customers set settings = '{"paymentNetting": true}' where id = $1`, [
      desk.customerId,
    ]);
    const rows: TransactionRow[] = [];
    for (let i = 0; i < 2; i++) {
      const row = await desk.execute(await desk.quote({ amount: '1000.00' }));
      await fund(desk, row);
      rows.push(await settle(desk, order(row)));
    }
    const run = await createRun(desk, { currency: 'EUR', valueDate: '2026-03-06' }, BY);
    const payment = (await listPayments(pool, run.id, undefined, 100)).find(
      (each) => each.customer_id === desk.customerId,
    );
    const [first = assert.fail(), second = assert.fail()] = rows;
    assert.ok(payment);
    const alone = {
      kind: 'paid',
      amountMinor: BigInt(first.buy_minor),
      references: [first.reference],
    } as const;
    const source = () => ({ sourceId: newUuid(desk.clock.now()) });
    assert.equal((await notify(desk, { ...alone, ...source() })).outcome, 'applied');
    const { uetr, amount_minor: total } = payment;
    const whole = await notify(desk, { kind: 'paid', amountMinor: BigInt(total), uetr, ...source() });
    assert.deepEqual([whole.outcome, 'reason' in whole && whole.reason], ['mismatch', 'paid_twice']);
    assert.equal((await current(desk, second)).status, 'settling');
  });
});

describe('a refund', () => {
  const refundOf = async (desk: Desk, row: TransactionRow) =>
    JSON.parse((await current(desk, row)).refund ?? 'null') as Record<string, unknown>;

  test('of a cancelled trade goes through a run and is paid by what the bank says', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 4_000_000n);
    await endTransaction(desk, order(row));
    const run = await createRun(desk, { currency: 'USD', valueDate: '2026-03-04' }, BY);
    const [payment] = await listPayments(pool, run.id, undefined, 10);
    assert.equal(payment?.amount_minor, '4000000');
    assert.equal(payment.end_to_end_id, `${row.reference}-R`);
    const reported = await notify(desk, {
      kind: 'paid',
      amountMinor: 4_000_000n,
      currency: 'USD',
      uetr: payment.uetr,
    });
    assert.equal(reported.outcome, 'applied');
    const refund = await refundOf(desk, row);
    assert.deepEqual([refund.status, refund.bankReference], ['paid', 'STMT-1']);
    assert.deepEqual(await balancesOf(pool, desk.customerId), {});
    const { rows } = await pool.query(
      'select type from feed_events where transaction_id = $1 order by sequence desc limit 1',
      [row.id],
    );
    assert.deepEqual(rows, [{ type: 'refund.paid' }]);
  });

  test('that fails is owed still, and is instructed again', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 4_000_000n);
    await endTransaction(desk, order(row));
    await createRun(desk, { currency: 'USD', valueDate: '2026-03-04' }, BY);
    await rejectRefund(desk, order(row), 'account closed');
    assert.equal((await refundOf(desk, row)).detail, 'account closed');
    assert.equal(
      (await refusal(confirmRefund(desk, order(row), undefined))).code,
      'invalid_state_transition',
    );
    await repeatRefund(desk, order(row));
    assert.equal((await refusal(repeatRefund(desk, order(row)))).code, 'invalid_state_transition');
    const run = await createRun(desk, { currency: 'USD', valueDate: '2026-03-04' }, BY);
    const [payment] = await listPayments(pool, run.id, undefined, 10);
    assert.equal(payment?.end_to_end_id, `${row.reference}-R2`);
    await markSent(desk, { runId: run.id, ifMatch: undefined, by: BY });
    await confirmRefund(desk, order(row), 'BY-HAND');
    assert.deepEqual(await balancesOf(pool, desk.customerId), {});
    // It comes back after all.
    const back = await notify(desk, {
      kind: 'returned',
      amountMinor: 4_000_000n,
      currency: 'USD',
      uetr: payment.uetr,
    });
    assert.equal(back.outcome, 'applied');
    assert.equal((await refundOf(desk, row)).status, 'failed');
    assert.equal((await balancesOf(pool, desk.customerId))['customer_excess USD'], -4_000_000n);
  });

  test('of what was paid too much is an operator decision, and the trade goes on', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 10_000_500n);
    await openExcessRefund(desk, order(row), BY);
    assert.equal((await refusal(openExcessRefund(desk, order(row), BY))).code, 'invalid_state_transition');
    assert.deepEqual((await refundOf(desk, row)).reason, 'excess');
    await confirmRefund(desk, order(row), 'X-1');
    const paid = await current(desk, row);
    assert.deepEqual([paid.status, paid.excess_minor], ['funded', '0']);
    assert.equal((await refusal(openExcessRefund(desk, order(row), BY))).code, 'invalid_state_transition');
    await settle(desk, order(row));
    await fail(desk, order(row), 'payout_rejected', undefined);
    const cancelled = await endTransaction(desk, order(row), { reason: 'client_request' });
    assert.deepEqual(
      [JSON.parse(cancelled.refund ?? '').amount, JSON.parse(cancelled.refund ?? '').attempt],
      ['100000.00', 2],
    );
    await confirmRefund(desk, order(row), 'X-2');
    assert.deepEqual(await balancesOf(pool, desk.customerId), {});
  });

  test('under way stands against an unwinding, which would pay the same money twice', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 10_000_500n);
    await settle(desk, order(row));
    await fail(desk, order(row), 'payout_rejected', undefined);
    await openExcessRefund(desk, order(row), BY);
    assert.equal((await refusal(endTransaction(desk, order(row)))).code, 'invalid_state_transition');
    await rejectRefund(desk, order(row), undefined);
    const cancelled = await endTransaction(desk, order(row));
    assert.equal(JSON.parse(cancelled.refund ?? '').amount, '100005.00');
  });
});
