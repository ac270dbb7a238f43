import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { preFund } from '../../test/support/executions.ts';
import { createOperatorServer, depositOf, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { current, fund, funded, order, refusal, trade } from '../../test/support/stories.ts';
import { createDesk, type Desk, decimal } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { timelineOf } from '../transactions/record.ts';
import { closeOutSweep } from './close-out-overdue.ts';
import { endTransaction, quoteUnwinding, unwindApproval } from './end-transaction.ts';
import { fail, settle } from './operate.ts';
import { rollValueDate } from './roll-value-date.ts';
import { fundingCutoffSweep, settlementSweep } from './sweeps.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox, true, new Map([unwindApproval(sandbox.desk)]));
});
after(() => server.close());
afterEach(() => assertBooksBalance(pool));

/** The euro falls by a cent: what the customer bought is worth less. */
function euroFalls(desk: Desk): void {
  desk.market.book.freeze('EURUSD', decimal('1.07488'), decimal('1.07494'));
}

describe('closing out at the market', () => {
  test('books the loss in an account of its own, and leaves no position but it', async () => {
    const { desk, row } = await trade(pool);
    euroFalls(desk);
    const cancelled = await endTransaction(desk, order(row), { closeOutAt: 'market' });
    // 92,171.00 EUR, bought at the market for 100,000.00 USD, yield 99,072.76 USD at 1.07488.
    const closeOut = timelineOf(cancelled).at(-1)?.closeOut as { readonly asOf: string };
    assert.deepEqual(closeOut, {
      pair: 'EURUSD',
      rate: '1.07488',
      asOf: closeOut.asOf,
      currency: 'USD',
      result: 'loss',
      amount: '927.24',
      charged: '0.00',
    });
    assert.deepEqual(await balancesOf(pool, desk.customerId), {
      'position USD': -92_724n,
      'close_out_result USD': 92_724n,
    });
  });

  test('books a gain when the bought amount was fixed and the market rose', async () => {
    const { desk, row } = await trade(pool, { fixedSide: 'buy' });
    desk.market.book.freeze('EURUSD', decimal('1.09488'), decimal('1.09494'));
    await endTransaction(desk, order(row), { closeOutAt: 'market', chargeCustomer: true });
    // 100,000.00 EUR cost 108,494.00 USD at the market and yield 109,488.00.
    assert.deepEqual(await balancesOf(pool, desk.customerId), {
      'position USD': 99_400n,
      'close_out_result USD': -99_400n,
    });
  });

  test('books what was sold as lost when what was bought yields less than a minor unit', async () => {
    const { desk, row } = await trade(pool, { amount: '0.02' });
    desk.market.book.freeze('EURUSD', decimal('0.20000'), decimal('0.20001'));
    await endTransaction(desk, order(row), { closeOutAt: 'market' });
    assert.deepEqual(await balancesOf(pool, desk.customerId), {
      'position USD': -2n,
      'close_out_result USD': 2n,
    });
  });

  test('tells the price that it was closed out at, however small the amount', async () => {
    // 0.02 EUR sold for 0.02 USD: the dollars go back at the ask, and yield less than a cent.
    const { desk, row } = await trade(pool, { sellCurrency: 'EUR', buyCurrency: 'USD', amount: '0.02' });
    desk.market.book.freeze('EURUSD', decimal('9.50000'), decimal('9.60000'));
    const cancelled = await endTransaction(desk, order(row), { closeOutAt: 'market' });
    const closeOut = timelineOf(cancelled).at(-1)?.closeOut as Record<string, string>;
    assert.deepEqual([closeOut.rate, closeOut.result, closeOut.amount], ['9.60000', 'loss', '0.02']);
  });

  test('charges the customer: first out of money that came, then as a debt', async () => {
    for (const [paid, refund, debt] of [
      [4_000_000n, '39072.76', 0n],
      [50_000n, undefined, 42_724n],
    ] as const) {
      const { desk, row } = await trade(pool);
      await fund(desk, row, paid);
      euroFalls(desk);
      const cancelled = await endTransaction(desk, order(row), {
        closeOutAt: 'market',
        chargeCustomer: true,
      });
      assert.equal(JSON.parse(cancelled.refund ?? 'null')?.amount, refund);
      const balances = await balancesOf(pool, desk.customerId);
      assert.equal(balances['close_out_result USD'], undefined);
      assert.equal(balances['customer_receivable USD'] ?? 0n, debt);
      assert.equal(-(balances['customer_excess USD'] ?? 0n), paid - (92_724n - debt));
      const { rows } = await pool.query(
        `select transaction_id, detail ->> 'amount' as amount, detail ->> 'reason' as reason from feed_events
         where customer_id = $1 and type = 'balance.debt_booked'`,
        [desk.customerId],
      );
      const told = { transaction_id: row.id, amount: '427.24', reason: 'close_out' };
      assert.deepEqual(rows, debt === 0n ? [] : [told]);
    }
  });

  test('charges the balance that has paid for the trade, and owes nothing back', async () => {
    const desk = await createDesk(pool);
    await preFund(desk, 20_000_000n);
    const row = await desk.execute(await desk.quote());
    await settle(desk, order(row));
    await fail(desk, order(row), 'payout_rejected', undefined);
    euroFalls(desk);
    const how = { closeOutAt: 'market', chargeCustomer: true } as const;
    const cancelled = await endTransaction(desk, order(row), how);
    assert.equal(cancelled.refund, null);
    const balances = await balancesOf(pool, desk.customerId);
    assert.equal(balances['customer_balance USD'], 92_724n - 20_000_000n);
    assert.equal(balances['close_out_result USD'], undefined);
  });

  test('is shown before it is done, to the cent that is then booked', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 4_000_000n);
    euroFalls(desk);
    const how = { closeOutAt: 'market', chargeCustomer: true } as const;
    const shown = await quoteUnwinding(desk, row.id, how);
    assert.equal((await current(desk, row)).status, 'partially_funded');
    const cancelled = await endTransaction(desk, order(row), how);
    assert.deepEqual(shown.refund, JSON.parse(cancelled.refund ?? ''));
    const { rows } = await pool.query<{ account: string; currency: string; amount: string }>(
      `select account, currency, amount from journal_postings
       where transaction_id = $1 and kind in ('trade_cancelled', 'close_out')`,
      [row.id],
    );
    const minor = (text: string) => text.replace('.', '');
    const booked = rows.map((each) => `${each.account} ${each.currency} ${each.amount}`).sort();
    const promised = (shown.postings as { account: string; currency: string; amount: string }[])
      .map((each) => `${each.account} ${each.currency} ${minor(each.amount).replace(/^(-?)0+(?=\d)/, '$1')}`)
      .sort();
    assert.deepEqual(promised, booked);
  });

  test('refuses without a price', async () => {
    const { desk, row } = await trade(pool);
    const away = { ...desk, market: { ...desk.market, book: { read: () => ({ status: 'missing' }) } } };
    const refused = await refusal(
      endTransaction(away as unknown as Desk, order(row), { closeOutAt: 'market' }),
    );
    assert.equal(refused.code, 'price_unavailable');
    assert.equal((await current(desk, row)).status, 'awaiting_funds');
  });
});

