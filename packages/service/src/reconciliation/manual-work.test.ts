import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import {
  AS_SECOND,
  createOperatorServer,
  OPERATOR_IDS,
  type OperatorServer,
  type Reply,
} from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { settle } from '../settlement/operate.ts';
import type { TransactionRow } from '../transactions/record.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
  call = server.call;
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => server.close());

let bookings = 0;

/** A deposit without a reference, unless the patch has one. */
async function arrived(amount: string, patch: Record<string, unknown> = {}): Promise<string> {
  const body = {
    bankReference: `M${++bookings}`,
    amount,
    currency: 'USD',
    remitterName: 'Test customer',
    remitterAccount: 'DE02 1203 0000 0000 2020 51',
    ...patch,
  };
  const reply = await call('POST', '/v1/operator/deposits', body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return `/v1/operator/deposits/${reply.body.depositId}`;
}

const txn = (row: TransactionRow) => typeId('txn', row.id);
const small = () => sandbox.trade({ amount: '5000.00' });

function match(
  url: string,
  rows: readonly (TransactionRow | [TransactionRow, string])[],
  headers = {},
): Promise<Reply> {
  const allocations = rows.map((each) =>
    Array.isArray(each) ? { transactionId: txn(each[0]), amount: each[1] } : { transactionId: txn(each) },
  );
  return call('POST', `${url}/match`, { allocations, reason: 'told by phone' }, headers);
}

async function statusOf(row: TransactionRow): Promise<string> {
  return (await sandbox.read(row)).status;
}

async function actionsOf(url: string): Promise<string[]> {
  const { body } = await call('GET', `${url}/history`);
  return body.items.map((item: { action: string }) => item.action);
}

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
      JSON.parse(funded.timeline).map((each: { actor: string }) => each.actor),
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
    assert.deepEqual([excess.body.status, excess.body.excessAmount], ['partially_matched', '1000.00']);
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

describe('unmatching', () => {
  test('takes a deposit away again (transition 14), and from one of several trades', async () => {
    const [first, second] = [await small(), await small()];
    const url = await arrived('7000.00');
    await match(url, [first, second]);
    const one = await call('POST', `${url}/unmatch`, { transactionId: txn(second), reason: 'mine' });
    assert.deepEqual(
      [one.body.status, one.body.exception.reason],
      ['partially_matched', 'unmatched_by_operator'],
    );
    assert.deepEqual([await statusOf(first), await statusOf(second)], ['funded', 'awaiting_funds']);
    const all = await call('POST', `${url}/unmatch`, { reason: 'not theirs' });
    assert.deepEqual([all.body.status, all.body.customerId, all.body.allocations], ['unmatched', null, []]);
    assert.equal(await statusOf(first), 'awaiting_funds');
    assert.equal(JSON.parse((await sandbox.read(first)).timeline).at(-1).code, 'deposit_removed');
    const again = await call('POST', `${url}/unmatch`, { reason: 'again' });
    assert.equal(again.body.code, 'invalid_state_transition');
    assert.deepEqual(await actionsOf(url), ['unmatched', 'unmatched', 'matched', 'received']);
    // Matched once more: nothing of the first match is in the way.
    assert.equal((await match(url, [first])).status, 200);
  });

  test('leaves a trade with two deposits partly funded, and gives back what was forgiven', async () => {
    const row = await small();
    const first = await arrived('2000.00', { reference: row.reference });
    await arrived('2990.00', { reference: row.reference });
    assert.equal(await statusOf(row), 'funded');
    await call('POST', `${first}/unmatch`, { reason: 'not theirs' });
    const partly = await sandbox.read(row);
    assert.deepEqual(
      [partly.status, partly.received_minor, partly.shortfall_minor],
      ['partially_funded', '299000', '1000'],
    );
  });

  test('is no longer possible once the payout has begun', async () => {
    const row = await small();
    const url = await arrived('5000.00', { reference: row.reference });
    await settle(sandbox.desk, { transactionId: row.id, ifMatch: undefined });
    const refused = await call('POST', `${url}/unmatch`, { reason: 'too late' });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.from],
      [409, 'invalid_state_transition', 'settling'],
    );
  });
});

