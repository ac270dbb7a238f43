import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { createBalanceHolder } from '../../test/support/balance-holder.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { debit, e2e, reported, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer, peopleOf } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { current, order, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { confirm, settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';

/** A deposit that its remitter's bank takes back when its money has been paid on, and who bears that. */

let pool: Pool;
let server: OperatorServer;
let sandbox: Sandbox;
before(async () => {
  ({ pool, server, sandbox } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const { get, say, done } = peopleOf(() => server);
const NOTICE = { currency: 'USD', message: '054' } as const;
const RECALLED = '<RtrInf><Rsn><Cd>FRAD</Cd></Rsn></RtrInf>';
let told = 0;

async function paidIn(amount: string, text: string): Promise<{ id: string; depositId: string }> {
  const id = `IN-${++told}`;
  const details = [txDtls(text, { refs: e2e(id) })];
  const [{ depositId }] = await reported(
    server,
    [{ amount, currency: 'USD', reference: id, details }],
    NOTICE,
  );
  return { id, depositId };
}
async function recalled(amount: string, id: string): Promise<ShownEntry> {
  const details = [txDtls('RECALL', { refs: e2e(id), after: RECALLED })];
  const back: Partial<CamtEntry> = { currency: 'USD', reference: `OUT-${++told}`, details };
  return (await reported(server, [debit(amount, '', '', back)], NOTICE))[0];
}
const book = (entryId: string, as: object) => done(`statement-entries/${entryId}/book`, as);
/** What can be done about a deposit, by the last parts of the addresses. */
async function verbsOf(depositId: string): Promise<string[]> {
  const { items } = await get(`exceptions?status=open&depositId=${depositId}`);
  if (items.length === 0) return [];
  const { orders } = await get(`exceptions/${items[0].exceptionId}`);
  return orders.map(({ path }: { path: string }) => path.split('/').at(-1));
}
const exceptionOf = async (depositId: string) => (await get(`deposits/${depositId}`)).exception;
async function refusals(depositId: string): Promise<unknown[]> {
  const answers = [
    await say(`deposits/${depositId}/return`, { returnedBy: 'remitter_bank' }),
    await say(`deposits/${depositId}/unmatch`),
  ];
  return answers.map(({ status, body }) => [status, body.code]);
}
const REFUSED = [
  [409, 'invalid_state_transition'],
  [409, 'invalid_state_transition'],
];

/** A balance with money that was recalled after some of it was spent. */
async function spent() {
  const made = await createBalanceHolder(sandbox, server);
  const { id, depositId } = await paidIn('390.00', made.topUpReference);
  await made.withdraw('100.00');
  const { entryId, paymentReason } = await recalled('390.00', id);
  assert.equal(paymentReason, 'payout_begun');
  assert.deepEqual(await exceptionOf(depositId), { type: 'returned', reason: 'balance_spent' });
  return { ...made, id, depositId, entryId: entryId as string };
}

/** What a customer was told of debts. */
async function debtsOf({ desk }: { readonly desk: { readonly customerId: string } }): Promise<string[]> {
  const { rows } = await pool.query<{ type: string; detail: { amount: string; reason?: string } }>(
    `select type, detail::jsonb as detail from feed_events where customer_id = $1 and type like 'balance.debt%' order by sequence`,
    [desk.customerId],
  );
  return rows.map(({ type, detail }) => [type, detail.amount, detail.reason].join(' ').trim());
}

test('what the balance does not cover is booked as a debt, which ends the exception, and is not taken as well', async () => {
  const made = await spent();
  const { id, depositId, entryId, customerId, owed, available, byHand } = made;
  assert.deepEqual(await verbsOf(depositId), ['book', 'resolve', 'assign']);
  const shown = await book(entryId, { as: 'customer_debt', customerId });
  assert.deepEqual([shown.paymentState, shown.returnedDepositId], ['by_hand', depositId]);
  assert.deepEqual([await exceptionOf(depositId), await verbsOf(depositId)], [null, []]);
  const { items: history } = await get(`deposits/${depositId}/history`);
  assert.deepEqual(
    [history[0].action, history[0].detail.as, history[0].reason === null],
    ['recall_borne', 'customer_receivable', false],
  );
  assert.deepEqual([await owed(), await available()], ['390.00', '290.00']);
  assert.equal((await byHand('200.00', `TOP-${id}`)).status, 201);
  assert.deepEqual(await refusals(depositId), REFUSED);
  assert.deepEqual([await owed(), await available()], ['390.00', '490.00']);
  const payment = { currency: 'USD', amount: '390.00' };
  await done(`customers/${customerId}/balances/debt-payments`, payment, { 'idempotency-key': `paid ${id}` });
  assert.deepEqual([await owed(), await available()], ['0.00', '100.00']);
  assert.deepEqual(await debtsOf(made), [
    'balance.debt_booked 390.00 bank_debit',
    'balance.debt_paid 390.00',
  ]);
  const again = await recalled('390.00', id);
  assert.deepEqual([again.paymentState, again.paymentReason], ['mismatch', 'returned_twice']);
  await book(again.entryId, { as: 'house_funds' });
});

test('once the balance covers it, it is taken from there', async () => {
  const { id, depositId, entryId, customerId, byHand, available, owed } = await spent();
  await byHand('110.00', `TOP-${id}`);
  assert.deepEqual(await verbsOf(depositId), ['return', 'unmatch', 'book', 'resolve', 'assign']);
  await done(`deposits/${depositId}/return`, { returnedBy: 'remitter_bank' });
  assert.deepEqual([await available(), await owed()], ['10.00', '0.00']);
  // What the bank told is looked at in a moment: nobody is charged for it meanwhile.
  const early = await say(`statement-entries/${entryId}/book`, { as: 'customer_debt', customerId });
  assert.deepEqual([early.status, early.body.code], [409, 'invalid_state_transition']);
  assert.match(early.body.detail, /recorded as returned/);
  await reported(server, [], NOTICE);
  assert.equal((await get(`statement-entries/${entryId}`)).paymentState, 'known');
  assert.deepEqual([await available(), await owed()], ['10.00', '0.00']);
});

test('the house bears what a trade has paid out, which stays settled', async () => {
  const { desk, row } = await trade(pool);
  const { id, depositId } = await paidIn('100000.00', row.reference);
  await settle(desk, order(row));
  await confirm(desk, order(row), 'PAID');
  const { entryId } = await recalled('100000.00', id);
  const charges = async () => (await balancesOf(pool, HOUSE_ID))['bank_charges USD'] ?? 0n;
  const before = await charges();
  await book(entryId, { as: 'bank_charges' });
  assert.deepEqual([await exceptionOf(depositId), (await charges()) - before], [null, 10_000_000n]);
  assert.equal((await current(desk, row)).status, 'settled');
});

test('a payout that has yet to leave waits until a person is done with the deposit too', async () => {
  const { desk, row } = await trade(pool);
  const { id, depositId } = await paidIn('100000.00', row.reference);
  await settle(desk, order(row));
  const { entryId } = await recalled('100000.00', id);
  const held = { type: 'returned', reason: 'transaction_settling' };
  assert.deepEqual(await exceptionOf(depositId), held);
  await book(entryId, { as: 'customer_debt', customerId: typeId('cus', desk.customerId) });
  assert.deepEqual([await exceptionOf(depositId), await verbsOf(depositId)], [held, ['resolve', 'assign']]);
  assert.deepEqual(await refusals(depositId), REFUSED);
});

test('a recall that no statement lists takes the debt with it, and may come again', async () => {
  const made = await spent();
  const { id, depositId, entryId, customerId, owed, available, byHand } = made;
  await book(entryId, { as: 'customer_debt', customerId });
  const balances = { opening: '0.00', closing: '0.00', number: `${++told}` };
  await reported(server, [], { currency: 'USD', date: '2026-03-04', ...balances });
  await done(`statement-entries/${entryId}/never-booked`);
  assert.equal(await owed(), '0.00');
  assert.deepEqual(await debtsOf(made), [
    'balance.debt_booked 390.00 bank_debit',
    'balance.debt_released 390.00 bank_debit',
  ]);
  await byHand('200.00', `TOP-${id}`);
  const { paymentState } = await recalled('390.00', id);
  assert.deepEqual(
    [paymentState, await available(), await exceptionOf(depositId)],
    ['applied', '100.00', null],
  );
});
