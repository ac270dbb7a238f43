import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOperatedSandbox, depositOf, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox({ withBank: true }));
  call = server.call;
});
after(() => server.close());

describe('deposits', () => {
  test('recorded by an operator are booked, matched, shown and listed', async () => {
    const row = await sandbox.trade();
    const created = await call('POST', '/v1/operator/deposits', depositOf(row, 'HTTP-1'));
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, `/v1/operator/deposits/${created.body.depositId}`);
    assert.equal(created.body.status, 'matched');
    assert.equal(created.body.account, 'GB29NWBK60161331926819');
    assert.equal(created.body.customerId, typeId('cus', row.customer_id));
    assert.equal(created.body.valueDate, '2026-03-04');
    assert.deepEqual(
      created.body.allocations.map((each: Record<string, unknown>) => [each.transactionId, each.matchRule]),
      [[typeId('txn', row.id), 'reference_exact']],
    );
    const again = await call('POST', '/v1/operator/deposits', depositOf(row, 'HTTP-1'));
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, created.body);
    const other = await call('POST', '/v1/operator/deposits', {
      ...depositOf(row, 'HTTP-1'),
      amount: '1.00',
    });
    assert.equal(other.status, 409);
    assert.equal(other.body.code, 'already_exists');
    assert.equal(other.body.depositId, created.body.depositId);
    const shown = await call('GET', `/v1/operator/deposits/${created.body.depositId}`);
    assert.deepEqual(shown.body, created.body);
    const operators = await call('GET', `/v1/operator/transactions/${typeId('txn', row.id)}`);
    assert.equal(operators.body.status, 'funded');
    assert.equal(operators.body.customerId, typeId('cus', row.customer_id));
    assert.equal(operators.body.funding.deposits[0].depositId, created.body.depositId);
    assert.equal(operators.body.timeline[1].depositId, created.body.depositId);
  });

  test('with an Idempotency-Key are replayed to the letter', async () => {
    const row = await sandbox.trade();
    const headers = { 'idempotency-key': 'deposit-1' };
    const first = await call('POST', '/v1/operator/deposits', depositOf(row, 'HTTP-2'), headers);
    const again = await call('POST', '/v1/operator/deposits', depositOf(row, 'HTTP-2'), headers);
    assert.equal(again.status, 201);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.deepEqual(again.body, first.body);
  });

  test('are listed by status, currency and time, page by page', async () => {
    for (const [index, currency] of ['EUR', 'EUR', 'GBP', 'EUR'].entries()) {
      await call('POST', '/v1/operator/deposits', {
        bankReference: `LIST-${index}`,
        amount: '5.00',
        currency,
        remitterName: 'Nobody',
        receivedAt: `2026-03-0${index + 1}T09:00:00.000Z`,
      });
    }
    const query = '/v1/operator/deposits?status=unmatched&currency=EUR&limit=2';
    const first = await call('GET', query);
    assert.deepEqual(
      first.body.items.map((item: { bankReference: string }) => item.bankReference),
      ['LIST-3', 'LIST-1'],
    );
    assert.deepEqual(first.body.items[0].exception, { type: 'unmatched', reason: 'no_reference' });
    assert.equal(first.body.hasMore, true);
    assert.match(String(first.headers.link), /rel="next"/);
    const second = await call('GET', `${query}&cursor=${first.body.nextCursor}`);
    assert.deepEqual(
      second.body.items.map((item: { bankReference: string }) => item.bankReference),
      ['LIST-0'],
    );
    assert.equal(second.body.nextCursor, null);
    const foreign = await call('GET', `/v1/operator/deposits?cursor=${first.body.nextCursor}`);
    assert.equal(foreign.body.code, 'cursor_invalid');
    const between = await call(
      'GET',
      '/v1/operator/deposits?from=2026-03-02T00:00:00Z&to=2026-03-03T09:00:00Z',
    );
    assert.deepEqual(
      between.body.items.map((item: { bankReference: string }) => item.bankReference),
      ['LIST-1'],
    );
    const wrong = await call('GET', '/v1/operator/deposits?status=lost&colour=red');
    assert.deepEqual(
      wrong.body.errors.map((error: { pointer: string }) => error.pointer),
      ['/query/status', '/query/colour'],
    );
  });

  test('that make no sense are refused and leave nothing', async () => {
    const row = await sandbox.trade();
    const good = depositOf(row, 'BAD-1');
    const refusals: readonly [patch: Record<string, unknown>, status: number, code: string][] = [
      [{ amount: 100 }, 400, 'validation_failed'],
      [{ amount: '-1.00' }, 400, 'validation_failed'],
      [{ amount: '0.00' }, 400, 'validation_failed'],
      [{ amount: '1.001' }, 422, 'amount_precision_invalid'],
      [{ currency: 'XXX' }, 422, 'currency_not_supported'],
      [{ valueDate: '2026-02-30' }, 400, 'validation_failed'],
      [{ receivedAt: '2027-01-01T00:00:00Z' }, 400, 'validation_failed'],
      [{ colour: 'red' }, 400, 'validation_failed'],
      [{ bankReference: undefined }, 400, 'validation_failed'],
    ];
    for (const [patch, status, code] of refusals) {
      const reply = await call('POST', '/v1/operator/deposits', { ...good, ...patch });
      assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(patch));
    }
    const { rowCount } = await pool.query("select 1 from deposits where bank_reference = 'BAD-1'");
    assert.equal(rowCount, 0);
    assert.equal((await call('GET', '/v1/operator/deposits/dep_nothing')).body.code, 'deposit_not_found');
  });
});
