import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { payable } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { lockBalances, topUpBalance } from '../balances/balances.ts';
import { withdraw } from '../balances/withdraw.ts';
import { lockWithdrawals } from '../balances/withdrawal-store.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { cancelRun } from './end-run.ts';
import { createRun } from './settlement-runs.ts';

const BY = '0195f000-0000-7000-8000-00000000000a';
let pool: Pool;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 6 }));
});

test('a run that rolls payouts, or rolls them back, and a command on a withdrawal of the same customer do not lock each other out', async () => {
  const { desk, subjectId } = await payable(pool, 'payout');
  const { customerId, clientId: by, clock } = desk;
  const money = { customerId, currency: 'EUR', amountMinor: 50_000n, bankReference: 'TOP-UP' };
  await inTransaction(pool, (connection) => topUpBalance(connection, money, clock.now()));
  const room = { pool, clock, fourEyesFromUsdMinor: async () => undefined };
  const { id } = await withdraw(room, { customerId, currency: 'EUR', amount: '300.00', by });

  /** While somebody cancels a withdrawal, or says that it is paid. */
  const besides = async <T>(work: () => Promise<T>): Promise<T> => {
    let under: Promise<T> | undefined;
    await inTransaction(pool, async (connection) => {
      await lockBalances(connection, [customerId]);
      under = work();
      under.catch(() => undefined);
      await untilLocked(pool);
      assert.equal((await lockWithdrawals(connection, [id])).length, 1);
    });
    return under ?? work();
  };
  const valueDate = async () => {
    const { rows } = await pool.query('select value_date from transactions where id = $1', [subjectId]);
    return rows[0].value_date;
  };
  const run = await besides(() => createRun(desk, { currency: 'EUR', valueDate: '2026-03-09' }, BY));
  assert.deepEqual([run.payment_count, await valueDate()], [2, '2026-03-09']);
  const command = { runId: run.id, ifMatch: undefined, by: BY, reason: undefined };
  assert.equal((await besides(() => cancelRun(desk, command))).done, true);
  assert.equal(await valueDate(), '2026-03-06');
});