describe('unwinding a funded trade', () => {
  test('takes two persons, over HTTP', async () => {
    const row = await sandbox.trade({ amount: '100907.00' });
    const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
    await server.call('POST', '/v1/operator/deposits', { ...depositOf(row, 'U-1'), amount: '100907.00' });
    const quote = await server.call('GET', `${path}/unwind-quote?closeOutAt=trade`);
    assert.deepEqual(
      [quote.status, quote.body.needs, quote.body.refund.amount],
      [200, 'second_person', '100907.00'],
    );
    const proposed = await server.call('POST', `${path}/unwind`, { reason: 'trade_error' });
    assert.equal(proposed.status, 202);
    assert.equal(proposed.body.status, 'pending');
    assert.equal((await server.call('POST', `${path}/unwind`, {})).body.code, 'already_exists');
    assert.equal((await sandbox.read(row)).status, 'funded');
    const approve = `${String(proposed.headers.location)}/approve`;
    const alone = await server.call('POST', approve, {});
    assert.equal(alone.body.code, 'second_person_required');
    const second = { authorization: 'Bearer operator:* second' };
    assert.equal((await server.call('POST', approve, {}, second)).body.status, 'approved');
    const ended = await sandbox.read(row);
    assert.deepEqual([ended.status, ended.status_reason], ['cancelled', 'trade_error']);
    const rolled = await server.call('POST', `${path}/roll-value-date`, {
      valueDate: '2026-03-10',
      reason: 'holiday',
    });
    assert.equal(rolled.body.code, 'invalid_state_transition');
    assert.equal(
      (await server.call('POST', `${path}/refund-paid`, { bankReference: 'R-1' })).body.refund.status,
      'paid',
    );
    assert.equal(
      (await server.call('GET', `${path}/unwind-quote?closeOutAt=x`)).body.code,
      'validation_failed',
    );
  });

  test('approved, it is cancelled and owed back', async () => {
    const { desk, row } = await funded(pool);
    const [, kind] = unwindApproval(desk);
    const connection = await pool.connect();
    try {
      await connection.query('begin');
      await kind.carryOut(connection, {
        approvalId: row.id,
        request: { customerId: row.customer_id, transactionId: row.id, reason: 'compliance_rejected' },
        reason: 'test',
        proposedBy: row.id,
        decidedBy: row.quote_id,
        now: desk.clock.now(),
      });
      await connection.query('commit');
    } finally {
      connection.release();
    }
    const cancelled = await current(desk, row);
    assert.deepEqual([cancelled.status, cancelled.status_reason], ['cancelled', 'compliance_rejected']);
    assert.equal(JSON.parse(cancelled.refund ?? '').amount, '100000.00');
  });
});

