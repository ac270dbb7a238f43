import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { reportException } from '../deposits/exceptions.ts';
import { fundingCutoffSweep } from '../payments/sweeps.ts';
import { typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { shortPaymentSweep } from './short-payments.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];
let bookings = 0;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
  call = server.call;
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => server.close());

async function arrived(amount: string, patch: Record<string, unknown> = {}): Promise<string> {
  const body = {
    bankReference: `E${++bookings}`,
    amount,
    currency: 'USD',
    remitterName: 'Test customer',
    ...patch,
  };
  const reply = await call('POST', '/v1/operator/deposits', body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.depositId;
}

/** The exceptions of a deposit, oldest first. */
async function exceptionsOf(depositId: string) {
  const { body } = await call('GET', `/v1/operator/exceptions?status=all&depositId=${depositId}`);
  assert.ok(body.items.every((item: { depositId: string }) => item.depositId === depositId));
  return body.items;
}

describe('an exception', () => {
  test('opens with the deposit, suggests trades with reasons, and closes with the match', async () => {
    const row = await sandbox.trade({ amount: '1234.00' });
    const near = await sandbox.trade({ amount: '1236.00' });
    const depositId = await arrived('1234.00');
    const [open] = await exceptionsOf(depositId);
    assert.deepEqual(
      [open.type, open.reason, open.status, open.assignee],
      ['unmatched', 'no_reference', 'open', null],
    );
    const url = `/v1/operator/exceptions/${open.exceptionId}`;
    const shown = await call('GET', url);
    assert.deepEqual(
      shown.body.suggestions.map((each: Record<string, unknown>) => [
        each.transactionId,
        each.score,
        each.reasonsFor,
        each.reasonsAgainst,
      ]),
      [
        [typeId('txn', row.id), 45, ['remitter_name', 'amount_exact'], []],
        [typeId('txn', near.id), 37, ['remitter_name', 'amount_within_tolerance'], []],
      ],
    );
    const assigned = await call('POST', `${url}/assign`, { assignee: 'Ann', note: 'please look' });
    assert.deepEqual([assigned.status, assigned.body.assignee, assigned.body.version], [200, 'Ann', 2]);
    const stale = await call('POST', `${url}/assign`, { assignee: 'Bob' }, { 'if-match': '"v1"' });
    assert.equal(stale.body.code, 'version_mismatch');
    const refused = await call('POST', `${url}/resolve`, {
      resolution: 'acknowledged',
      note: 'nothing to do',
    });
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
    const allocations = [{ transactionId: typeId('txn', row.id) }];
    await call('POST', `/v1/operator/deposits/${depositId}/match`, { allocations, reason: 'it is theirs' });
    const closed = await call('GET', url);
    assert.deepEqual(
      [closed.body.status, closed.body.resolution, closed.body.suggestions],
      ['resolved', 'matched', []],
    );
    assert.deepEqual(
      closed.body.history.map((item: { action: string; reason: string | null }) => [
        item.action,
        item.reason,
      ]),
      [
        ['resolved', 'it is theirs'],
        ['assigned', 'please look'],
        ['opened', null],
      ],
    );
    assert.equal(
      (await call('POST', `${url}/assign`, { assignee: 'Bob' })).body.code,
      'invalid_state_transition',
    );
  });

  test('that needs no money moved is resolved with a note', async () => {
    const row = await sandbox.trade({ amount: '200.00' });
    const depositId = await arrived('201.00', { reference: row.reference });
    const [open] = await exceptionsOf(depositId);
    assert.equal(open.type, 'excess');
    const url = `/v1/operator/exceptions/${open.exceptionId}`;
    assert.equal((await call('POST', `${url}/resolve`, { resolution: 'acknowledged' })).status, 400);
    const resolved = await call('POST', `${url}/resolve`, {
      resolution: 'acknowledged',
      note: 'kept for them',
    });
    assert.deepEqual([resolved.body.status, resolved.body.resolution], ['resolved', 'acknowledged']);
    const { body: deposit } = await call('GET', `/v1/operator/deposits/${depositId}`);
    assert.deepEqual([deposit.exception, deposit.excessAmount], [null, '1.00']);
    const twice = await call('POST', `${url}/resolve`, { resolution: 'acknowledged', note: 'again' });
    assert.equal(twice.body.code, 'invalid_state_transition');
    // The excess may still go back; the deposit has been looked at, and nothing more happens to it.
    const refunded = await call(
      'POST',
      `/v1/operator/transactions/${typeId('txn', row.id)}/refund-excess`,
      {},
    );
    assert.equal(refunded.status, 200, JSON.stringify(refunded.body));
    const { body: after } = await call('GET', `/v1/operator/deposits/${depositId}`);
    assert.equal(after.version, deposit.version);
  });

  test('is followed by another one when something else is wrong, for the same person', async () => {
    const row = await sandbox.trade({ amount: '300.00' });
    const depositId = await arrived('900.00');
    const [first] = await exceptionsOf(depositId);
    await call('POST', `/v1/operator/exceptions/${first.exceptionId}/assign`, { assignee: 'Ann' });
    const allocations = [{ transactionId: typeId('txn', row.id) }];
    await call('POST', `/v1/operator/deposits/${depositId}/match`, { allocations, reason: 'a part of it' });
    const [superseded, second] = await exceptionsOf(depositId);
    assert.deepEqual(
      [superseded.resolution, second.reason, second.assignee],
      ['superseded', 'rest_unmatched', 'Ann'],
    );
  });

  test('can come from a room without a deposit', async () => {
    const row = await sandbox.trade({ amount: '10.00' });
    const reported = { type: 'payout_mismatch', reason: 'amount_differs', actor: 'bank_feed' } as const;
    const id = await inTransaction(pool, (connection) =>
      reportException(
        connection,
        { ...reported, customerId: row.customer_id, transactionId: row.id },
        sandbox.clock.now(),
      ),
    );
    const url = `/v1/operator/exceptions/${typeId('exc', id)}`;
    const { body } = await call('GET', url);
    assert.deepEqual(
      [body.type, body.transactionId, body.depositId, body.sum],
      ['payout_mismatch', typeId('txn', row.id), null, { amount: '9.20', currency: 'EUR' }],
    );
    const resolved = await call('POST', `${url}/resolve`, {
      resolution: 'settled_outside',
      note: 'bank corrected it',
    });
    assert.equal(resolved.body.status, 'resolved');
    assert.deepEqual(resolved.body.sum, body.sum);
  });
});

describe('the queue', () => {
  test('is filtered by type, age, assignee and status, oldest first, page by page', async () => {
    await sandbox.advance(48 * 3_600);
    const ids = [await arrived('5.01'), await arrived('5.02'), await arrived('5.03')];
    await sandbox.advance(7_200);
    const list = async (query: string) => (await call('GET', `/v1/operator/exceptions?${query}`)).body;
    const old = await list('age=2&type=unmatched,ambiguous');
    assert.ok(old.items.length >= 3 && old.items.every((item: { ageHours: number }) => item.ageHours >= 2));
    assert.deepEqual((await list('age=100')).items, []);
    const byTeam = await exceptionsOf(ids[1] ?? '');
    await call('POST', `/v1/operator/exceptions/${byTeam[0].exceptionId}/assign`, { assignee: 'Team B' });
    const [ofTeam] = (await list('assignee=Team%20B')).items;
    assert.deepEqual(ofTeam.sum, { amount: '5.02', currency: 'USD' });
    assert.deepEqual(
      (await list('assignee=Team%20B')).items.map((item: { depositId: string }) => item.depositId),
      [ids[1]],
    );
    const unassigned = await list('assignee=none&limit=200');
    assert.ok(unassigned.items.every((item: { assignee: string | null }) => item.assignee === null));
    const first = await list('limit=1');
    const second = await list(`limit=1&cursor=${first.nextCursor}`);
    assert.ok(first.items[0].openedAt <= second.items[0].openedAt);
    assert.notEqual(first.items[0].exceptionId, second.items[0].exceptionId);
    assert.equal((await list(`limit=1&status=all&cursor=${first.nextCursor}`)).code, 'cursor_invalid');
    for (const wrong of ['age=1.5', 'age=-1', 'type=odd', 'status=gone', 'colour=red']) {
      assert.equal((await list(wrong)).code, 'validation_failed', wrong);
    }
    assert.equal((await call('GET', '/v1/operator/exceptions/exc_x')).body.code, 'exception_not_found');
  });
});

describe('a trade that is overdue with a part of its money', () => {
  const sweep = () => shortPaymentSweep(sandbox.desk).run();
  const overdue = async (row: TransactionRow) => {
    sandbox.clock.set(Math.max(sandbox.clock.now(), row.funding_cutoff_at));
    await fundingCutoffSweep(sandbox.desk).run();
  };
  const shortOf = async (row: TransactionRow) => {
    const { body } = await call('GET', '/v1/operator/exceptions?type=short&status=all&limit=200');
    const id = typeId('txn', row.id);
    return body.items.filter((item: { transactionId: string }) => item.transactionId === id);
  };
  const shortTransaction = async (): Promise<{ row: TransactionRow; depositId: string }> => {
    const row = await sandbox.trade({ amount: '2000.00' });
    const depositId = await arrived('1500.00', { reference: row.reference });
    assert.equal(await sweep(), 0, 'before the cut-off the rest may be on its way');
    await overdue(row);
    const moved = await Promise.all([sweep(), sweep()]);
    assert.equal(moved[0] + moved[1], 1, 'once, by whichever instance');
    return { row, depositId };
  };

  test('is short until the rest comes, with what can be done about it', async () => {
    const { row, depositId } = await shortTransaction();
    const [open] = await shortOf(row);
    assert.deepEqual(
      [open.type, open.reason, open.status, open.depositId],
      ['short', 'funding_short', 'open', null],
    );
    const { orders } = (await call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body;
    const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
    assert.deepEqual(orders, [
      {
        order: 'forgive_shortfall',
        path: `/v1/operator/deposits/${depositId}/forgive`,
        body: { transactionId: typeId('txn', row.id), amount: '500.00' },
      },
      { order: 'roll_value_date', path: `${path}/roll-value-date`, body: { reason: 'late_funding' } },
      { order: 'return', path: `${path}/unwind`, body: {} },
      { order: 'resolve', path: `/v1/operator/exceptions/${open.exceptionId}/resolve`, body: {} },
      { order: 'assign', path: `/v1/operator/exceptions/${open.exceptionId}/assign`, body: {} },
    ]);
    assert.equal(await sweep(), 0);
    await arrived('500.00', { reference: row.reference });
    assert.equal(await sweep(), 1);
    const [closed] = await shortOf(row);
    assert.deepEqual([closed.status, closed.resolution], ['resolved', 'funded']);
    const shown = (await call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body;
    assert.deepEqual([shown.orders, shown.history[0].actor], [[], 'system']);
  });

  test('is short no more when its value date is rolled, and is again when the rest does not come', async () => {
    const { row } = await shortTransaction();
    const [open] = await shortOf(row);
    const { orders } = (await call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body;
    const { path, body } = orders.find((each: { order: string }) => each.order === 'roll_value_date');
    const valueDate = '2026-03-13';
    const rolled = await call('POST', path, { ...body, valueDate });
    assert.deepEqual(
      [rolled.status, rolled.body.status],
      [200, 'partially_funded'],
      JSON.stringify(rolled.body),
    );
    assert.equal(await sweep(), 1);
    assert.deepEqual((await shortOf(row))[0].resolution, 'partially_funded');
    sandbox.clock.set(Date.parse(`${valueDate}T23:00:00Z`));
    await overdue(row);
    assert.equal(await sweep(), 1);
    assert.deepEqual((await shortOf(row)).map(({ status }: { status: string }) => status).sort(), [
      'open',
      'resolved',
    ]);
  });

  test('is unwound once: what has ended offers no way back until the sweep closes it', async () => {
    const { row } = await shortTransaction();
    const [open] = await shortOf(row);
    const suggestedNow = async () =>
      (await call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body.orders.map(
        (each: { order: string }) => each.order,
      );
    assert.ok((await suggestedNow()).includes('return'));
    const unwound = await call('POST', `/v1/operator/transactions/${typeId('txn', row.id)}/unwind`, {});
    assert.equal(unwound.status, 200, JSON.stringify(unwound.body));
    assert.deepEqual(await suggestedNow(), ['resolve', 'assign']);
    assert.equal(await sweep(), 1);
    assert.equal((await shortOf(row))[0].resolution, 'cancelled');
  });

  test('is completed by forgiving what is missing; unmatching takes that back', async () => {
    const { row, depositId } = await shortTransaction();
    const [open] = await shortOf(row);
    const [{ path, body }] = (await call('GET', `/v1/operator/exceptions/${open.exceptionId}`)).body.orders;
    const forgive = (patch = {}) => call('POST', path, { ...body, reason: 'good customer', ...patch });
    assert.equal((await forgive({ amount: '499.99' })).body.errors[0].code, 'out_of_range');
    const other = await sandbox.trade({ amount: '1.00' });
    const strange = await forgive({ transactionId: typeId('txn', other.id), amount: '1.00' });
    assert.equal(strange.body.errors[0].code, 'not_permitted');
    assert.equal((await forgive()).status, 200);
    const done = await sandbox.read(row);
    assert.deepEqual([done.status, done.received_minor, done.shortfall_minor], ['funded', '150000', '50000']);
    assert.ok(done.value_date > row.value_date, 'late money rolls the value date on');
    assert.equal(await sweep(), 1);
    assert.equal((await forgive()).body.code, 'invalid_state_transition');
    const url = `/v1/operator/deposits/${depositId}`;
    const [last] = (await call('GET', `${url}/history`)).body.items;
    assert.deepEqual([last.action, last.detail.shortfallMinor], ['shortfall_forgiven', '50000']);
    assert.equal((await call('POST', `${url}/unmatch`, { reason: 'wrong' })).status, 200);
    const back = await sandbox.read(row);
    assert.deepEqual([back.status, back.shortfall_minor], ['awaiting_funds', '0']);
  });

  test('that a person is done with is opened again when it had lost its money meanwhile', async () => {
    const { row, depositId } = await shortTransaction();
    const resolve = async () => {
      const open = (await shortOf(row)).find((each: { status: string }) => each.status === 'open');
      const body = { resolution: 'acknowledged', note: 'they will pay on Monday' };
      const path = `/v1/operator/exceptions/${open.exceptionId}/resolve`;
      assert.equal((await call('POST', path, body)).status, 200);
    };
    await resolve();
    assert.equal(await sweep(), 0);
    const unmatched = await call('POST', `/v1/operator/deposits/${depositId}/unmatch`, { reason: 'wrong' });
    assert.equal(unmatched.status, 200);
    assert.equal(await sweep(), 0);
    await arrived('700.00', { reference: row.reference });
    assert.equal(await sweep(), 1, 'nobody would hear of it');
    await resolve();
    assert.equal(await sweep(), 0, 'as long as it stays as it is');
  });

  test('that a person is done with is not opened again', async () => {
    const { row } = await shortTransaction();
    const [open] = await shortOf(row);
    const resolve = { resolution: 'acknowledged', note: 'they will pay on Monday' };
    assert.equal(
      (await call('POST', `/v1/operator/exceptions/${open.exceptionId}/resolve`, resolve)).status,
      200,
    );
    assert.equal(await sweep(), 0);
    assert.equal((await shortOf(row)).length, 1);
  });
});
