import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, depositFor, eventsOf, tradeOn } from '../../test/support/deposits.ts';
import type { Pool } from '../database/pool.ts';
import { fundingCutoffSweep } from '../payments/sweeps.ts';
import { timelineOf } from '../transactions/record.ts';
import { allocationsOf } from './allocation-store.ts';
import { receiveDeposit } from './receive-deposit.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
});
afterEach(() => assertBooksBalance(pool));

const trade = () => tradeOn(pool);

describe('money after the cut-off', () => {
  test('funds an overdue trade and rolls its value date to the next good day', async () => {
    const { desk, row } = await trade();
    // Friday 6 March, a minute after the euro's cut-off in London.
    desk.clock.set(row.funding_cutoff_at + 60_000);
    await fundingCutoffSweep(desk).run();
    const overdue = await current(desk, row);
    assert.equal(overdue.status, 'overdue');
    assert.equal(overdue.status_reason, 'funding_not_received');
    const { deposit } = await receiveDeposit(desk, depositFor(row, desk));
    assert.deepEqual(deposit.exception, { type: 'late', reason: 'after_funding_cutoff' });
    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.status_reason, null);
    assert.equal(funded.value_date, '2026-03-09');
    assert.equal(funded.original_value_date, '2026-03-06');
    assert.equal(timelineOf(funded).at(-1)?.code, 'late_deposit_matched');
    assert.deepEqual((await eventsOf(desk)).slice(-3), [
      'deposit.matched',
      'transaction.value_date_changed',
      'transaction.funded',
    ]);
  });

  test('is late also when no sweep has come by, and when the money itself has a later value', async () => {
    const late = await trade();
    late.desk.clock.set(late.row.funding_cutoff_at);
    await receiveDeposit(late.desk, depositFor(late.row, late.desk));
    assert.equal((await current(late.desk, late.row)).value_date, '2026-03-09');
    const forward = await trade();
    await receiveDeposit(forward.desk, depositFor(forward.row, forward.desk, { valueDate: '2026-03-07' }));
    assert.equal((await current(forward.desk, forward.row)).value_date, '2026-03-09');
  });

  test('is what the bank booked after it, and not what was told after it', async () => {
    const { desk, row } = await trade();
    desk.clock.set(row.funding_cutoff_at + 60_000);
    await fundingCutoffSweep(desk).run();
    const { deposit } = await receiveDeposit(
      desk,
      depositFor(row, desk, { source: 'statement', bookedOn: '2026-03-06', valueDate: '2026-03-06' }),
    );
    assert.deepEqual([deposit.status, deposit.exception], ['matched', null]);
    const funded = await current(desk, row);
    assert.deepEqual(
      [funded.status, funded.status_reason, funded.value_date],
      ['funded', null, '2026-03-09'],
      'the overdue trade returns, and its value date is the next one on which euros can be paid',
    );
    assert.equal(timelineOf(funded).at(-1)?.code, 'deposit_matched');
    const [part] = await allocationsOf(pool, [deposit.id]);
    const { timeliness } = JSON.parse(part?.evidence ?? '{}');
    assert.deepEqual(
      [timeliness.isLate, timeliness.judgedBy, timeliness.moneyOf],
      [false, 'booking_date', '2026-03-06'],
    );
  });

  test('is what London books on the day whose morning was too late for Tokyo', async () => {
    for (const [bookedOn, isLate, valueDate] of [
      ['2026-03-06', true, '2026-03-09'],
      ['2026-03-05', false, '2026-03-06'],
    ] as const) {
      const { desk, row } = await tradeOn(pool, { buyCurrency: 'JPY' });
      desk.clock.set(row.funding_cutoff_at + (isLate ? 9 * 3_600_000 : -60_000));
      const { deposit } = await receiveDeposit(
        desk,
        depositFor(row, desk, { source: 'statement', bookedOn, valueDate: bookedOn }),
      );
      assert.equal(deposit.exception?.type === 'late', isLate, bookedOn);
      assert.equal((await current(desk, row)).value_date, valueDate);
    }
  });

  test('leaves the value date behind when that is over, though the money was there in time', async () => {
    const { desk, row } = await trade();
    // Monday 9 March, ten in the morning.
    desk.clock.set(Date.UTC(2026, 2, 9, 10));
    await fundingCutoffSweep(desk).run();
    const { deposit } = await receiveDeposit(
      desk,
      depositFor(row, desk, { source: 'statement', bookedOn: '2026-03-05', valueDate: '2026-03-05' }),
    );
    assert.equal(deposit.exception, null);
    const funded = await current(desk, row);
    assert.deepEqual([funded.status, funded.value_date], ['funded', '2026-03-09']);
  });

  test('is late when the bank booked it on the next day', async () => {
    const { desk, row } = await trade();
    desk.clock.set(Date.UTC(2026, 2, 9, 10));
    await fundingCutoffSweep(desk).run();
    const { deposit } = await receiveDeposit(
      desk,
      depositFor(row, desk, { source: 'statement', bookedOn: '2026-03-07', valueDate: '2026-03-06' }),
    );
    assert.deepEqual(deposit.exception, { type: 'late', reason: 'after_funding_cutoff' });
    const [part] = await allocationsOf(pool, [deposit.id]);
    assert.equal(JSON.parse(part?.evidence ?? '{}').timeliness.judgedBy, 'booking_date');
    assert.equal((await current(desk, row)).value_date, '2026-03-09');
  });

  test('is judged by its own instant where somebody records it afterwards', async () => {
    const { desk, row } = await trade();
    const receivedAt = row.funding_cutoff_at - 60_000;
    desk.clock.set(row.funding_cutoff_at + 60_000);
    await fundingCutoffSweep(desk).run();
    const { deposit } = await receiveDeposit(desk, depositFor(row, desk, { receivedAt }));
    assert.equal(deposit.exception, null);
    assert.deepEqual(
      [(await current(desk, row)).status, (await current(desk, row)).value_date],
      ['funded', '2026-03-09'],
    );
  });

  test('that completes what late money began is as late as that', async () => {
    const { desk, row } = await trade();
    desk.clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 4_000_000n }));
    await receiveDeposit(
      desk,
      depositFor(row, desk, { amountMinor: 6_000_000n, bookedOn: '2026-03-05', valueDate: '2026-03-05' }),
    );
    const funded = await current(desk, row);
    assert.deepEqual([funded.status, funded.value_date], ['funded', '2026-03-09']);
    assert.equal(timelineOf(funded).at(-1)?.code, 'late_deposit_matched');
  });

  test('a part payment leaves the trade overdue until the rest is there', async () => {
    const { desk, row } = await trade();
    desk.clock.set(row.funding_cutoff_at);
    await fundingCutoffSweep(desk).run();
    await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 4_000_000n }));
    const partly = await current(desk, row);
    assert.equal(partly.status, 'overdue');
    assert.equal(partly.status_reason, 'funding_short');
    assert.equal(partly.received_minor, '4000000');
    assert.equal(partly.value_date, '2026-03-06');
    await receiveDeposit(desk, depositFor(row, desk, { amountMinor: 6_000_000n }));
    assert.equal((await current(desk, row)).status, 'funded');
    assert.equal((await current(desk, row)).value_date, '2026-03-09');
  });
});
