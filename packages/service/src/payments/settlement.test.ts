import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, fund, funded, openUsd, order, refusal, trade } from '../../test/support/stories.ts';
import { createDesk } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { uuidOf } from '../platform/ids.ts';
import { timelineOf } from '../transactions/record.ts';
import { confirm, fail, retry, settle } from './operate.ts';
import { missedValueDateSweep } from './roll-missed.ts';
import { listForOperator } from './search-store.ts';
import { fundingCutoffSweep, settlementSweep } from './sweeps.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 16 }));
});
afterEach(() => assertBooksBalance(pool));

describe('the funding cut-off', () => {
  test('makes a trade overdue at the very instant, and not before', async () => {
    const { desk, row } = await trade(pool);
    const sweep = fundingCutoffSweep(desk);
    assert.equal(await sweep.nextDueAt?.(), row.funding_cutoff_at);
    desk.clock.set(row.funding_cutoff_at - 60_000);
    assert.equal(await sweep.run(), 0);
    desk.clock.set(row.funding_cutoff_at);
    assert.equal(await sweep.run(), 1);
    assert.equal(await sweep.run(), 0);
    const overdue = await current(desk, row);
    assert.equal(overdue.status, 'overdue');
    assert.equal(overdue.status_reason, 'funding_not_received');
    assert.equal(timelineOf(overdue).at(-1)?.actor, 'system');
  });

  test('tells a trade that is short from one without money', async () => {
    const { desk, row } = await trade(pool);
    await fund(desk, row, 100n);
    desk.clock.set(row.funding_cutoff_at);
    assert.equal(await fundingCutoffSweep(desk).run(), 1);
    assert.equal((await current(desk, row)).status_reason, 'funding_short');
  });

  test('waits for no trade that somebody holds, and comes back to it', async () => {
    const [held, free] = [await trade(pool), await trade(pool)];
    free.desk.clock.set(held.row.funding_cutoff_at);
    await inTransaction(pool, async (holder) => {
      await holder.query('select from transactions where id = $1 for update', [held.row.id]);
      // One that waited would wait for this one, which ends after it.
      assert.equal(await fundingCutoffSweep(free.desk).run(), 1);
    });
    assert.equal((await current(free.desk, free.row)).status, 'overdue');
    assert.equal(await fundingCutoffSweep(free.desk).run(), 1);
    assert.equal((await current(held.desk, held.row)).status, 'overdue');
  });

  test('is swept by several instances at once without anything being done twice', async () => {
    const desk = await createDesk(pool);
    const rows = await Promise.all(
      Array.from({ length: 40 }, async () => desk.execute(await desk.quote({ amount: '10.00' }))),
    );
    const [first] = rows;
    assert.ok(first);
    desk.clock.set(first.funding_cutoff_at);
    const moved = await Promise.all(Array.from({ length: 6 }, () => fundingCutoffSweep(desk).run()));
    assert.equal(
      moved.reduce((sum, each) => sum + each, 0),
      40,
    );
    for (const row of rows) assert.equal((await current(desk, row)).version, 2);
  });
});

