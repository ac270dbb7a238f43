import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import type { NewQuoteRequest } from '@firmquote/api/operations/quotes';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, depositFor, eventsOf, tradeOn } from '../../test/support/deposits.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { isoInstant } from '../platform/clock.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import { allocationsOf } from './allocation-store.ts';
import { receiveDeposit } from './receive-deposit.ts';
import type { NewDeposit } from './record.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 24 }));
});
afterEach(() => assertBooksBalance(pool));

const trade = (body: Partial<NewQuoteRequest> = {}) => tradeOn(pool, body);

describe('a deposit with reference, currency and amount', () => {
  test('funds the trade: money, ledger, timeline, deposit list and events in one commit', async () => {
    const { desk, row } = await trade();
    const { deposit, outcome } = await receiveDeposit(desk, depositFor(row, desk));
    assert.equal(outcome, 'received');
    assert.equal(deposit.status, 'matched');
    assert.equal(deposit.exception, null);
    assert.equal(deposit.customerId, desk.customerId);

    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.version, 2);
    assert.equal(funded.received_minor, '10000000');
    assert.equal(funded.value_date, row.value_date);
    assert.deepEqual(
      JSON.parse(funded.deposits).map((each: Record<string, unknown>) => ({ ...each, depositId: '' })),
      [
        {
          depositId: '',
          amount: '100000.00',
          receivedAt: isoInstant(deposit.receivedAt),
          valueDate: '2026-03-04',
          remitterName: 'Test customer',
          matchedBy: 'auto',
          matchRule: 'reference_exact',
          allocatedAmount: '100000.00',
        },
      ],
    );
    const timeline = timelineOf(funded);
    assert.equal(timeline.length, 2);
    assert.deepEqual(
      [timeline[1]?.status, timeline[1]?.actor, timeline[1]?.code],
      ['funded', 'matcher', 'deposit_matched'],
    );
    assert.deepEqual(await eventsOf(desk), [
      'quote.executed',
      'transaction.created',
      'deposit.received',
      'deposit.matched',
      'transaction.funded',
    ]);
    assert.deepEqual(await balancesOf(pool, desk.customerId), {
      'bank USD': 10_000_000n,
      'position USD': -10_000_000n,
      'position EUR': 9_217_100n,
      'customer_payable EUR': -9_198_701n,
      'markup_revenue EUR': -18_399n,
    });
    const [allocation] = await allocationsOf(pool, [deposit.id]);
    assert.equal(allocation?.rule, 'reference_exact');
    assert.equal(JSON.parse(allocation?.evidence ?? '').reference, row.reference);
  });

  test('is found in a garbled text with O for 0', async () => {
    const { desk, row } = await trade();
    const text = row.reference.replaceAll('0', 'O').replace(/(.{4})/g, '$1 ');
    await receiveDeposit(desk, depositFor(row, desk, { remittanceText: `INV 77 / ${text}- thanks` }));
    assert.equal((await current(desk, row)).status, 'funded');
  });
});

