import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { e2e, euros, reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { current, order, refusal, trade } from '../../test/support/stories.ts';
import { withdraw } from '../balances/withdraw.ts';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { settle } from './operate.ts';
import { previewRun } from './settlement-runs.ts';

/** Money of a balance that a trade has brought, whose own money is gone afterwards. */

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});

const DAY = { currency: 'USD', date: '2026-03-04' } as const;
let trades = 0;

/** A trade whose proceeds are in its customer's balance, and what becomes of withdrawals of them. */
async function credited() {
  const { desk, row } = await trade(pool);
  await pool.query(
    `update customers set settings = (settings::jsonb || '{"proceedsToBalance": true}')::json where id = $1`,
    [desk.customerId],
  );
  const refs = e2e(`PROCEEDS-${++trades}`);
  const credit = { amount: '100000.00', currency: 'USD', details: [txDtls(row.reference, { refs })] };
  const [{ depositId }] = await reported(server, [credit], { ...DAY, message: '054' });
  await settle(desk, order(row));
  const settled = await current(desk, row);
  assert.deepEqual([settled.status, settled.proceeds], ['settled', 'balance']);
  const { customerId, clientId: by, clock } = desk;
  const room = { pool, clock, fourEyesFromUsdMinor: async () => undefined };
  const request = { customerId, currency: 'EUR', by };
  return {
    desk,
    depositId,
    proceedsMinor: BigInt(settled.buy_minor),
    recall: () => {
      const details = [txDtls('FRAUD', { refs, after: '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>' })];
      return reported(server, [{ ...credit, direction: 'DBIT', details }], { ...DAY, message: '054' });
    },
    withdraw: (minor: bigint) => withdraw(room, { ...request, amount: euros(minor) }),
    /** Why the customer's withdrawals are not paid, or that they are due. */
    async withdrawals() {
      const { payments, excluded } = await previewRun(desk, { currency: 'EUR', valueDate: '2026-03-06' });
      const due = payments.filter((each) => each.customerId === customerId).map(() => 'due');
      return [
        ...due,
        ...excluded.flatMap((each) => (each.due.customer_id === customerId ? each.reason : [])),
      ];
    },
  };
}

test('is not paid out while no statement has the money that the trade was paid with', async () => {
  const { proceedsMinor, withdraw: take, withdrawals } = await credited();
  await take(1_000n);
  assert.deepEqual(await withdrawals(), ['due']);
  await reported(server, [], { ...DAY, number: '1', opening: '0.00', closing: '0.00' });
  assert.deepEqual(await withdrawals(), ['not_in_statement']);
  await take(proceedsMinor - 1_000n);
  assert.deepEqual(await withdrawals(), ['not_in_statement', 'not_in_statement']);
});

test('is not paid out once the money that the trade was paid with was taken back, until a person decides', async () => {
  const { depositId, proceedsMinor, recall, withdraw: take, withdrawals } = await credited();
  await take(proceedsMinor - 1_000n);
  assert.deepEqual(await withdrawals(), ['due']);
  await recall();
  assert.deepEqual(await withdrawals(), ['deposit_returned']);
  assert.equal((await refusal(take(1_000n))).code, 'limit_exceeded', 'it is not the customer’s any more');

  const { body } = await server.call('GET', '/v1/operator/exceptions?status=open&type=returned');
  const open = body.items.find((each: { depositId: string }) => each.depositId === depositId);
  const path = `/v1/operator/exceptions/${open.exceptionId}/resolve`;
  const done = await server.call('POST', path, { resolution: 'acknowledged', note: 'paid again' });
  assert.equal(done.status, 200, JSON.stringify(done.body));
  await take(1_000n);
  assert.deepEqual(await withdrawals(), ['due', 'due']);
});

test('pays for no payout of another trade while no statement has it, and the trade says so', async () => {
  const { desk, withdrawals } = await credited();
  const settings = { fundingMode: 'pre_funded' as const, proceedsToBalance: false };
  desk.change({ settings: { ...DEFAULT_SETTINGS, ...settings } });
  await pool.query('update customers set settings = $2 where id = $1', [
    desk.customerId,
    JSON.stringify(settings),
  ]);
  const body = { sellCurrency: 'EUR', buyCurrency: 'GBP', amount: '50000.00' } as const;
  const row = await desk.execute(await desk.quote(body));
  assert.equal(row.status, 'funded');
  await settle(desk, order(row));
  await reported(server, [], { ...DAY, number: '2', opening: '0.00', closing: '0.00' });
  const pounds = await previewRun(desk, { currency: 'GBP', valueDate: '2026-03-06' });
  assert.deepEqual(
    [pounds.payments, pounds.excluded.map(({ reason }) => reason)],
    [[], ['not_in_statement']],
  );
  const { body: shown } = await server.call('GET', `/v1/operator/transactions/${typeId('txn', row.id)}`);
  assert.ok(shown.fundsMissingSince);
  assert.deepEqual(await withdrawals(), []);
});

test('of another customer is paid out', async () => {
  const { proceedsMinor, recall, withdraw: take, withdrawals } = await credited();
  await take(proceedsMinor - 2_000n);
  const other = await credited();
  await other.withdraw(other.proceedsMinor);
  await recall();
  assert.deepEqual(await other.withdrawals(), ['due']);
  assert.deepEqual(await withdrawals(), ['deposit_returned']);
});