describe('the value date', () => {
  test('releases the payout when it begins where the bought currency is paid', async () => {
    const { desk, row } = await funded(pool);
    const sweep = settlementSweep(desk);
    desk.clock.set(Date.UTC(2026, 2, 5, 23, 59));
    assert.equal(await sweep.run(), 0);
    assert.equal(await sweep.nextDueAt?.(), Date.UTC(2026, 2, 6));
    desk.clock.set(Date.UTC(2026, 2, 6));
    assert.equal(await sweep.run(), 1);
    const settling = await current(desk, row);
    assert.equal(settling.status, 'settling');
    assert.equal(settling.payout_status, 'sent');
    assert.equal(settling.payout_attempts, 1);
    // Nothing has left the house before the bank says so.
    assert.equal((await balancesOf(pool, desk.customerId))['customer_payable EUR'], -9_198_701n);
    await confirm(desk, order(row), 'BANK-1');
  });

  test('missed, the payout goes on the next good day of the bought currency', async () => {
    const { desk, row } = await funded(pool);
    const sweep = settlementSweep(desk);
    // Friday, at the euro's cut-off in London.
    desk.clock.set(Date.UTC(2026, 2, 6, 13, 30));
    assert.equal(await sweep.run(), 0);
    assert.equal(await sweep.nextDueAt?.(), Date.UTC(2026, 2, 9));
    const roll = missedValueDateSweep(desk);
    assert.equal(await roll.nextDueAt?.(), Date.UTC(2026, 2, 6, 13, 30));
    assert.deepEqual([await roll.run(), await roll.run()], [1, 0]);
    const late = await current(desk, row);
    assert.deepEqual(
      [late.status, late.value_date, late.original_value_date],
      ['funded', '2026-03-09', '2026-03-06'],
    );
    const { code, actor, reason, previousValueDate } = timelineOf(late).at(-1) ?? assert.fail();
    assert.deepEqual(
      [code, actor, reason, previousValueDate],
      ['value_date_rolled', 'system', 'payment_cutoff_passed', '2026-03-06'],
    );
    const { rows } = await pool.query(
      `select detail from feed_events where transaction_id = $1 and type = 'transaction.value_date_changed'`,
      [row.id],
    );
    assert.equal(rows.length, 1, 'and the customer is told');
    desk.clock.set(Date.UTC(2026, 2, 7, 12));
    assert.equal(await sweep.run(), 0);
    desk.clock.set(Date.UTC(2026, 2, 9, 9));
    assert.equal(await sweep.run(), 1);
    assert.equal((await current(desk, row)).value_date, '2026-03-09');
  });

  test('is rolled under a hold as well, and by whoever releases what was not rolled yet', async () => {
    const held = await funded(pool);
    await pool.query(`update transactions set holds = '[{"type":"screening"}]' where id = $1`, [held.row.id]);
    const { desk, row } = await funded(pool);
    desk.clock.set(Date.UTC(2026, 2, 6, 13, 30));
    held.desk.clock.set(Date.UTC(2026, 2, 6, 13, 30));
    const settling = await settle(desk, order(row));
    assert.deepEqual([settling.status, settling.value_date], ['settling', '2026-03-09']);
    assert.equal(await missedValueDateSweep(held.desk).run(), 1);
    assert.equal((await current(held.desk, held.row)).value_date, '2026-03-09');
    // The money is there: only the bought currency's days count, and a day later it is rolled again.
    held.desk.clock.set(Date.UTC(2026, 2, 9, 13, 30));
    assert.equal(await missedValueDateSweep(held.desk).run(), 1);
    assert.equal((await current(held.desk, held.row)).value_date, '2026-03-10');
  });

  test('begins in Tokyo for yen', async () => {
    const { desk, row } = await funded(pool, { buyCurrency: 'JPY' });
    assert.equal(row.value_date, '2026-03-06');
    desk.clock.set(Date.UTC(2026, 2, 5, 14, 59));
    assert.equal(await settlementSweep(desk).run(), 0);
    desk.clock.set(Date.UTC(2026, 2, 5, 15));
    assert.equal(await settlementSweep(desk).run(), 1);
    assert.equal((await current(desk, row)).status, 'settling');
  });

  test('waits for a hold, and for the sweep to be the one that releases', async () => {
    const { desk, row } = await funded(pool);
    await pool.query(`update transactions set holds = '[{"type":"screening"}]' where id = $1`, [row.id]);
    desk.clock.set(Date.UTC(2026, 2, 6, 9));
    assert.equal(await settlementSweep(desk).run(), 0);
    assert.equal((await refusal(settle(desk, order(row)))).code, 'invalid_state_transition');
    await pool.query(`update transactions set holds = '[]' where id = $1`, [row.id]);
    assert.equal(await settlementSweep(desk, { isActive: () => false }).run(), 0);
    assert.equal(await settlementSweep(desk, { isActive: () => false }).nextDueAt?.(), undefined);
    assert.equal(await settlementSweep(desk).run(), 1);
  });
});

