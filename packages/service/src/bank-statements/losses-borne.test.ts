import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { debit, e2e, reported, returned, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer, peopleOf } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { order, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { failedReturnsSweep } from '../deposits/operate-return.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { settle } from '../payments/operate.ts';
import { typeId } from '../platform/ids.ts';

/** What comes after somebody bears the loss of money that never came. */

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

let told = 0;
let balance = 0;
const notify = async (amount: string, text: string, more: Partial<CamtEntry> = {}): Promise<ShownEntry> => {
  const id = `TOLD-${++told}`;
  const entry = {
    amount,
    currency: 'USD',
    reference: id,
    details: [txDtls(text, { refs: e2e(id) })],
    ...more,
  };
  const [shown] = await reported(server, [entry], { currency: 'USD', message: '054' });
  return shown;
};
/** The statement of the day lists this, and nothing else of what was told. */
async function close(listed: readonly CamtEntry[] = []): Promise<ShownEntry[]> {
  const from = balance;
  for (const { amount, direction } of listed)
    balance += Number.parseInt(amount, 10) * (direction === 'DBIT' ? -1 : 1);
  const balances = { opening: `${from}.00`, closing: `${balance}.00`, number: `${++told}` };
  return reported(server, listed, { currency: 'USD', date: '2026-03-04', ...balances });
}
const openItemOf = async (id: string): Promise<string> => {
  const { items } = await get('ledger/bank-reconciliation/items?currency=USD');
  const [found] = items.filter((each: { depositId: string | null }) => each.depositId === id);
  return found === undefined ? 'none' : `${found.kind} ${found.amount}`;
};

/** A deposit of which a part has gone back to its remitter before the statement of its day did not list it. */
async function lostInPart(loss: object): Promise<{ depositId: string; returnPath: string }> {
  const { entryId, depositId } = await notify('500.00', 'NOBODY');
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  await done(`deposits/${depositId}/return`, { returnedBy: 'house', amount: '200.00', account });
  const [{ returnId }] = (await get(`deposits/${depositId}`)).returns;
  const returnPath = `deposits/${depositId}/returns/${returnId}`;
  await done(`${returnPath}/paid`, { bankReference: 'SENT' });
  await close();
  await done(`statement-entries/${entryId}/never-booked`, loss);
  return { depositId, returnPath };
}

test('what was sent back and comes back lessens the loss of the house', async () => {
  const charges = async () => (await balancesOf(pool, HOUSE_ID))['bank_charges USD'] ?? 0n;
  const before = await charges();
  const { depositId, returnPath } = await lostInPart({ as: 'bank_charges' });
  assert.equal((await charges()) - before, 20_000n);
  await done(`${returnPath}/failed`);
  assert.equal(await charges(), before);
  const { status, bookedAs, exception, returnedAmount } = await get(`deposits/${depositId}`);
  assert.deepEqual(
    [status, bookedAs, exception, returnedAmount],
    ['returned', 'never_booked', null, '500.00'],
  );
  // It has neither come nor gone.
  assert.equal(await openItemOf(depositId), 'none');
});

test('and is lost again when the bank has never booked that it came back', async () => {
  const charges = async () => (await balancesOf(pool, HOUSE_ID))['bank_charges USD'] ?? 0n;
  const before = await charges();
  const { depositId } = await lostInPart({ as: 'bank_charges' });
  const [{ reference }] = (await get(`deposits/${depositId}`)).returns;
  const back = returned('200.00', e2e(reference), 'AC04', { currency: 'USD' });
  const [{ entryId }] = await reported(server, [back], { currency: 'USD', message: '054' });
  await failedReturnsSweep(sandbox.desk, silentLogger).run();
  assert.equal(await charges(), before);
  await close();
  await done(`statement-entries/${entryId}/never-booked`);
  assert.equal((await charges()) - before, 20_000n);
  const { status, bookedAs, exception, returns } = await get(`deposits/${depositId}`);
  assert.deepEqual(
    [status, bookedAs, exception, returns[0].status],
    ['returned', 'never_booked', null, 'paid'],
  );
});

test('and the debt of a customer', async () => {
  const { desk, row } = await trade(pool);
  const customerId = typeId('cus', desk.customerId);
  const { entryId, depositId } = await notify('500.00', 'NOBODY');
  await done(`deposits/${depositId}/match`, {
    allocations: [{ transactionId: typeId('txn', row.id), amount: '300.00' }],
  });
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  await done(`deposits/${depositId}/return`, { returnedBy: 'house', account });
  const [{ returnId }] = (await get(`deposits/${depositId}`)).returns;
  await done(`deposits/${depositId}/returns/${returnId}/paid`, { bankReference: 'SENT' });
  await close();
  const owed = async () => (await balancesOf(pool, desk.customerId))['customer_receivable USD'] ?? 0n;
  const before = await owed();
  await done(`statement-entries/${entryId}/never-booked`, { as: 'customer_debt', customerId });
  assert.equal((await owed()) - before, 50_000n, 'the part of the trade is not paid, and 200.00 were lost');
  await done(`deposits/${depositId}/returns/${returnId}/failed`);
  assert.equal((await owed()) - before, 30_000n);
  assert.equal(await openItemOf(depositId), 'none');
});

test('a bank cannot take it back, nor the house send it', async () => {
  const { desk } = await trade(pool);
  const customerId = typeId('cus', desk.customerId);
  const { entryId, depositId } = await notify('900.00', 'TOP UP');
  await done(`deposits/${depositId}/match`, { balance: { customerId } });
  const withdrawal = { currency: 'USD', amount: '700.00' };
  await done(`customers/${customerId}/balances/withdrawals`, withdrawal, { 'idempotency-key': 'SPENT' });
  await close();
  await done(`statement-entries/${entryId}/never-booked`, { as: 'house_funds' });
  const more = { currency: 'USD', amount: '900.00', bankReference: 'MORE' };
  const toppedUp = await server.call('POST', `/v1/operator/customers/${customerId}/balances/top-ups`, more);
  assert.ok(toppedUp.status < 202);
  const refused = await say(`deposits/${depositId}/return`, { returnedBy: 'remitter_bank' });
  assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
  assert.equal((await balancesOf(pool, desk.customerId))['customer_balance USD'], -110_000n);
});

test('what the bank takes back is what has come, and not what never came under the same reference', async () => {
  const { desk, row } = await trade(pool);
  const reused = { amount: '100000.00', reference: 'REUSED', details: [txDtls(row.reference)] };
  const { entryId, depositId } = await notify('100000.00', row.reference, reused);
  await settle(desk, order(row));
  await close();
  await done(`statement-entries/${entryId}/never-booked`, { as: 'bank_charges' });
  const other = await trade(pool);
  const [late] = await close([{ ...reused, details: [txDtls(other.row.reference)] }]);
  const after = '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>';
  const recall = { currency: 'USD', reference: 'OUT', details: [txDtls('REUSED', { after })] };
  const [taken] = await close([debit('100000.00', '', '', recall)]);
  assert.deepEqual([taken.paymentState, taken.returnedDepositId], ['applied', late.depositId]);
  for (const id of [depositId, late.depositId]) assert.equal((await get(`deposits/${id}`)).exception, null);
});