describe('returning', () => {
  test('sends money back that no trade has, whole or in part', async () => {
    const url = await arrived('800.00');
    const part = await call('POST', `${url}/return`, { amount: '300.00', reason: 'not ours' });
    assert.deepEqual([part.body.status, part.body.returnedAmount], ['partially_matched', '300.00']);
    const tooMuch = await call('POST', `${url}/return`, { amount: '500.01', reason: 'x' });
    assert.equal(tooMuch.body.errors[0].code, 'out_of_range');
    const rest = await call('POST', `${url}/return`, { reason: 'not ours', bankReference: 'R-1' });
    assert.deepEqual([rest.body.status, rest.body.exception], ['returned', null]);
    assert.equal(
      (await call('POST', `${url}/return`, { reason: 'x' })).body.code,
      'invalid_state_transition',
    );
  });

  test('sends excess back, and not what a trade has', async () => {
    const row = await small();
    const url = await arrived('5001.00', { reference: row.reference });
    const returned = await call('POST', `${url}/return`, { reason: 'paid too much' });
    assert.deepEqual([returned.body.status, returned.body.returnedAmount], ['matched', '1.00']);
    assert.deepEqual([await statusOf(row), (await sandbox.read(row)).excess_minor], ['funded', '0']);
    const refused = await call('POST', `${url}/return`, { reason: 'x' });
    assert.equal(refused.body.code, 'invalid_state_transition');
  });

  test('by the bank of the remitter takes the money from its trade, unless the payout has begun', async () => {
    const row = await small();
    const url = await arrived('5000.00', { reference: row.reference });
    const back = { returnedBy: 'remitter_bank', bankReference: 'R-2', reason: 'recalled' };
    const returned = await call('POST', `${url}/return`, back);
    assert.deepEqual([returned.body.status, returned.body.exception], ['returned', null]);
    const trade = await sandbox.read(row);
    assert.deepEqual([trade.status, trade.status_reason], ['awaiting_funds', 'deposit_returned']);
    const late = await small();
    const other = await arrived('5000.00', { reference: late.reference });
    await settle(sandbox.desk, { transactionId: late.id, ifMatch: undefined });
    const reported = await call('POST', `${other}/return`, back);
    assert.equal(reported.status, 200);
    assert.deepEqual(reported.body.exception, { type: 'returned', reason: 'transaction_settling' });
    assert.deepEqual([reported.body.status, await statusOf(late)], ['matched', 'settling']);
  });
});

describe('setting aside, assigning, noting', () => {
  test('an ignored deposit is nobody’s work, keeps its money in suspense, and can still be matched', async () => {
    const url = await arrived('5000.00');
    const ignored = await call('POST', `${url}/ignore`, { reason: 'own transfer' });
    assert.deepEqual([ignored.body.status, ignored.body.exception], ['ignored', null]);
    assert.equal(
      (await call('POST', `${url}/ignore`, { reason: 'x' })).body.code,
      'invalid_state_transition',
    );
    assert.equal(
      (await call('POST', `${url}/assign`, { assignee: 'Ann' })).body.code,
      'invalid_state_transition',
    );
    const row = await small();
    assert.equal((await match(url, [row])).body.status, 'matched');
  });

  test('a note and an assignee are kept in the history', async () => {
    const url = await arrived('77.00');
    assert.equal((await call('POST', `${url}/note`, { note: 'asked them' })).body.version, 2);
    assert.equal((await call('POST', `${url}/assign`, { assignee: 'Ann' })).status, 200);
    assert.deepEqual(await actionsOf(url), ['assigned', 'noted', 'received']);
    assert.equal((await call('POST', `${url}/note`, { note: '' })).status, 400);
  });
});

describe('four eyes', () => {
  test('above the limit a second operator approves, with an OAuth client of its own', async () => {
    const row = await sandbox.trade({ amount: '100000.01' });
    const url = await arrived('100000.01');
    const proposed = await match(url, [row], { 'idempotency-key': 'four-eyes' });
    assert.equal(proposed.status, 202, JSON.stringify(proposed.body));
    assert.deepEqual([proposed.body.kind, proposed.body.subject], ['deposit_match', url.split('/').at(-1)]);
    assert.deepEqual((await match(url, [row], { 'idempotency-key': 'four-eyes' })).body, proposed.body);
    assert.equal((await match(url, [row])).body.code, 'already_exists');
    assert.equal(await statusOf(row), 'awaiting_funds');
    const approval = String(proposed.headers.location);
    assert.equal((await call('POST', `${approval}/approve`)).body.code, 'second_person_required');
    const approved = await call('POST', `${approval}/approve`, undefined, AS_SECOND);
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    assert.equal(await statusOf(row), 'funded');
    const { body } = await call('GET', `${url}/history`);
    assert.deepEqual(
      [body.items[0].actor, body.items[0].detail.approvedBy],
      [typeId('cli', OPERATOR_IDS.first), typeId('cli', OPERATOR_IDS.second)],
    );
    const undo = await call('POST', `${url}/unmatch`, { reason: 'wrong' });
    assert.equal(undo.status, 202);
    await call('POST', `${undo.headers.location}/reject`, { note: 'it is right' }, AS_SECOND);
    assert.equal(await statusOf(row), 'funded');
  });

  test('what was seen is what is approved: a deposit that changed since is not touched', async () => {
    const row = await sandbox.trade({ amount: '150000.00' });
    const url = await arrived('150000.00');
    const proposed = await match(url, [row]);
    await call('POST', `${url}/note`, { note: 'wait' });
    const refused = await call('POST', `${proposed.headers.location}/approve`, undefined, AS_SECOND);
    assert.deepEqual([refused.status, refused.body.code], [412, 'version_mismatch']);
    assert.equal((await call('GET', String(proposed.headers.location))).body.status, 'pending');
  });

  test('what cannot be done is refused at once; an unknown worth takes two persons', async () => {
    const url = await arrived('200000.00');
    const refused = await call('POST', `${url}/unmatch`, { reason: 'x' });
    assert.equal(refused.body.code, 'invalid_state_transition');
    const kwd = await arrived('1.000', { currency: 'KWD' });
    assert.equal((await call('POST', `${kwd}/return`, { reason: 'x' })).status, 202);
  });
});