describe('a payout', () => {
  test('confirmed settles the trade, books it and frees the limit', async () => {
    const { desk, row } = await funded(pool);
    assert.equal(await openUsd(desk), '10000000');
    await settle(desk, order(row));
    const settled = await confirm(desk, order(row), 'BANK-7');
    assert.equal(settled.status, 'settled');
    assert.equal(settled.payout_status, 'paid');
    assert.equal(settled.payout_reference, 'BANK-7');
    assert.equal(settled.settled_at, settled.paid_at);
    assert.equal(await openUsd(desk), '0');
    assert.deepEqual(await balancesOf(pool, desk.customerId), {
      'bank USD': 10_000_000n,
      'bank EUR': -9_198_701n,
      'position USD': -10_000_000n,
      'position EUR': 9_217_100n,
      'markup_revenue EUR': -18_399n,
    });
    const again = await refusal(confirm(desk, order(row), 'BANK-7'));
    assert.equal(again.code, 'invalid_state_transition');
    assert.deepEqual([again.members.from, again.members.to], ['settled', 'settled']);
  });

  test('rejected is retried to the account that the customer has then', async () => {
    const { desk, row } = await funded(pool);
    await settle(desk, order(row));
    const failed = await fail(desk, order(row), 'beneficiary_invalid', 'unknown account');
    assert.equal(failed.status, 'settlement_failed');
    assert.equal(failed.status_reason, 'beneficiary_invalid');
    assert.equal(JSON.parse(failed.failure ?? '').detail, 'unknown account');
    assert.equal((await balancesOf(pool, desk.customerId))['bank EUR'], undefined);
    await pool.query(
      `update settlement_instructions set iban = 'FR1420041010050500013M02606'
       where customer_id = $1 and currency = 'EUR'`,
      [desk.customerId],
    );
    const retried = await retry(desk, order(row));
    assert.equal(retried.status, 'settling');
    assert.equal(retried.payout_attempts, 2);
    assert.equal(retried.failure, null);
    assert.equal(retried.destination_masked, 'FR** **** 2606');
    assert.equal((await current(desk, row)).destination_masked, 'FR** **** 2606');
    assert.equal((await confirm(desk, order(row), undefined)).status, 'settled');
  });

  test('returned is owed again, counts as open again, and can be paid once more', async () => {
    const { desk, row } = await funded(pool);
    await settle(desk, order(row));
    assert.equal((await refusal(fail(desk, order(row), 'payout_returned', undefined))).status, 409);
    await confirm(desk, order(row), undefined);
    assert.equal((await refusal(fail(desk, order(row), 'payout_rejected', undefined))).status, 409);
    const returned = await fail(desk, order(row), undefined, undefined);
    assert.equal(returned.status, 'settlement_failed');
    assert.equal(returned.payout_status, 'returned');
    assert.equal(returned.settled_at, null);
    assert.equal(await openUsd(desk), '10000000');
    const balances = await balancesOf(pool, desk.customerId);
    assert.equal(balances['customer_payable EUR'], -9_198_701n);
    assert.equal(balances['bank EUR'], undefined);
    await retry(desk, order(row));
    await confirm(desk, order(row), undefined);
    assert.equal((await balancesOf(pool, desk.customerId))['bank EUR'], -9_198_701n);
  });

  test('confirmed by twenty at once is confirmed once', async () => {
    const { desk, row } = await funded(pool);
    await settle(desk, order(row));
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => confirm(desk, order(row), undefined)),
    );
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
    assert.equal((await balancesOf(pool, desk.customerId))['bank EUR'], -9_198_701n);
  });

  test('moves only from the version that the operator has seen', async () => {
    const { desk, row } = await funded(pool);
    const stale = await refusal(settle(desk, { transactionId: row.id, ifMatch: 1 }));
    assert.equal(stale.code, 'version_mismatch');
    assert.equal(stale.members.currentVersion, 2);
    await settle(desk, { transactionId: row.id, ifMatch: 2 });
    assert.equal((await refusal(settle(desk, order(row)))).code, 'invalid_state_transition');
    // An answer that was lost: that it is done already is reported, and not that the version is another one.
    const again = await refusal(settle(desk, { transactionId: row.id, ifMatch: 2 }));
    assert.deepEqual(
      [again.code, again.members],
      ['invalid_state_transition', { from: 'settling', to: 'settling' }],
    );
    const unknown = { transactionId: uuidOf('txn', 'txn_none'), ifMatch: undefined };
    assert.equal((await refusal(settle(desk, unknown))).code, 'transaction_not_found');
  });
});

test("the operator's list goes across customers, newest first, by status and customer", async () => {
  const mine = await funded(pool);
  const yours = await trade(pool);
  const all = await listForOperator(pool, { status: undefined, customerId: undefined }, undefined, 500);
  const ids = all.map((row) => row.id);
  assert.deepEqual(ids, [...ids].sort().reverse());
  assert.ok(ids.includes(mine.row.id) && ids.includes(yours.row.id));
  const page = await listForOperator(pool, { status: undefined, customerId: undefined }, ids[2], 2);
  assert.deepEqual(
    page.map((row) => row.id),
    ids.slice(3, 5),
  );
  const one = await listForOperator(
    pool,
    { status: ['funded', 'settled'], customerId: mine.desk.customerId },
    undefined,
    10,
  );
  assert.deepEqual(
    one.map((row) => row.id),
    [mine.row.id],
  );
  const nobody = { status: undefined, customerId: uuidOf('cus', 'none') };
  assert.deepEqual(await listForOperator(pool, nobody, undefined, 10), []);
});
