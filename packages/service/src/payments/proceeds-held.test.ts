import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { e2e, reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { order } from '../../test/support/stories.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { lockRows } from '../transactions/change.ts';
import { settle } from './operate.ts';
import { releasePayouts } from './release.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
  await pool.query(
    `update customers set settings = (settings::jsonb || '{"proceedsToBalance": true}')::json where id = $1`,
    [sandbox.desk.customerId],
  );
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});

test('proceeds do not go into a balance while no statement has the money behind them, whoever settles', async () => {
  const row = await sandbox.trade({ amount: '700.00' });
  const details = [txDtls(row.reference, { refs: e2e('H-1') })];
  const credit = { amount: '700.00', currency: 'USD', details };
  const day = { currency: 'USD', date: '2026-03-04' } as const;
  await reported(server, [credit], { ...day, message: '054' });
  await reported(server, [], { ...day, number: '1', opening: '0.00', closing: '0.00' });
  await assert.rejects(settle(sandbox.desk, order(await sandbox.read(row))), {
    code: 'invalid_state_transition',
    message: /not in statement/,
  });
  const key = { customerId: row.customer_id, id: row.id };
  const { clock, dates } = sandbox.desk;
  const system = await inTransaction(pool, (connection) =>
    releasePayouts(connection, [key], clock.now(), dates.current, () => 'system'),
  );
  assert.deepEqual(system, [], 'a statement may come between the look and the release');
  assert.equal((await sandbox.read(row)).status, 'funded');

  const next = { currency: 'USD', date: '2026-03-05' } as const;
  await reported(server, [credit], { ...next, number: '2', opening: '0.00', closing: '700.00' });
  await settle(sandbox.desk, order(await sandbox.read(row)));
  const settled = await sandbox.read(row);
  assert.deepEqual([settled.status, settled.proceeds], ['settled', 'balance']);
});

test('a statement that lacks the money while somebody waits to settle the trade counts', async () => {
  const row = await sandbox.trade({ amount: '800.00' });
  const credit = {
    amount: '800.00',
    currency: 'USD',
    details: [txDtls(row.reference, { refs: e2e('H-2') })],
  };
  const day = { currency: 'USD', date: '2026-03-05' } as const;
  await reported(server, [credit], { ...day, message: '054' });
  const key = { customerId: row.customer_id, id: row.id };
  let settling: Promise<unknown> | undefined;
  await inTransaction(pool, async (holder) => {
    await lockRows(holder, [key]);
    settling = settle(sandbox.desk, order(await sandbox.read(row)));
    settling.catch(() => undefined);
    await untilLocked(pool);
    await reported(server, [], { ...day, number: '3', opening: '700.00', closing: '700.00' });
  });
  await assert.rejects(settling ?? Promise.resolve(), {
    code: 'invalid_state_transition',
    message: /not in statement/,
  });
  assert.equal((await sandbox.read(row)).status, 'funded');
});
