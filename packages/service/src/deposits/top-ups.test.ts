import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { AS_SECOND, type Reply } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { DEFAULT_SETTINGS } from '../customers/profile.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';
import { RECONCILIATION } from '../reports/reconciliation-report.ts';

let pool: Pool;
let desk: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  desk = await createManualDesk(pool);
});
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
});
after(() => desk.close());

const cus = () => typeId('cus', desk.sandbox.desk.customerId);
const balances = () => desk.call('GET', `/v1/operator/customers/${cus()}/balances`);

/** A customer of its own, pre-funded, with the reference of its balance. */
async function preFunded(settings: Record<string, unknown> = {}): Promise<string> {
  await desk.close();
  desk = await createManualDesk(pool);
  await setMode({ fundingMode: 'pre_funded', ...settings });
  return (await balances()).body.topUpReference;
}

async function setMode(settings: Record<string, unknown>): Promise<void> {
  const { customerId } = desk.sandbox.desk;
  await pool.query('update customers set settings = $2 where id = $1', [
    customerId,
    JSON.stringify(settings),
  ]);
  desk.sandbox.desk.change({ settings: { ...DEFAULT_SETTINGS, ...settings } });
}

async function available(currency = 'USD'): Promise<string | undefined> {
  const { items } = (await balances()).body;
  return items.find((item: { currency: string }) => item.currency === currency)?.available;
}

const show = async (url: string): Promise<Reply['body']> => (await desk.call('GET', url)).body;
const partsOf = (deposit: Reply['body']) =>
  deposit.allocations.map((each: Record<string, unknown>) => [each.to, each.matchRule, each.allocatedAmount]);
const events = async () => {
  const { rows } = await pool.query<{ type: string }>(
    'select type from feed_events where customer_id = $1 order by sequence',
    [desk.sandbox.desk.customerId],
  );
  return rows.map((row) => row.type);
};

describe('a deposit that names a balance', () => {
  test('tops it up in the commit that records it, with rule, score, evidence and event', async () => {
    const reference = await preFunded();
    const url = await desk.arrived('250.00', { remittanceText: `top up ${reference.toLowerCase()}` });
    const deposit = await show(url);
    assert.deepEqual([deposit.status, deposit.customerId, deposit.exception], ['matched', cus(), null]);
    assert.deepEqual(partsOf(deposit), [['balance', 'balance_top_up', '250.00']]);
    const [part] = deposit.allocations;
    assert.deepEqual(
      [part.transactionId, part.score, part.actor, part.evidence.reference],
      [null, 100, 'matcher', reference],
    );
    assert.equal(await available(), '250.00');
    assert.deepEqual(await events(), ['deposit.received', 'balance.topped_up']);
    const history = (await desk.call('GET', `${url}/history`)).body.items;
    assert.equal(history[0].detail.balance.customerId, cus());
    assert.deepEqual(await balancesOf(pool, desk.sandbox.desk.customerId), {
      'bank USD': 25_000n,
      'customer_balance USD': -25_000n,
    });
  });

  test('and a trade, or two balances, is for a person', async () => {
    const first = await preFunded();
    const second = await preFunded();
    const several = await show(await desk.arrived('10.00', { remittanceText: `${first} ${second}` }));
    assert.deepEqual(several.exception, { type: 'ambiguous', reason: 'several_balances' });
    await setMode({});
    const row = await desk.small();
    const both = await show(await desk.arrived('5000.00', { remittanceText: `${row.reference} ${second}` }));
    assert.deepEqual(both.exception, { type: 'ambiguous', reason: 'transaction_and_balance' });
    assert.equal(await desk.statusOf(row), 'awaiting_funds');
  });

  test('is held where a third party pays, where nobody trades the currency, and where rules only suggest', async () => {
    const reference = await preFunded({ thirdPartyPayments: 'hold' });
    const other = await show(
      await desk.arrived('10.00', { remittanceText: reference, remitterName: 'Somebody else' }),
    );
    assert.equal(other.exception.type, 'third_party');
    const odd = await show(await desk.arrived('10.00', { remittanceText: reference, currency: 'BGN' }));
    assert.deepEqual(odd.exception, { type: 'wrong_currency', reason: 'currency_not_tradable' });
    const { version, ...rules } = (await desk.call('GET', '/v1/operator/matching-rules')).body;
    const put = (suggestOnly: string[]) =>
      desk.call('PUT', '/v1/operator/matching-rules', { ...rules, suggestOnly }, { 'if-match': '*' });
    assert.equal((await put(['balance_top_up'])).status, 200, String(version));
    const suggested = await show(await desk.arrived('10.00', { remittanceText: reference }));
    assert.deepEqual(suggested.exception, { type: 'unmatched', reason: 'suggested' });
    await put([]);
    assert.equal(await available(), undefined);
  });

  test('that an operator has booked by hand is not booked twice, in either order', async () => {
    const reference = await preFunded();
    const path = `/v1/operator/customers/${cus()}/balances/top-ups`;
    const byHand = { currency: 'USD', amount: '30.00', bankReference: 'HAND-30' };
    assert.equal((await desk.call('POST', path, byHand)).status, 201);
    const url = await desk.arrived('30.00', { bankReference: 'HAND-30', remittanceText: reference });
    const deposit = await show(url);
    assert.deepEqual(partsOf(deposit), [['balance', 'top_up_by_hand', '30.00']]);
    const { evidence, score } = deposit.allocations[0];
    assert.deepEqual([evidence.toppedUpUnder, evidence.reference, score], ['HAND-30', reference, 100]);
    await desk.arrived('40.00', { bankReference: 'BANK-40', remittanceText: reference });
    const again = await desk.call('POST', path, { ...byHand, amount: '40.00', bankReference: 'BANK-40' });
    assert.equal(again.body.code, 'already_exists');
    assert.equal(await available(), '70.00');
  });
});