describe('amounts that differ', () => {
  test('a shortfall within 30 USD and 0.5 percent is forgiven and booked as a charge', async () => {
    const { desk, row } = await trade();
    const { deposit } = await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 9_997_000n }));
    assert.equal(deposit.status, 'matched');
    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.shortfall_minor, '3000');
    assert.equal((await balancesOf(pool, desk.customerId))['charges USD'], 3_000n);
    assert.equal((await balancesOf(pool, desk.customerId))['customer_receivable USD'], undefined);
  });

  test('a cent more is a part payment, and the rest of it completes the trade', async () => {
    const { desk, row } = await trade();
    const { deposit } = await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 9_996_999n }));
    assert.equal(deposit.status, 'matched');
    const partly = await current(desk, row);
    assert.equal(partly.status, 'partially_funded');
    assert.equal(partly.received_minor, '9996999');
    await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 3_001n }));
    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(JSON.parse(funded.deposits)[1].matchRule, 'reference_exact');
    assert.equal((await balancesOf(pool, desk.customerId))['customer_receivable USD'], undefined);
  });

  test('half a percent of a small trade counts, not thirty dollars', async () => {
    const { desk, row } = await trade({ amount: '100.00' });
    await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 9_949n }));
    assert.equal((await current(desk, row)).status, 'partially_funded');
    // What was short of the whole trade counts, so the next instalment may leave half a percent open.
    await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 1n }));
    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.shortfall_minor, '50');
  });

  test('what is paid too much is kept as excess for somebody to return', async () => {
    const { desk, row } = await trade();
    const { deposit } = await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 10_000_100n }));
    assert.equal(deposit.status, 'matched');
    assert.deepEqual(deposit.exception, { type: 'excess', reason: 'paid_too_much' });
    assert.equal(deposit.excessMinor, 100n);
    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.excess_minor, '100');
    assert.equal((await balancesOf(pool, desk.customerId))['customer_excess USD'], -100n);
    assert.deepEqual(JSON.parse(funded.deposits)[0].allocatedAmount, '100000.00');
  });

  test('yen and dinar are counted in their own units', async () => {
    const yen = await trade({ sellCurrency: 'JPY', buyCurrency: 'USD', amount: '1000000' });
    await receiveDeposit(yen.desk, depositFor(yen.row, yen.desk, { amountMinor: 999_000n }));
    assert.equal((await current(yen.desk, yen.row)).shortfall_minor, '1000');
    const dinar = await trade({ sellCurrency: 'KWD', buyCurrency: 'USD', amount: '1000.000' });
    await receiveDeposit(dinar.desk, depositFor(dinar.row, dinar.desk, { amountMinor: 999_000n }));
    assert.equal((await current(dinar.desk, dinar.row)).shortfall_minor, '1000');
  });
});

describe('a deposit that finds no trade stays in suspense with a reason', () => {
  async function refused(patch: Partial<NewDeposit>, prepared?: { desk: Desk; row: TransactionRow }) {
    const { desk, row } = prepared ?? (await trade());
    const before = await current(desk, row);
    const house = (await balancesOf(pool, HOUSE_ID))[`suspense ${patch.currency ?? row.sell_currency}`] ?? 0n;
    const { deposit } = await receiveDeposit(desk, depositFor(row, desk, patch));
    assert.equal(deposit.status, 'unmatched');
    assert.deepEqual(await current(desk, row), before);
    const after = (await balancesOf(pool, HOUSE_ID))[`suspense ${deposit.currency}`] ?? 0n;
    assert.equal(house - after, deposit.amountMinor);
    return deposit.exception;
  }

  test('no reference, or one that nobody has', async () => {
    assert.deepEqual(await refused({ remittanceText: 'invoice 7' }), {
      type: 'unmatched',
      reason: 'no_reference',
    });
    assert.deepEqual(await refused({ remittanceText: null }), { type: 'unmatched', reason: 'no_reference' });
    assert.deepEqual(await refused({ remittanceText: 'RF44260304001729' }), {
      type: 'unmatched',
      reason: 'unknown_reference',
    });
  });

  test('the wrong currency', async () => {
    assert.deepEqual(await refused({ currency: 'EUR' }), {
      type: 'wrong_currency',
      reason: 'wrong_currency',
    });
  });

  test('a trade that is funded already, or cancelled', async () => {
    const funded = await trade();
    await receiveDeposit(funded.desk, depositFor(funded.row, funded.desk));
    assert.deepEqual(await refused({}, funded), { type: 'duplicate', reason: 'paid_twice' });
    assert.deepEqual(await refused({ amountMinor: 5n }, funded), {
      type: 'excess',
      reason: 'nothing_outstanding',
    });
    const cancelled = await trade();
    await endTransaction(cancelled.desk, { transactionId: cancelled.row.id, ifMatch: undefined });
    assert.deepEqual(await refused({}, cancelled), { type: 'unmatched', reason: 'transaction_cancelled' });
  });

  test('two references, unless the amount tells them apart', async () => {
    const desk = await createDesk(pool);
    const first = await desk.execute(await desk.quote());
    const second = await desk.execute(await desk.quote());
    const third = await desk.execute(await desk.quote({ amount: '70000.00' }));
    const remittanceText = `${first.reference} ${second.reference}`;
    assert.deepEqual(await refused({ remittanceText }, { desk, row: first }), {
      type: 'ambiguous',
      reason: 'several_transactions',
    });
    await receiveDeposit(
      desk,
      depositFor(third, desk, { remittanceText: `${first.reference} ${third.reference}` }),
    );
    assert.equal((await current(desk, third)).status, 'funded');
    assert.equal((await current(desk, first)).status, 'awaiting_funds');
  });
});
