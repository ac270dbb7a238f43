import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { untilLocked } from '../../test/support/waiting-for-locks.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

const ACCOUNTS_MAX = 100;
let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let path: string;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
  path = `/v1/operator/customers/${typeId('cus', sandbox.desk.customerId)}/virtual-accounts`;
  await pool.query(
    `insert into virtual_accounts (id, customer_id, currency, number, status, created_at, created_by)
     select gen_random_uuid(), $1, 'USD', 'FULL' || n, 'active', now(), $1 from generate_series(2, $2) n`,
    [sandbox.desk.customerId, ACCOUNTS_MAX],
  );
});
after(() => server.close());

const add = (number: string) => server.call('POST', path, { currency: 'USD', number });

test('a customer has so many virtual accounts and no more, also when two are added at once', async () => {
  const blocker = await pool.connect();
  const both = [];
  try {
    await blocker.query('begin');
    // What adds one of these numbers has counted already when it waits for what becomes of this transaction.
    await blocker.query(
      `insert into virtual_accounts (id, customer_id, currency, number, status, created_at, created_by)
       select gen_random_uuid(), $1, 'USD', n, 'active', now(), $1 from unnest('{BOTH1,BOTH2}'::text[]) n`,
      [sandbox.desk.customerId],
    );
    for (const number of ['BOTH1', 'BOTH2']) {
      both.push(add(number));
      await untilLocked(pool, both.length);
    }
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  const [added, refused] = (await Promise.all(both)).sort((a, b) => a.status - b.status);
  assert.deepEqual([added?.status, refused?.status], [201, 422]);
  const { code, limitType, limit, used } = refused?.body ?? {};
  assert.deepEqual(
    [code, limitType, limit, used],
    ['limit_exceeded', 'virtual_accounts', ACCOUNTS_MAX, ACCOUNTS_MAX],
  );
  const closed = await server.call('DELETE', `${path}/${added?.body.virtualAccountId}`);
  assert.equal(closed.status, 204);
  assert.equal((await add('AFTER')).status, 201);
});
