import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { OPERATOR_IDS } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { type TransactionRow, timelineOf } from '../transactions/record.ts';

let pool: Pool;
let desk: ManualDesk;
let sandbox: Sandbox;
let call: ManualDesk['call'];
let { arrived, small, match, statusOf } = {} as ManualDesk;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
  ({ sandbox, call, arrived, small, match, statusOf } = desk);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => desk.close());

const txn = (row: TransactionRow) => typeId('txn', row.id);

describe('matching by hand', () => {
  test('gives a deposit to its trade, with who, why and when, and learns the remitter', async () => {
    const row = await small();
    const url = await arrived('5000.00');
    const matched = await match(url, [row], { 'idempotency-key': 'match-1' });
    assert.equal(matched.status, 200, JSON.stringify(matched.body));
    assert.deepEqual(
      [matched.body.status, matched.body.exception, matched.body.version],
      ['matched', null, 2],
    );
    const [allocation] = matched.body.allocations;
    assert.deepEqual(
      [allocation.matchRule, allocation.matchedBy, allocation.score, allocation.evidence.reason],
      ['manual', 'manual', null, 'told by phone'],
    );
    assert.equal(allocation.actor, typeId('cli', OPERATOR_IDS.first));
    assert.equal(matched.headers.etag, '"v2"');
    assert.deepEqual((await match(url, [row], { 'idempotency-key': 'match-1' })).body, matched.body);
    const funded = await sandbox.read(row);
    assert.equal(funded.status, 'funded');
    assert.deepEqual(
      timelineOf(funded).map((each: { actor: string }) => each.actor),
      ['client', 'operator'],
    );
    assert.equal(JSON.parse(funded.deposits)[0].matchedBy, 'manual');
    const history = await call('GET', `${url}/history`);
    assert.deepEqual(
      history.body.items.map((item: { action: string; actor: string; reason: string | null }) => [
        item.action,
        item.actor,
        item.reason,
      ]),
      [
        ['matched', typeId('cli', OPERATOR_IDS.first), 'told by phone'],
        ['received', 'matcher', null],
      ],
    );
    const customer = `/v1/operator/customers/${typeId('cus', row.customer_id)}/remitters`;
    const known = await call('GET', customer);
    assert.equal(known.body.items[0].account, 'DE02120300000000202051');
    // From now on the account is recognised, but nothing is matched by it.
    const other = await sandbox.trade({ amount: '4321.00' });
    const next = await arrived('4321.00');
    const read = await call('GET', next);
    assert.deepEqual(read.body.exception, { type: 'unmatched', reason: 'known_remitter' });
    assert.equal(await statusOf(other), 'awaiting_funds');
    assert.equal((await call('DELETE', `${customer}/${known.body.items[0].remitterId}`)).status, 204);
    assert.equal(
      (await call('DELETE', `${customer}/${known.body.items[0].remitterId}`)).body.code,
      'remitter_not_found',
    );
    assert.deepEqual((await call('GET', customer)).body.items, []);
  });

  test('splits a deposit over several trades; the rest stays in suspense as an exception', async () => {
    const [first, second] = [await small(), await small()];
    const url = await arrived('9000.00');
    const matched = await match(url, [first, [second, '1000.00']]);
    assert.deepEqual(
      [matched.body.status, matched.body.exception.reason, matched.body.allocatedAmount],
      ['partially_matched', 'rest_unmatched', '6000.00'],
    );
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['funded', 'partially_funded']);
    const third = await small();
    const rest = await match(url, [third]);
    assert.deepEqual([rest.body.status, rest.body.exception], ['matched', null]);
    assert.equal((await sandbox.read(third)).received_minor, '300000');
  });

  test('splits a deposit over trades of two customers, each of whom is told of its own part', async () => {
    const other = await createManualDesk(pool);
    try {
      const [first, second] = [await small(), await other.small()];
      const url = await arrived('10000.00');
      const matched = await match(url, [second, first]);
      assert.equal(matched.status, 200, JSON.stringify(matched.body));
      assert.deepEqual(
        [matched.body.status, matched.body.exception, matched.body.customerId],
        ['matched', null, null],
      );
      const owners = matched.body.allocations.map((each: { customerId: string }) => each.customerId);
      assert.deepEqual(
        new Set(owners),
        new Set([typeId('cus', first.customer_id), typeId('cus', second.customer_id)]),
      );
      for (const row of [first, second]) {
        const funded = await sandbox.read(row);
        assert.deepEqual([funded.status, JSON.parse(funded.deposits)[0].amount], ['funded', '5000.00']);
        const { rows } = await pool.query<{ type: string; detail: string }>(
          "select type, detail from feed_events where transaction_id = $1 and type like 'deposit.%' order by sequence",
          [row.id],
        );
        assert.deepEqual(
          rows.map(({ type, detail }) => [type, JSON.parse(detail).amount]),
          [
            ['deposit.received', '5000.00'],
            ['deposit.matched', '5000.00'],
          ],
        );
        const { rows: books } = await pool.query<{ minor: string }>(
          "select sum(amount) as minor from journal_postings where customer_id = $1 and account = 'bank' and transaction_id = $2",
          [row.customer_id, row.id],
        );
        assert.equal(books[0]?.minor, '500000');
      }
      const one = { transactionId: txn(second), reason: 'not theirs' };
      const undone = await call('POST', `${url}/unmatch`, one);
      assert.deepEqual(
        [undone.body.status, undone.body.customerId],
        ['partially_matched', typeId('cus', first.customer_id)],
      );
      assert.deepEqual([await statusOf(first), await statusOf(second)], ['funded', 'awaiting_funds']);
    } finally {
      await other.close();
    }
  });

  test('two splits over the same two customers in opposite order never block each other', async () => {
    const other = await createManualDesk(pool);
    try {
      for (let round = 0; round < 10; round++) {
        const urls = [await arrived('10000.00'), await arrived('10000.00')];
        const mine = [await small(), await small()];
        const theirs = [await other.small(), await other.small()];
        const [a, b] = [
          [mine[0], theirs[0]],
          [theirs[1], mine[1]],
        ] as [TransactionRow[], TransactionRow[]];
        const replies = await Promise.all([match(urls[0] ?? '', a), match(urls[1] ?? '', b)]);
        assert.deepEqual(
          replies.map((each) => each.status),
          [200, 200],
        );
      }
    } finally {
      await other.close();
    }
  });

  test('completes a short trade when the operator forgives what is missing', async () => {
    const row = await small();
    const url = await arrived('4900.00');
    const before = (await balancesOf(pool, row.customer_id))['charges USD'] ?? 0n;
    const allocations = [{ transactionId: txn(row), forgiveShortfall: true }];
    const matched = await call('POST', `${url}/match`, { allocations, reason: 'their bank kept it' });
    assert.equal(matched.body.allocations[0].shortfallAmount, '100.00');
    assert.equal(await statusOf(row), 'funded');
    assert.equal((await balancesOf(pool, row.customer_id))['charges USD'], before + 10_000n);
  });

  test('moves what was paid too much to another trade', async () => {
    const [first, second] = [await small(), await small()];
    const url = await arrived('6000.00', { reference: first.reference });
    const excess = await call('GET', url);
    assert.deepEqual([excess.body.status, excess.body.excessAmount], ['matched', '1000.00']);
    const matched = await match(url, [second]);
    assert.deepEqual([matched.body.status, matched.body.excessAmount], ['matched', '0.00']);
    assert.equal((await sandbox.read(first)).excess_minor, '0');
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['funded', 'partially_funded']);
  });

  test('refuses what cannot be, and changes nothing', async () => {
    const row = await small();
    const funded = await small();
    await arrived('5000.00', { reference: funded.reference });
    const euros = await sandbox.trade({ sellCurrency: 'EUR', buyCurrency: 'USD', amount: '5000.00' });
    const url = await arrived('5000.00');
    const wrong = async (allocations: unknown, code: string, status = 400) => {
      const reply = await call('POST', `${url}/match`, { allocations, reason: 'x' });
      assert.equal(reply.status, status, JSON.stringify(reply.body));
      assert.equal(reply.body.errors?.[0]?.code ?? reply.body.code, code);
    };
    await wrong([{ transactionId: 'txn_nothing' }], 'transaction_not_found');
    await wrong([{ transactionId: txn(euros) }], 'wrong_currency');
    await wrong([{ transactionId: txn(funded) }], 'invalid_state_transition', 409);
    await wrong([{ transactionId: txn(row), amount: '5000.01' }], 'out_of_range');
    await wrong([{ transactionId: txn(row), amount: '0.00' }], 'out_of_range');
    await wrong([{ transactionId: txn(row), amount: '1.001' }], 'wrong_format');
    await wrong([{ transactionId: txn(row) }, { transactionId: txn(row) }], 'repeated');
    await wrong([], 'min_items');
    const stale = await match(url, [row], { 'if-match': '"v7"' });
    assert.deepEqual([stale.status, stale.body.code], [412, 'version_mismatch']);
    assert.equal((await match('/v1/operator/deposits/dep_nothing', [row])).body.code, 'deposit_not_found');
    const without = { authorization: 'Bearer operator:transactions' };
    assert.equal((await match(url, [row], without)).body.requiredScope, 'operator:deposits');
    assert.deepEqual([await statusOf(row), (await call('GET', url)).body.version], ['awaiting_funds', 1]);
    await match(url, [[row, '10.00']]);
    await wrong([{ transactionId: txn(row) }], 'already_matched');
  });
});

