import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { payable } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { lockBalances, topUpBalance } from '../balances/balances.ts';
import { withdraw } from '../balances/withdraw.ts';
import { lockWithdrawals } from '../balances/withdrawal-store.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { createRun } from './settlement-runs.ts';

const BY = '0195f000-0000-7000-8000-00000000000a';
let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 6 }));
});

test('a run whose payouts are late and a command on a withdrawal of the same customer do not lock each other out', async () => {
  const { desk, subjectId } = await payable(pool, 'payout');
  const { customerId, clientId: by, clock } = desk;
  const money = { customerId, currency: 'EUR', amountMinor: 50_000n, bankReference: 'TOP-UP' };
  await inTransaction(pool, (connection) => topUpBalance(connection, money, clock.now()));
  const room = { pool, clock, fourEyesFromUsdMinor: async () => undefined };
  const { id } = await withdraw(room, { customerId, currency: 'EUR', amount: '300.00', by });

  let making: ReturnType<typeof createRun> | undefined;
  await inTransaction(pool, async (connection) => {
    // As whoever cancels a withdrawal, or says that it is paid.
    await lockBalances(connection, [customerId]);
    making = createRun(desk, { currency: 'EUR', valueDate: '2026-03-09' }, BY);
    making.catch(() => undefined);
    await untilLocked(pool);
    assert.equal((await lockWithdrawals(connection, [id])).length, 1);
  });
  const run = await making;
  assert.equal(run?.payment_count, 2);
  const { rows } = await pool.query('select value_date from transactions where id = $1', [subjectId]);
  assert.deepEqual(rows, [{ value_date: '2026-03-09' }]);
});