describe('a virtual account of a pre-funded customer', () => {
  test('tops up its balance unless trades of it are open or named', async () => {
    await preFunded();
    const number = 'GB33BUKB20201555555501';
    const path = `/v1/operator/customers/${cus()}/virtual-accounts`;
    assert.equal((await desk.call('POST', path, { currency: 'USD', number })).status, 201);
    const url = await desk.arrived('99.00', { virtualAccount: number });
    assert.deepEqual(partsOf(await show(url)), [['balance', 'virtual_account_top_up', '99.00']]);
    assert.equal((await show(url)).allocations[0].score, 90);
    await setMode({});
    assert.equal(
      (await show(await desk.arrived('1.00', { virtualAccount: number }))).exception.type,
      'unmatched',
    );
    const row = await desk.small();
    await setMode({ fundingMode: 'pre_funded' });
    const other = await show(await desk.arrived('1.00', { virtualAccount: number }));
    assert.deepEqual(other.exception, { type: 'unmatched', reason: 'no_reference' });
    const exact = await show(await desk.arrived('5000.00', { virtualAccount: number }));
    assert.deepEqual(partsOf(exact), [['transaction', 'virtual_account_exact', '5000.00']]);
    assert.equal(await desk.statusOf(row), 'funded');
    assert.equal(await available(), '99.00');
  });
});

