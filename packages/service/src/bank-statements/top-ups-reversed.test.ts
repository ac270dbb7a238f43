import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { txDtls } from '../../../bank-formats/src/test-support.ts';
import { createBalanceHolder } from '../../test/support/balance-holder.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, reported } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer, peopleOf } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { rematchSweep } from '../deposits/rematch-deposits.ts';
import { readCustomerStatement } from '../reports/customer-statement.ts';

/** A balance that a person has topped up by hand with money that never came, or that was another's. */

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const { get, done } = peopleOf(() => server);
let told = 0;
const another = () => `WRONG-${++told}`;
const holder = () => createBalanceHolder(sandbox, server);
const notify = async (amount: string, reference: string, text: string) => {
  const entry = { amount, currency: 'USD', reference, details: [txDtls(text, { refs: e2e(reference) })] };
  const [{ depositId }] = await reported(server, [entry], { currency: 'USD', message: '054' });
  return get(`deposits/${depositId}`);
};

test('a top-up is reversed, its reference is free, and the customer is told', async () => {
  const { byHand, reverse, topUps, available, items, events, customerId } = await holder();
  const reference = another();
  await byHand('1000.00', reference);
  const { status, body } = await reverse(reference, { reason: 'a zero too many' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(
    [body.status, body.amount, body.owedAmount, body.reason, body.depositId],
    ['reversed', '1000.00', '0.00', 'a zero too many', null],
  );
  assert.deepEqual([await available(), await items()], ['0.00', []]);
  assert.equal((await byHand('100.00', reference)).status, 201);
  assert.deepEqual([await available(), await items()], ['100.00', ['top_up_not_told -100.00']]);
  assert.deepEqual(
    (await topUps()).map((each: { status: string; amount: string }) => [each.status, each.amount]),
    [
      ['booked', '100.00'],
      ['reversed', '1000.00'],
    ],
  );
  assert.deepEqual(await events(), ['balance.topped_up', 'balance.top_up_reversed', 'balance.topped_up']);
  const first = await get(`customers/${customerId}/balances/top-ups?limit=1`);
  assert.equal(first.items[0].status, 'booked');
  const next = await get(`customers/${customerId}/balances/top-ups?limit=1&cursor=${first.nextCursor}`);
  assert.deepEqual([next.items[0].status, next.nextCursor], ['reversed', null]);
});

test('what the balance has no more the customer owes, when a person says so', async () => {
  const { desk, byHand, reverse, withdraw, available, owed, items } = await holder();
  const reference = another();
  await byHand('500.00', reference);
  await withdraw('420.00');
  const refused = await reverse(reference);
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.limitType, refused.body.limit, refused.body.required],
    [422, 'limit_exceeded', 'balance', '80.00', '500.00'],
  );
  const { status, body } = await reverse(reference, { owesRest: true });
  assert.deepEqual([status, body.owedAmount], [201, '420.00']);
  assert.deepEqual([await available(), await owed(), await items()], ['0.00', '420.00', []]);
  const books = await balancesOf(pool, desk.customerId);
  assert.equal(books['customer_receivable USD'], 42_000n);
});

test('the customer’s statement names the bank’s reference of both', async () => {
  const { desk, byHand, reverse } = await holder();
  const reference = another();
  await byHand('320.00', reference);
  await reverse(reference);
  const range = { from: 0, to: Date.UTC(2027, 0) };
  const { currencies } = await readCustomerStatement(pool, desk.customerId, range, 'USD', 0);
  const lines = currencies[0]?.lines.map((each) => [each.type, each.credit, each.debit, each.reference]);
  assert.deepEqual(lines, [
    ['balance_topped_up', '320.00', null, reference],
    ['top_up_reversed', null, '320.00', reference],
  ]);
});

test('money that comes after all is a deposit like any other', async () => {
  const { byHand, reverse, topUpReference, available, items } = await holder();
  const [one, other] = [another(), another()];
  for (const reference of [one, other]) {
    await byHand('75.00', reference);
    await reverse(reference);
  }
  const unnamed = await notify('75.00', one, 'NO WORD');
  assert.deepEqual([unnamed.status, unnamed.exception.reason], ['unmatched', 'no_reference']);
  assert.equal((await notify('75.00', other, topUpReference)).status, 'matched');
  assert.deepEqual([await available(), await items()], ['75.00', []]);
});

test('one that a deposit has the place of is undone by the deposit', async () => {
  const { byHand, reverse, available } = await holder();
  const reference = another();
  await byHand('60.00', reference);
  const { depositId } = await notify('60.00', reference, 'NO WORD');
  const { status, body } = await reverse(reference);
  assert.deepEqual([status, body.code, body.depositId], [409, 'invalid_state_transition', depositId]);
  await done(`deposits/${depositId}/unmatch`);
  assert.equal(await available(), '0.00');
});

test('what is none is said', async () => {
  const [one, other] = [await holder(), await holder()];
  const reference = another();
  await one.byHand('10.00', reference);
  const { status, body } = await other.reverse(reference);
  assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 'validation_failed', '/bankReference']);
  assert.equal((await one.reverse(reference)).status, 201);
  assert.equal((await one.reverse(reference)).body.detail, 'The top-up is reversed already.');
});

test('of several at once, and beside the deposit, one takes the money', async () => {
  for (let round = 0; round < 5; round++) {
    const { byHand, reverse, available, topUps, items } = await holder();
    const reference = another();
    await byHand('44.00', reference);
    const [, ...replies] = await Promise.all([
      notify('44.00', reference, 'NO WORD'),
      ...[1, 2, 3].map(() => reverse(reference)),
    ]);
    await rematchSweep(sandbox.desk, silentLogger).run();
    const reversals = replies.filter((reply) => (reply as { status: number }).status === 201).length;
    const [{ status }] = await topUps();
    assert.deepEqual([reversals, await available()], status === 'reversed' ? [1, '0.00'] : [0, '44.00']);
    assert.deepEqual(await items(), []);
  }
});