describe('rolling the value date', () => {
  test('moves date and cut-off, keeps the original date, and tells the customer why', async () => {
    const { desk, row } = await trade(pool);
    const rolled = await rollValueDate(desk, order(row), '2026-03-10', 'client_request');
    assert.deepEqual([rolled.value_date, rolled.original_value_date], ['2026-03-10', '2026-03-06']);
    // The euro's, which comes before the dollar's, as on the date before.
    assert.equal(isoInstant(row.funding_cutoff_at), '2026-03-06T13:30:00.000Z');
    assert.equal(isoInstant(rolled.funding_cutoff_at), '2026-03-10T13:30:00.000Z');
    assert.equal(timelineOf(rolled).at(-1)?.reason, 'client_request');
    const { rows } = await pool.query(
      'select type from feed_events where transaction_id = $1 and status = $2 and version = 2',
      [row.id, 'awaiting_funds'],
    );
    assert.deepEqual(rows, [{ type: 'transaction.value_date_changed' }]);
    desk.clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    assert.equal((await current(desk, row)).status, 'awaiting_funds');
  });

  test('goes to no date on which the bought currency cannot be paid any more', async () => {
    const { desk, row } = await trade(pool);
    desk.clock.set(Date.UTC(2026, 2, 9, 14));
    const late = await refusal(rollValueDate(desk, order(row), '2026-03-09', 'bank_closed'));
    assert.equal((late.members.reasons as { reason: string }[])[0]?.reason, 'cutoff_passed');
  });

  test('puts the payout of a funded trade off', async () => {
    const { desk, row } = await funded(pool);
    await rollValueDate(desk, order(row), '2026-03-09', 'bank_closed');
    desk.clock.set(Date.UTC(2026, 2, 6, 9));
    await settlementSweep(desk).run();
    assert.equal((await current(desk, row)).status, 'funded');
    desk.clock.set(Date.UTC(2026, 2, 9, 9));
    await settlementSweep(desk).run();
    assert.equal((await current(desk, row)).status, 'settling');
    const late = await refusal(rollValueDate(desk, order(row), '2026-03-10', 'operational'));
    assert.equal(late.code, 'invalid_state_transition');
  });

  test('of an overdue trade takes the late payment that was agreed, and no close-out before it', async () => {
    for (const [paid, status] of [
      [0n, 'awaiting_funds'],
      [1_000n, 'partially_funded'],
    ] as const) {
      const { desk, row } = await trade(pool);
      if (paid > 0n) await fund(desk, row, paid);
      desk.clock.set(row.funding_cutoff_at);
      await fundingCutoffSweep(desk).run();
      assert.equal((await current(desk, row)).status, 'overdue');
      const rolled = await rollValueDate(desk, order(row), '2026-03-10', 'late_funding');
      assert.deepEqual(
        [rolled.status, rolled.status_reason, rolled.value_date],
        [status, null, '2026-03-10'],
      );
      const { rows } = await pool.query(
        'select type from feed_events where transaction_id = $1 and version = $2 order by sequence',
        [row.id, rolled.version],
      );
      const told = ['transaction.value_date_changed', `transaction.${status}`];
      assert.deepEqual(
        rows.map(({ type }) => type),
        told,
      );
      desk.clock.set(rolled.funding_cutoff_at - 60_000);
      desk.market.book.freeze('EURUSD', decimal('1.08488'), decimal('1.08494'));
      await fundingCutoffSweep(desk).run();
      await closeOutSweep(desk, 0).run();
      assert.equal((await current(desk, row)).status, status);
      await fund(desk, row, BigInt(row.sell_minor) - paid);
      const covered = await current(desk, row);
      assert.deepEqual([covered.status, covered.value_date], ['funded', '2026-03-10']);
    }
  });

  test('of an overdue trade ends in another cut-off', async () => {
    const { desk, row } = await trade(pool);
    desk.clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    // Six weeks late: what is too far counts from today.
    desk.clock.set(Date.UTC(2026, 3, 20, 9));
    const refused = await refusal(rollValueDate(desk, order(row), '2026-05-22', 'late_funding'));
    assert.equal((refused.members.reasons as { reason: string }[])[0]?.reason, 'too_far');
    const rolled = await rollValueDate(desk, order(row), '2026-05-21', 'late_funding');
    desk.clock.set(rolled.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    const late = await current(desk, row);
    assert.deepEqual([late.status, late.status_reason], ['overdue', 'funding_not_received']);
  });

  test('refuses dates that cannot be', async () => {
    const { desk, row } = await trade(pool);
    for (const [date, reason] of [
      ['2026-03-06', 'not_later'],
      ['2026-03-05', 'not_later'],
      ['2026-03-07', 'closed'],
      ['2026-04-30', 'too_far'],
      ['2026-02-30', 'not_a_date'],
    ] as const) {
      const refused = await refusal(rollValueDate(desk, order(row), date, 'holiday'));
      assert.equal(refused.code, 'value_date_invalid', date);
      assert.equal((refused.members.reasons as { reason: string }[])[0]?.reason, reason);
    }
  });
});