describe('by hand', () => {
  const match = (url: string, balance: Record<string, unknown>, headers = {}) =>
    desk.call('POST', `${url}/match`, { balance, reason: 'told by phone' }, headers);

  test('a deposit, or the rest of one, goes into a balance, and out again while the balance covers it', async () => {
    await preFunded();
    await setMode({});
    const row = await desk.small();
    const url = await desk.arrived('5100.00', { reference: row.reference });
    assert.equal((await show(url)).excessAmount, '100.00');
    const matched = await match(url, { customerId: cus() });
    assert.equal(matched.status, 200, JSON.stringify(matched.body));
    assert.deepEqual(
      [matched.body.status, matched.body.exception, matched.body.excessAmount],
      ['matched', null, '0.00'],
    );
    assert.equal(await available(), '100.00');
    assert.deepEqual((await match(url, { customerId: cus() })).body.errors[0].code, 'already_matched');
    const undone = await desk.call('POST', `${url}/unmatch`, { balance: true, reason: 'wrong' });
    assert.deepEqual([undone.body.status, undone.body.exception.type], ['partially_matched', 'unmatched']);
    assert.equal(await available(), '0.00');
    assert.equal(await desk.statusOf(row), 'funded');
    assert.equal((await events()).at(-1), 'deposit.unmatched');
  });

  test('what is wrong is told, and the rest may go to another customer', async () => {
    await preFunded();
    const url = await desk.arrived('10.00');
    const other = await createManualDesk(pool);
    const otherId = typeId('cus', other.sandbox.desk.customerId);
    await other.close();
    const codes = async (balance: Record<string, unknown>) => {
      const { body } = await match(url, balance);
      return body.errors?.[0].code ?? body.code;
    };
    assert.equal(await codes({ customerId: 'cus_x' }), 'customer_not_found');
    assert.equal(await codes({ customerId: cus(), amount: '10.01' }), 'out_of_range');
    assert.equal(await codes({ customerId: cus(), amount: '0.001' }), 'wrong_format');
    const both = { allocations: [{ transactionId: 'txn_x' }], balance: { customerId: cus() }, reason: 'x' };
    assert.equal((await desk.call('POST', `${url}/match`, both)).body.errors[0].code, 'required');
    assert.equal((await match(url, { customerId: cus(), amount: '4.00' })).body.status, 'partially_matched');
    assert.equal(await codes({ customerId: cus() }), 'already_matched');
    const shared = await match(url, { customerId: otherId });
    assert.deepEqual(
      [shared.status, shared.body.status, shared.body.customerId],
      [200, 'matched', null],
      JSON.stringify(shared.body),
    );
    const shares = shared.body.allocations.map((each: { customerId: string; allocatedAmount: string }) => [
      each.customerId,
      each.allocatedAmount,
    ]);
    assert.deepEqual(
      new Map(shares),
      new Map([
        [cus(), '4.00'],
        [otherId, '6.00'],
      ]),
    );
    assert.equal(await available(), '4.00');
    // Nobody learns what others have of it.
    const { rows } = await pool.query<{ detail: string }>(
      'select detail from feed_events where customer_id = $1 order by sequence',
      [other.sandbox.desk.customerId],
    );
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.detail).amount),
      ['6.00', '6.00'],
    );
    const undone = await desk.call('POST', `${url}/unmatch`, { balance: true, reason: 'all wrong' });
    assert.deepEqual([undone.body.status, undone.body.customerId], ['unmatched', null]);
    assert.equal(await available(), '0.00');
  });

  test('above the limit it takes two persons', async () => {
    await preFunded();
    const url = await desk.arrived('150000.00');
    const proposed = await match(url, { customerId: cus() });
    assert.deepEqual([proposed.status, proposed.body.kind], [202, 'deposit_top_up']);
    assert.equal(await available(), undefined);
    const approve = `${proposed.headers.location}/approve`;
    assert.equal((await desk.call('POST', approve, undefined, AS_SECOND)).status, 200);
    assert.equal(await available(), '150000.00');
  });
});

describe('money of a balance that the remitter’s bank takes back', () => {
  const back = { returnedBy: 'remitter_bank', reason: 'recalled' };

  test('leaves the balance', async () => {
    const reference = await preFunded();
    const url = await desk.arrived('80.00', { remittanceText: reference });
    const returned = await desk.call('POST', `${url}/return`, back);
    assert.deepEqual([returned.body.status, returned.body.returnedAmount], ['returned', '80.00']);
    assert.equal(await available(), '0.00');
    const report = RECONCILIATION.rows({ database: pool } as never, { from: 0, to: 4e12 } as never);
    let step = await report.next();
    while (step.done !== true) step = await report.next();
    assert.deepEqual(step.value, { balanced: true });
  });

  test('and that is spent is an exception until the balance covers it again', async () => {
    const reference = await preFunded();
    const url = await desk.arrived('6000.00', { remittanceText: reference });
    assert.equal((await desk.small()).status, 'funded');
    const unmatched = await desk.call('POST', `${url}/unmatch`, { reason: 'x' });
    assert.equal(unmatched.body.code, 'invalid_state_transition');
    const reported = await desk.call('POST', `${url}/return`, back);
    assert.deepEqual(
      [reported.body.status, reported.body.exception],
      ['matched', { type: 'returned', reason: 'balance_spent' }],
    );
    assert.equal(await available(), '1000.00');
    await desk.arrived('5000.00', { remittanceText: reference });
    const done = await desk.call('POST', `${url}/return`, back);
    assert.deepEqual([done.body.status, done.body.exception], ['returned', null]);
    assert.equal(await available(), '0.00');
  });
});
