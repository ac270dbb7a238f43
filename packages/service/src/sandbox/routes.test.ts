import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { typeId } from '../platform/ids.ts';
import { enableSandboxBank } from './store.ts';

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

describe('the sandbox', () => {
  test('moves the clock no further than everything else can follow', async () => {
    const from = await call('POST', '/v1/sandbox/clock', { now: '1971-06-01T00:00:00Z' });
    assert.equal(from.status, 200);
    const { status, body } = await call('POST', '/v1/sandbox/clock', { advanceSeconds: -315_576_000 });
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
      [['/advanceSeconds', 'out_of_range']],
    );
    const last = await call('POST', '/v1/sandbox/clock', { now: '9998-12-31T23:59:50Z' });
    assert.equal(last.status, 200);
    assert.equal((await call('POST', '/v1/sandbox/clock', { advanceSeconds: 60 })).status, 400);
    assert.equal((await call('POST', '/v1/sandbox/clock', { real: true })).status, 200);
  });

  test('moves the clock, and what is due is done when it answers', async () => {
    const row = await sandbox.trade();
    const moved = await call('POST', '/v1/sandbox/clock', { advanceSeconds: 15 });
    assert.equal(moved.status, 200);
    assert.deepEqual(Object.keys(moved.body), ['now', 'offsetMs']);
    const { body: read } = await call('GET', '/v1/sandbox/clock');
    assert.equal(read.offsetMs, moved.body.offsetMs);
    assert.ok(Date.parse(read.now) - Date.parse(moved.body.now) < 5_000);
    assert.ok(Math.abs(Date.parse(moved.body.now) - sandbox.clock.now()) < 1_000);
    assert.equal((await sandbox.read(row)).status, 'settled');
    const set = await call('POST', '/v1/sandbox/clock', { now: '2026-03-04T14:30:00.000Z' });
    assert.match(set.body.now, /^2026-03-04T14:30:0/);
    for (const body of [
      {},
      { now: 'yesterday' },
      { now: '2026-02-30T10:00:00Z' },
      { advanceSeconds: '5' },
      { advanceSeconds: 5, real: true },
      { real: false },
      { advanceSeconds: 10 ** 12 },
      { now: '1970-12-31T23:59:59Z' },
      { now: '9999-01-01T00:00:00Z' },
    ]) {
      const refused = await call('POST', '/v1/sandbox/clock', body);
      assert.equal(refused.status, 400, JSON.stringify(body));
    }
    const real = await call('POST', '/v1/sandbox/clock', { real: true });
    assert.ok(Math.abs(Date.parse(real.body.now) - Date.now()) < 5_000);
    assert.equal(real.body.offsetMs, 0);
    await call('POST', '/v1/sandbox/clock', { now: '2026-03-04T14:30:00.000Z' });
  });

  test('sets the bank', async () => {
    const calendar = await call('POST', '/v1/sandbox/bank', { settlement: 'calendar', autoDeposit: false });
    assert.deepEqual(calendar.body, { autoDeposit: false, settlement: 'calendar' });
    const on = await call('POST', '/v1/sandbox/bank', { autoDeposit: true });
    assert.deepEqual(on.body, { autoDeposit: true, settlement: 'calendar' });
    assert.deepEqual((await call('GET', '/v1/sandbox/bank')).body, on.body);
    await call('POST', '/v1/sandbox/bank', { settlement: 'fast' });
    for (const body of [{}, { settlement: 'slow' }, { autoDeposit: 'yes' }, { speed: 1 }]) {
      assert.equal((await call('POST', '/v1/sandbox/bank', body)).status, 400, JSON.stringify(body));
    }
  });

  test('lets money arrive', async () => {
    const row = await sandbox.trade({ amount: '100907.00' });
    const paid = await call('POST', '/v1/sandbox/deposits', {
      reference: row.reference,
      amount: '100907.00',
      currency: 'USD',
      remitterName: 'Acme Ltd',
    });
    assert.equal(paid.status, 201);
    assert.equal(paid.body.source, 'statement');
    assert.equal((await sandbox.read(row)).status, 'funded');
    // The same again is other money.
    const again = await call('POST', '/v1/sandbox/deposits', {
      reference: row.reference,
      amount: '100907.00',
      currency: 'USD',
    });
    assert.equal(again.status, 201);
    assert.deepEqual(again.body.exception, { type: 'excess', reason: 'nothing_outstanding' });
    assert.equal((await call('POST', '/v1/sandbox/deposits', { amount: '1.00' })).status, 400);
  });

  test('sets, frees and closes the market', async () => {
    const { market } = sandbox.desk;
    const set = await call('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.10', ask: '1.11' });
    assert.deepEqual(set.body, { pair: 'EURUSD', bid: '1.10', ask: '1.11', live: false });
    const freed = await call('POST', '/v1/sandbox/market', { pair: 'GBPUSD', live: true });
    assert.deepEqual(freed.body, { pair: 'GBPUSD', live: true });
    assert.deepEqual((await call('POST', '/v1/sandbox/market', { state: 'closed' })).body, {
      state: 'closed',
    });
    assert.equal(market.stateNow().state, 'closed');
    const { body: controls } = await call('GET', '/v1/sandbox/market');
    assert.equal(controls.state, 'closed');
    assert.deepEqual(controls.frozen[0], { pair: 'EURUSD', bid: '1.10', ask: '1.11' });
    assert.ok(!controls.frozen.some(({ pair }: { pair: string }) => pair === 'GBPUSD'));
    await call('POST', '/v1/sandbox/market', { state: 'open' });
    assert.equal(market.stateNow().state, 'open');
    for (const [body, status] of [
      [{}, 400],
      [{ pair: 'EURUSD' }, 400],
      [{ pair: 'EURUSD', bid: '1.10' }, 400],
      [{ pair: 'EURUSD', bid: '1.12', ask: '1.11' }, 400],
      [{ pair: 'EURUSD', bid: '0', ask: '1.11' }, 400],
      [{ pair: 'EURUSD', bid: 1.1, ask: 1.11 }, 400],
      [{ pair: 'EURUSD', live: true, state: 'open' }, 400],
      [{ pair: 'USDEUR', live: true }, 422],
      [{ state: 'shut' }, 400],
    ] as const) {
      assert.equal((await call('POST', '/v1/sandbox/market', body)).status, status, JSON.stringify(body));
    }
  });

  test('lets things happen to a trade at once', async () => {
    const row = await sandbox.trade({ amount: '100907.00' });
    const path = `/v1/sandbox/transactions/${typeId('txn', row.id)}`;
    assert.equal((await call('POST', `${path}/settle`)).status, 409);
    assert.equal((await call('POST', `${path}/deposit`)).body.status, 'funded');
    assert.equal((await call('POST', `${path}/deposit`)).status, 409);
    assert.equal((await call('POST', `${path}/payout-failed`)).body.status, 'settlement_failed');
    const operator = `/v1/operator/transactions/${typeId('txn', row.id)}`;
    await call('POST', `${operator}/retry-payout`);
    assert.equal((await call('POST', `${path}/settle`)).body.status, 'settled');
    assert.equal((await call('POST', `${path}/payout-returned`)).body.payout.status, 'returned');
    assert.equal((await call('POST', `${path}/explode`)).body.code, 'route_not_found');
  });

  test('is not there in production', async () => {
    const production = createOperatorServer(sandbox, false);
    for (const path of ['clock', 'bank', 'market', 'deposits', 'transactions/txn_x/settle']) {
      const reply = await production.call('POST', `/v1/sandbox/${path}`, { real: true });
      assert.deepEqual([reply.status, reply.body.code], [404, 'route_not_found'], path);
    }
    await production.close();
  });
});