test('the exception of what is left is no longer about one customer when another one has a part', async () => {
  const other = await createManualDesk(pool);
  const url = await arrived('20000.00');
  assert.equal((await match(url, [await small()])).status, 200);
  const open = async () => {
    const { depositId } = (await call('GET', url)).body;
    const { items } = await call('GET', `/v1/operator/exceptions?depositId=${depositId}`).then(
      ({ body }) => body,
    );
    return items.map((each: Record<string, unknown>) => [each.reason, each.customerId, each.exceptionId]);
  };
  const [[, owner, exceptionId]] = await open();
  assert.equal(owner, typeId('cus', sandbox.desk.customerId));
  const read = await call('GET', `/v1/operator/exceptions/${exceptionId}`);
  assert.equal((await match(url, [await other.small()])).status, 200);
  assert.deepEqual(await open(), [['rest_unmatched', null, exceptionId]]);
  assert.notEqual(
    (await call('GET', `/v1/operator/exceptions/${exceptionId}`)).headers.etag,
    read.headers.etag,
  );
  await other.close();
});

test('a deposit on a virtual account is its customer’s again once it is taken from its trade', async () => {
  const customerId = typeId('cus', sandbox.desk.customerId);
  const number = 'GB94BARC10201530093459';
  const path = `/v1/operator/customers/${customerId}/virtual-accounts`;
  assert.equal((await call('POST', path, { currency: 'USD', number })).status, 201);
  const row = await small();
  const url = await arrived('123.00', { virtualAccount: number });
  assert.equal((await call('GET', url)).body.customerId, customerId);
  assert.equal((await match(url, [row])).status, 200);
  const undone = await call('POST', `${url}/unmatch`, { reason: 'the wrong trade' });
  assert.deepEqual([undone.body.status, undone.body.customerId], ['unmatched', customerId]);
});

