import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { current, depositFor, tradeOn } from '../../test/support/deposits.ts';
import { createDesk } from '../../test/support/trading.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { timelineOf } from '../transactions/record.ts';
import { receiveDeposit, receiveDeposits } from './receive-deposit.ts';

let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 24 }));
});
afterEach(() => assertBooksBalance(pool));

const trade = () => tradeOn(pool);

describe('the same entry again', () => {
  test('answers the first deposit; other content under its reference is refused', async () => {
    const { desk, row } = await trade();
    const deposit = depositFor(row, desk);
    const first = await receiveDeposit(desk, deposit);
    desk.clock.advance(3_600_000);
    const again = await receiveDeposit(desk, deposit);
    assert.equal(again.outcome, 'known');
    assert.deepEqual(again.deposit, first.deposit);
    await assert.rejects(
      receiveDeposit(desk, { ...deposit, amountMinor: 1n, fingerprint: 'other' }),
      (error: unknown) => error instanceof Problem && error.code === 'already_exists',
    );
    // The same reference on another account is another entry.
    const elsewhere = await receiveDeposit(desk, { ...deposit, account: 'another' });
    assert.equal(elsewhere.deposit.exception?.reason, 'paid_twice');
  });

  test('twenty at once make one deposit', async () => {
    const { desk, row } = await trade();
    const deposit = depositFor(row, desk, { amountMinor: 6_000_000n });
    const results = await Promise.all(Array.from({ length: 20 }, () => receiveDeposit(desk, deposit)));
    assert.equal(results.filter((result) => result.outcome === 'received').length, 1);
    assert.equal(new Set(results.map((result) => result.deposit.id)).size, 1);
    assert.equal((await current(desk, row)).received_minor, '6000000');
    assert.equal((await balancesOf(pool, desk.customerId))['bank USD'], 6_000_000n);
  });
});

describe('many deposits', () => {
  test('for one trade at once are all taken, one after the other', async () => {
    const { desk, row } = await trade();
    await Promise.all(
      Array.from({ length: 10 }, () =>
        receiveDeposit(desk, depositFor(row, desk, { amountMinor: 1_000_000n })),
      ),
    );
    const funded = await current(desk, row);
    assert.equal(funded.status, 'funded');
    assert.equal(JSON.parse(funded.deposits).length, 10);
    assert.equal(funded.version, 11);
  });

  test('in one batch: each its own outcome, several for one trade in their order', async () => {
    const desk = await createDesk(pool);
    const first = await desk.execute(await desk.quote());
    const second = await desk.execute(await desk.quote());
    const known = depositFor(second, desk);
    await receiveDeposit(desk, known);
    const batch = [
      depositFor(first, desk, { amountMinor: 4_000_000n }),
      known,
      depositFor(first, desk, { amountMinor: 6_000_000n }),
      depositFor(first, desk, { remittanceText: 'nothing' }),
      { ...known, fingerprint: 'other' },
      depositFor(first, desk, { amountMinor: 5n }),
    ];
    const results = await inTransaction(pool, (connection) =>
      receiveDeposits(connection, batch, desk.clock.now(), desk.dates.current),
    );
    assert.deepEqual(
      results.map((result) => [result.outcome, result.deposit.exception?.reason ?? null]),
      [
        ['received', null],
        ['known', null],
        ['received', null],
        ['received', 'no_reference'],
        ['conflict', null],
        ['received', 'nothing_outstanding'],
      ],
    );
    const funded = await current(desk, first);
    assert.equal(funded.status, 'funded');
    assert.deepEqual(
      timelineOf(funded).map((each: { status: string }) => each.status),
      ['awaiting_funds', 'partially_funded', 'funded'],
    );
  });
});
