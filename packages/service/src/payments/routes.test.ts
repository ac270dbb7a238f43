import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ordered } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer, depositOf, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { enableSandboxBank } from '../sandbox/store.ts';

let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];

before(async () => {
  const { pool } = await createTestDatabase({ connections: 8 });
  await enableSandboxBank(pool);
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
  call = server.call;
});
after(() => server.close());

describe("an operator's orders", () => {
  test('take a trade from funded to settled, back, and once more', async () => {
    const row = await sandbox.trade({ amount: '100907.00' });
    const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
    const early = await call('POST', `${path}/settle`);
    assert.equal(early.status, 409);
    assert.deepEqual([early.body.from, early.body.to], ['awaiting_funds', 'settling']);
    await call('POST', '/v1/operator/deposits', { ...depositOf(row, 'ORD-1'), amount: '100907.00' });
    const settling = await call('POST', `${path}/settle`, {});
    assert.equal(settling.status, 200);
    assert.equal(settling.headers.etag, '"v3"');
    const headers = { 'if-match': '"v3"', 'idempotency-key': 'confirm-1' };
    const settled = await call('POST', `${path}/payout-confirmed`, { bankReference: 'OUT-1' }, headers);
    assert.equal(settled.body.status, 'settled');
    assert.equal(settled.body.payout.bankReference, 'OUT-1');
    assert.equal(settled.body.nextPollAfterSeconds, null);
    const replayed = await call('POST', `${path}/payout-confirmed`, { bankReference: 'OUT-1' }, headers);
    assert.deepEqual(replayed.body, settled.body);
    const returned = await call('POST', `${path}/payout-failed`, { detail: 'account closed' });
    assert.equal(returned.body.status, 'settlement_failed');
    assert.equal(returned.body.failure.detail, 'account closed');
    assert.equal((await call('POST', `${path}/retry-payout`)).body.status, 'settling');
    assert.equal((await call('POST', `${path}/payout-confirmed`)).body.status, 'settled');
    assert.equal((await call('POST', `${path}/unwind`)).status, 409);
    assert.equal((await call('POST', `${path}/settle`, { force: true })).body.code, 'validation_failed');
    assert.equal((await call('GET', '/v1/operator/transactions/txn_x')).body.code, 'transaction_not_found');
  });

  test('are for those who have the scope', async () => {
    for (const [method, path, scope] of [
      ['GET', '/v1/operator/deposits', 'operator:deposits'],
      ['GET', '/v1/operator/transactions', 'operator:transactions'],
      ['POST', '/v1/sandbox/clock', 'operator:sandbox'],
    ] as const) {
      const refused = await call(method, path, undefined, { authorization: 'Bearer operator:market' });
      assert.equal(refused.status, 403);
      assert.equal(refused.body.requiredScope, scope);
      assert.equal((await call(method, path, undefined, { authorization: '' })).status, 401);
    }
  });

  test('find trades by customer and status', async () => {
    const customerId = typeId('cus', sandbox.desk.customerId);
    const page = await call(
      'GET',
      `/v1/operator/transactions?customerId=${customerId}&status=settled&limit=1`,
    );
    assert.equal(page.status, 200);
    assert.equal(page.body.items.length, 1);
    assert.equal(page.body.items[0].customerId, customerId);
    assert.equal(page.body.items[0].executedBy, typeId('cli', sandbox.desk.clientId));
    assert.equal(page.body.items[0].status, 'settled');
    assert.equal(page.body.items[0].timeline, undefined);
    const none = await call('GET', `/v1/operator/transactions?customerId=${typeId('cus', newUuid(0))}`);
    assert.deepEqual(none.body, { items: [], nextCursor: null, hasMore: false });
    const wrong = await call('GET', `/v1/operator/transactions?customerId=${customerId.slice(1)}`);
    assert.deepEqual([wrong.status, wrong.body.errors?.[0].pointer], [400, '/query/customerId']);
  });
});

test('a payment file names the house by its legal entity identifier, where it is known', async () => {
  const { pool } = sandbox.desk;
  const debtorOf = async () => {
    const [made] = await ordered(pool, ['payout']);
    const path = `/v1/operator/settlement-runs/${typeId('run', made?.runId ?? '')}/files/pain.001`;
    return /<Dbtr>.*?<\/Dbtr>/.exec((await server.raw('GET', path)).body)?.[0];
  };
  assert.equal(await debtorOf(), '<Dbtr><Nm>Example FX Ltd</Nm></Dbtr>');
  const lei = '529900T8BM49AURSDO55';
  await pool.query('update collection_accounts set holder_lei = $1', [lei]);
  assert.equal(
    await debtorOf(),
    `<Dbtr><Nm>Example FX Ltd</Nm><Id><OrgId><LEI>${lei}</LEI></OrgId></Id></Dbtr>`,
  );
});