test('a customer is told once that money has arrived, however often it is matched', async () => {
  const [first, second] = [await small(), await small()];
  const url = await arrived('5000.00');
  for (const row of [first, second]) {
    assert.equal((await match(url, [row])).status, 200);
    assert.equal((await call('POST', `${url}/unmatch`, { reason: 'the wrong trade' })).status, 200);
  }
  const balance = { customerId: typeId('cus', first.customer_id) };
  const given = await call('POST', `${url}/match`, { balance, reason: 'it was for the balance' });
  assert.equal(given.status, 200, JSON.stringify(given.body));
  const { rows } = await pool.query<{ type: string }>(
    'select type from feed_events where deposit_id = $1 order by sequence',
    [parseTypeId('dep', given.body.depositId)],
  );
  const repeated = ['deposit.matched', 'deposit.unmatched'];
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['deposit.received', ...repeated, ...repeated, 'balance.topped_up'],
  );
  assert.equal((await call('POST', `${url}/unmatch`, { reason: 'it is another one’s' })).status, 200);
  const other = await createManualDesk(pool);
  try {
    assert.equal((await match(url, [await other.small()])).status, 200);
    const { rows: theirs } = await pool.query<{ type: string }>(
      "select type from feed_events where customer_id = $1 and type like 'deposit.%' order by sequence",
      [other.sandbox.desk.customerId],
    );
    assert.deepEqual(
      theirs.map(({ type }) => type),
      ['deposit.received', 'deposit.matched'],
    );
  } finally {
    await other.close();
  }
});
