import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createSandbox, type Sandbox, silentLogger, standingTime } from '../../test/support/sandbox.ts';
import { EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { settle } from '../payments/operate.ts';
import { isoInstant } from '../platform/clock.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';
import { simulatedBankSweep } from './simulated-bank.ts';
import { enableSandboxBank } from './store.ts';
import { triggerEvent } from './trigger-event.ts';

let pool: Pool;
let sandbox: Sandbox;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 16 }));
  await enableSandboxBank(pool);
});
beforeEach(async () => {
  await pool.query('delete from sandbox_bank_jobs');
  await pool.query(
    `update sandbox_settings set auto_deposit = true, settlement = 'fast', clock_offset_ms = 0`,
  );
  sandbox = await createSandbox(pool, EXAMPLE_INSTANT, standingTime());
});
afterEach(async () => {
  await assertBooksBalance(pool);
  const house = await balancesOf(pool, HOUSE_ID);
  assert.deepEqual(house, {}, 'every simulated deposit has found its trade');
});

function statuses(row: TransactionRow): string[] {
  return timelineOf(row).map((entry) => entry.status);
}

async function jobs(): Promise<number> {
  const { rowCount } = await pool.query('select 1 from sandbox_bank_jobs');
  return rowCount ?? 0;
}

describe('by itself', () => {
  test('money arrives after five seconds and the trade settles five seconds later', async () => {
    const row = await sandbox.trade();
    await sandbox.advance(4);
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    await sandbox.advance(1);
    assert.equal((await sandbox.read(row)).status, 'funded');
    await sandbox.advance(4);
    assert.equal((await sandbox.read(row)).status, 'funded');
    await sandbox.advance(1.5);
    const settled = await sandbox.read(row);
    assert.equal(settled.status, 'settled');
    assert.deepEqual(statuses(settled), ['awaiting_funds', 'funded', 'settling', 'settled']);
    assert.equal(settled.payout_status, 'paid');
    assert.equal(await jobs(), 0);
  });

  test('a quarter of a minute at once is the same story, told at its own times', async () => {
    const row = await sandbox.trade();
    await sandbox.advance(15);
    const settled = await sandbox.read(row);
    assert.deepEqual(statuses(settled), ['awaiting_funds', 'funded', 'settling', 'settled']);
    const [, funded] = timelineOf(settled);
    const paidAfter = (settled.settled_at ?? 0) - row.created_at;
    assert.ok(paidAfter >= 10_000 && paidAfter < 13_000, `settled after ${paidAfter} ms`);
    assert.ok(Date.parse(funded?.at ?? '') - row.created_at < 6_500);
  });

  test('deposits that fall due one after the other while others are booked do not keep payouts waiting', async () => {
    const { desk, controls, clock } = sandbox;
    const funded = await sandbox.trade();
    await sandbox.advance(5);
    const begin = clock.now() + 5_000;
    for (let second = 0; second < 8; second++) {
      const { customer_id, id } = await sandbox.trade();
      await pool.query(
        'update sandbox_bank_jobs set due_at = $3 where customer_id = $1 and transaction_id = $2',
        [...[customer_id, id, isoInstant(begin + second * 1_000)]],
      );
    }
    let now = begin;
    // Each commit takes a second, and another customer's money arrives every second.
    const busy = { now: () => (now += 1_000) };
    const { settlement } = controls.bank;
    await simulatedBankSweep({
      ...desk,
      clock: busy,
      logger: silentLogger,
      settlement: () => settlement,
    }).run();
    assert.notEqual((await sandbox.read(funded)).status, 'funded');
    const { rowCount } = await pool.query(`select 1 from sandbox_bank_jobs where kind = 'deposit'`);
    assert.ok((rowCount ?? 0) > 0, 'deposits have an end');
    await sandbox.advance(30);
  });

  test('nothing happens when deposits are off, and what the operator releases waits to be confirmed', async () => {
    await sandbox.controls.setBank({ autoDeposit: false });
    const row = await sandbox.trade();
    await sandbox.advance(60);
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    assert.equal(await jobs(), 0);
    await triggerEvent({ ...sandbox.desk, logger: silentLogger }, row.id, 'deposit');
    await settle(sandbox.desk, { transactionId: row.id, ifMatch: undefined });
    await sandbox.advance(4);
    assert.equal((await sandbox.read(row)).status, 'settling');
    await sandbox.advance(2);
    assert.equal((await sandbox.read(row)).status, 'settled');
  });

  test('a hold keeps the payout back until it is released', async () => {
    const row = await sandbox.trade();
    await pool.query(`update transactions set holds = '[{"type":"screening"}]' where id = $1`, [row.id]);
    await sandbox.advance(30);
    assert.equal((await sandbox.read(row)).status, 'funded');
    await assert.rejects(triggerEvent({ ...sandbox.desk, logger: silentLogger }, row.id, 'settle'), /hold/);
    await pool.query(`update transactions set holds = '[]', updated_at = $2 where id = $1`, [
      row.id,
      isoInstant(sandbox.clock.now()),
    ]);
    await sandbox.advance(6);
    assert.equal((await sandbox.read(row)).status, 'settled');
  });
});

