import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { e2e, reported, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer, peopleOf } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { current, order, type Story, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { cancelRun } from '../payments/end-run.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { changeOne, confirm, confirmRefund, fail, settle } from '../payments/operate.ts';
import { refundExcess, refundOf } from '../payments/refund-changes.ts';
import { createRun, previewRun } from '../payments/settlement-runs.ts';
import { typeId } from '../platform/ids.ts';

/** A credit that only a notification has told of, and whose money has moved on before the statement of its day did not list it. */

let pool: Pool;
let server: OperatorServer;
before(async () => {
  ({ pool, server } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertReconciled(pool);
  await assertBankAgrees(pool);
});

const BY = '0195f000-0000-7000-8000-00000000000a';
const { get, say, done } = peopleOf(() => server);

let told = 0;
let opening = 0;
const notify = async (amount: string, text: string): Promise<ShownEntry> => {
  const id = `TOLD-${++told}`;
  const entry = { amount, currency: 'USD', reference: id, details: [txDtls(text, { refs: e2e(id) })] };
  const [shown] = await reported(server, [entry], { currency: 'USD', message: '054' });
  return shown;
};
/** The statement of the day lists this, and nothing else of what was told. */
async function close(listed: readonly CamtEntry[] = []): Promise<void> {
  const from = opening;
  for (const { amount } of listed) opening += Number.parseInt(amount, 10);
  const balances = { opening: `${from}.00`, closing: `${opening}.00`, number: `${++told}` };
  await reported(server, listed, { currency: 'USD', date: '2026-03-04', ...balances });
}
const never = (entryId: string) => `statement-entries/${entryId}/never-booked`;
const house = async (account: string) => (await balancesOf(pool, HOUSE_ID))[`${account} USD`] ?? 0n;
const dueOf = async ({ desk, row }: Story, currency: 'EUR' | 'USD') => {
  const { payments, excluded } = await previewRun(desk, { currency, valueDate: '2026-03-10' });
  const left = excluded.find(({ due }) => due.customer_id === row.customer_id);
  return (
    left?.reason ?? payments.find((each) => each.customerId === row.customer_id)?.amountMinor ?? 'nothing'
  );
};

/** A trade that was paid by what was told. */
async function paid() {
  const story = await trade(pool);
  const { entryId, depositId } = await notify('100000.00', story.row.reference);
  assert.equal((await current(story.desk, story.row)).status, 'funded');
  return { ...story, entryId, depositId };
}

async function assertMovedOn(entryId: string, status: string): Promise<void> {
  const refused = await say(never(entryId));
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
  assert.match(refused.body.detail, /Say in `as` who bears the loss\./);
  assert.deepEqual(
    refused.body.transactions.map((each: { status: string }) => each.status),
    [status],
  );
}

test('the house bears the loss of a payout that has begun: it goes on', async () => {
  const story = await paid();
  const { desk, row, entryId, depositId } = story;
  await settle(desk, order(row));
  await close();
  assert.equal(await dueOf(story, 'EUR'), 'not_in_statement');
  const { exceptionId } = await get(`statement-entries/${entryId}`);
  await assertMovedOn(entryId, 'settling');
  const charges = await house('bank_charges');
  await done(never(entryId), { as: 'bank_charges' });
  assert.equal((await house('bank_charges')) - charges, 10_000_000n);
  assert.equal(await dueOf(story, 'EUR'), BigInt(row.buy_minor));
  assert.equal((await get(`exceptions/${exceptionId}`)).status, 'resolved');
  const deposit = await get(`deposits/${depositId}`);
  assert.deepEqual([deposit.status, deposit.bookedAs, deposit.exception], ['matched', 'never_booked', null]);
  const run = await createRun(desk, { currency: 'EUR', valueDate: '2026-03-06' }, BY);
  await cancelRun(desk, { runId: run.id, ifMatch: undefined, by: BY, reason: undefined });
  // Should the bank have it after all, it is money that somebody has to place.
  const late = { amount: '100000.00', currency: 'USD', reference: 'LATE', details: [txDtls(row.reference)] };
  await close([late]);
});

test('a customer whose payout has left owes what has never come', async () => {
  const { desk, row, entryId } = await paid();
  await settle(desk, order(row));
  await confirm(desk, order(row), 'PAID');
  await close();
  await assertMovedOn(entryId, 'settled');
  const customerId = typeId('cus', desk.customerId);
  const other = await say(never(entryId), { as: 'customer_debt', customerId: typeId('cus', HOUSE_ID) });
  assert.deepEqual([other.status, other.body.detail], [409, 'The customer has no part of the deposit.']);
  assert.equal((await say(never(entryId), { as: 'customer_debt' })).body.code, 'validation_failed');
  await done(never(entryId), { as: 'customer_debt', customerId });
  assert.equal((await balancesOf(pool, desk.customerId))['customer_receivable USD'], 10_000_000n);
});

test('a refund is less what has never come', async () => {
  const story = await trade(pool);
  const { desk, row } = story;
  const { entryId } = await notify('40000.00', row.reference);
  const real = await notify('60000.00', row.reference);
  await settle(desk, order(row));
  await fail(desk, order(row), undefined, undefined);
  await endTransaction(desk, order(row));
  const listed = { amount: '60000.00', currency: 'USD', reference: real.bankReference };
  await close([{ ...listed, details: [txDtls(row.reference, { refs: e2e(real.endToEndId) })] }]);
  assert.equal(await dueOf(story, 'USD'), 'not_in_statement');
  await done(never(entryId));
  assert.equal(await dueOf(story, 'USD'), 6_000_000n);
  const { received_minor: received, refund } = await current(desk, row);
  assert.deepEqual([received, JSON.parse(refund ?? '').amount], ['6000000', '60000.00']);
});

test('there is no refund of what has never come, but while a run pays it', async () => {
  const story = await paid();
  const { desk, row, entryId, depositId } = story;
  await settle(desk, order(row));
  await fail(desk, order(row), undefined, undefined);
  await endTransaction(desk, order(row));
  const run = await createRun(desk, { currency: 'USD', valueDate: '2026-03-06' }, BY);
  await close();
  await assertMovedOn(entryId, 'cancelled');
  await cancelRun(desk, { runId: run.id, ifMatch: undefined, by: BY, reason: undefined });
  assert.equal(await dueOf(story, 'USD'), 'not_in_statement');
  await done(never(entryId));
  assert.equal(await dueOf(story, 'USD'), 'nothing');
  assert.equal(refundOf(await current(desk, row)), undefined);
  assert.deepEqual(await balancesOf(pool, desk.customerId), {});
  const deposit = await get(`deposits/${depositId}`);
  assert.deepEqual([deposit.status, deposit.bookedAs], ['returned', 'never_booked']);
});

test('of a cancelled trade it has left where a refund of what was paid too much had some of it', async () => {
  const { desk, row } = await trade(pool);
  const { entryId, depositId } = await notify('101000.00', row.reference);
  await changeOne(desk, order(row), refundExcess);
  await confirmRefund(desk, order(row), 'GONE-1');
  await settle(desk, order(row));
  await fail(desk, order(row), undefined, undefined);
  await endTransaction(desk, order(row));
  await close();
  await assertMovedOn(entryId, 'cancelled');
  const charges = await house('bank_charges');
  await done(never(entryId), { as: 'bank_charges' });
  assert.equal((await house('bank_charges')) - charges, 10_100_000n);
  assert.equal(await dueOf({ desk, row }, 'USD'), 10_000_000n);
  const deposit = await get(`deposits/${depositId}`);
  assert.deepEqual([deposit.status, deposit.bookedAs], ['matched', 'never_booked']);
});

test('a balance that was spent is paid from when somebody bears the loss, and nobody takes that out again', async () => {
  const { desk, row } = await trade(pool);
  const customerId = typeId('cus', desk.customerId);
  const { entryId, depositId } = await notify('900.00', 'TOP UP');
  await done(`deposits/${depositId}/match`, { balance: { customerId } });
  const withdrawal = { currency: 'USD', amount: '700.00' };
  await done(`customers/${customerId}/balances/withdrawals`, withdrawal, { 'idempotency-key': 'SPENT' });
  await close();
  assert.equal(await dueOf({ desk, row }, 'USD'), 'not_in_statement');
  assert.equal((await say(never(entryId))).status, 409);
  await done(never(entryId), { as: 'house_funds' });
  assert.equal(await dueOf({ desk, row }, 'USD'), 70_000n);
  const path = `/v1/operator/customers/${customerId}/balances/top-ups`;
  const more = { currency: 'USD', amount: '900.00', bankReference: 'MORE' };
  assert.ok((await server.call('POST', path, more)).status < 202);
  const refused = await say(`deposits/${depositId}/unmatch`, { balance: true });
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
});

test('there is no loss of what can be taken back, nor of what is no deposit', async () => {
  const { desk, row, entryId } = await paid();
  await close();
  const refused = await say(never(entryId), { as: 'bank_charges' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
  await done(never(entryId));
  assert.equal((await current(desk, row)).status, 'awaiting_funds');
});

test('nobody has lost what the bank is only said to have taken back again', async () => {
  const { entryId, depositId } = await notify('1350.00', 'NOBODY');
  await done(`deposits/${depositId}/return`, { returnedBy: 'remitter_bank' });
  await close();
  const refused = await say(never(entryId), { as: 'bank_charges' });
  assert.deepEqual([refused.status, /leave out `as`/.test(refused.body.detail)], [409, true]);
  await done(never(entryId));
  const { status, bookedAs, returnedAmount } = await get(`deposits/${depositId}`);
  assert.deepEqual([status, bookedAs, returnedAmount], ['returned', 'never_booked', '1350.00']);
  const { items } = await get('ledger/bank-reconciliation/items?currency=USD');
  assert.deepEqual(
    items.filter((each: { depositId: string | null }) => each.depositId === depositId),
    [],
  );
});

test('and of the rest what the house had sent back', async () => {
  const { entryId, depositId } = await notify('500.00', 'NOBODY');
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  await done(`deposits/${depositId}/return`, { returnedBy: 'house', amount: '200.00', account });
  const [{ returnId }] = (await get(`deposits/${depositId}`)).returns;
  await done(`deposits/${depositId}/returns/${returnId}/paid`, { bankReference: 'SENT' });
  await done(`deposits/${depositId}/return`, { returnedBy: 'remitter_bank' });
  await close();
  assert.equal((await say(never(entryId))).status, 409);
  const charges = await house('bank_charges');
  await done(never(entryId), { as: 'bank_charges' });
  assert.equal((await house('bank_charges')) - charges, 20_000n);
});

test('of what was paid too much only what has left is lost', async () => {
  const { desk, row } = await trade(pool);
  const { entryId, depositId } = await notify('101000.00', row.reference);
  await settle(desk, order(row));
  await close();
  const charges = await house('bank_charges');
  await done(never(entryId), { as: 'bank_charges' });
  assert.equal((await house('bank_charges')) - charges, 10_000_000n);
  assert.equal((await current(desk, row)).excess_minor, '0');
  assert.equal((await get(`deposits/${depositId}`)).returnedAmount, '1000.00');
});

test('what was paid too much to a trade that is not paid out, and has gone back, is somebody’s loss', async () => {
  const { desk, row } = await trade(pool);
  const { entryId } = await notify('101000.00', row.reference);
  await changeOne(desk, order(row), refundExcess);
  await close();
  await assertMovedOn(entryId, 'funded');
  await done(never(entryId), { as: 'bank_charges' });
  assert.equal((await current(desk, row)).status, 'funded');
});

test('what an operator had recorded and the bank has never had is other money when the bank has it after all', async () => {
  const recorded = { bankReference: 'BY-PHONE', amount: '77.00', currency: 'USD', remitterName: 'Payer Ltd' };
  const created = await server.call('POST', '/v1/operator/deposits', recorded);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { depositId } = created.body;
  const entry = { amount: '77.00', currency: 'USD', reference: 'BY-PHONE', details: [txDtls('TOLD')] };
  const [first] = await reported(server, [entry], { currency: 'USD', message: '054' });
  assert.equal(first.depositId, depositId, 'the same money');
  await close();
  await done(never(first.entryId));
  await close([entry]);
  const { items } = await get('deposits?amount=77.00&currency=USD');
  assert.deepEqual(
    items.map((each: { status: string }) => each.status),
    ['unmatched', 'returned'],
  );
});