describe('magic amounts', () => {
  const amount = (scenario: number) => ({ amount: `100${scenario}.00` });

  test('903: the quote is withdrawn after a second', async () => {
    const { customerId, id } = await sandbox.quote(amount(903));
    const quotes = sandbox.desk.services.store;
    await sandbox.advance(0.5);
    assert.equal((await quotes.find(customerId, id))?.status, 'open');
    await sandbox.advance(0.5);
    const withdrawn = await quotes.find(customerId, id);
    assert.equal(withdrawn?.status, 'withdrawn');
    assert.equal(withdrawn?.statusReason, 'sandbox_scenario');
  });

  test('905: one unit short, which is forgiven', async () => {
    const row = await sandbox.trade(amount(905));
    await sandbox.advance(5);
    const funded = await sandbox.read(row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.shortfall_minor, '100');
    assert.equal(JSON.parse(funded.deposits)[0].amount, '100904.00');
  });

  test('905 on a small trade in a large currency stays part paid', async () => {
    const row = await sandbox.trade({
      sellCurrency: 'KWD',
      buyCurrency: 'JPY',
      fixedSide: 'buy',
      amount: '1905',
    });
    await sandbox.advance(15);
    assert.equal((await sandbox.read(row)).status, 'partially_funded');
  });

  test('906: one unit too much, kept as excess', async () => {
    const row = await sandbox.trade(amount(906));
    await sandbox.advance(5);
    const funded = await sandbox.read(row);
    assert.equal(funded.status, 'funded');
    assert.equal(funded.excess_minor, '100');
  });

  test('907: no money, overdue at the cut-off', async () => {
    const row = await sandbox.trade(amount(907));
    await sandbox.advance(60);
    assert.equal((await sandbox.read(row)).status, 'awaiting_funds');
    await sandbox.to(row.funding_cutoff_at + 1);
    const overdue = await sandbox.read(row);
    assert.equal(overdue.status, 'overdue');
    assert.ok(overdue.updated_at - row.funding_cutoff_at < 1_000);
  });

  test('908: the payout fails, and works five seconds later', async () => {
    const row = await sandbox.trade(amount(908));
    await sandbox.advance(11.5);
    const failed = await sandbox.read(row);
    assert.equal(failed.status, 'settlement_failed');
    assert.equal(failed.payout_status, 'rejected');
    await sandbox.advance(6);
    const settled = await sandbox.read(row);
    assert.equal(settled.status, 'settled');
    assert.deepEqual(statuses(settled).slice(2), ['settling', 'settlement_failed', 'settling', 'settled']);
    assert.equal(settled.payout_attempts, 2);
    await sandbox.advance(60);
    assert.equal((await sandbox.read(row)).version, settled.version);
    assert.equal(await jobs(), 0);
  });

  test('909: settled, then returned', async () => {
    const row = await sandbox.trade(amount(909));
    await sandbox.advance(11.5);
    assert.equal((await sandbox.read(row)).status, 'settled');
    await sandbox.advance(6);
    const returned = await sandbox.read(row);
    assert.equal(returned.status, 'settlement_failed');
    assert.equal(returned.status_reason, 'payout_returned');
    assert.equal(await jobs(), 0);
  });

  test('910: two deposits of half each, a second apart', async () => {
    const row = await sandbox.trade({ amount: '910.01' });
    await sandbox.advance(5.5);
    const half = await sandbox.read(row);
    assert.equal(half.status, 'partially_funded');
    assert.equal(half.received_minor, '45500');
    await sandbox.advance(1);
    const funded = await sandbox.read(row);
    assert.equal(funded.status, 'funded');
    assert.equal(JSON.parse(funded.deposits).length, 2);
  });
});

test('instances that sweep the same jobs do each of them once', async () => {
  const rows = await Promise.all(Array.from({ length: 60 }, () => sandbox.trade({ amount: '910.00' })));
  const others = await Promise.all([createSandbox(pool), createSandbox(pool)]);
  const instances = [sandbox, ...others];
  const sweepTogether = async (aheadMs: number) => {
    await pool.query('update sandbox_settings set clock_offset_ms = clock_offset_ms + $1', [aheadMs]);
    await Promise.all(instances.map((instance) => instance.controls.load()));
    await Promise.all(instances.map((instance) => instance.runner.runDueNow()));
  };
  await sweepTogether(20_000);
  await sweepTogether(20_000);
  for (const row of rows) {
    const settled = await sandbox.read(row);
    assert.deepEqual(statuses(settled), [
      'awaiting_funds',
      'partially_funded',
      'funded',
      'settling',
      'settled',
    ]);
  }
  const { rows: deposits } = await pool.query('select 1 from deposits where customer_id = $1', [
    sandbox.desk.customerId,
  ]);
  assert.equal(deposits.length, 120);
});

test('where no sandbox has enabled it the bank sees nothing', async () => {
  await pool.query('select disable_sandbox_bank()');
  await sandbox.trade();
  assert.equal(await jobs(), 0);
  await Promise.all([enableSandboxBank(pool), enableSandboxBank(pool)]);
  await sandbox.trade();
  assert.equal(await jobs(), 1);
});
