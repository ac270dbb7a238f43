import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { debit, e2e, reported, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { approved, createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import { assertReconciled } from '../../test/support/reconciled.ts';
import { current, trade } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { typeId } from '../platform/ids.ts';

/** A debit that only a notification has told of, and what it has moved: the statements of its day do not list it. */

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

const get = async (path: string) => (await server.call('GET', `/v1/operator/${path}`)).body;
const say = (path: string, body: object = {}) =>
  server.call('POST', `/v1/operator/${path}`, { reason: 'the bank says so', ...body });
/** By a second person too, where it takes one. */
async function done(path: string, body: object = {}) {
  const reply = await approved(server, await say(path, body));
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

let payments = 0;
const credit = (reference: string, text: string): CamtEntry => ({
  ...{ amount: '100000.00', currency: 'USD', reference: `IN-${reference}` },
  details: [txDtls(text, { refs: e2e(reference) })],
});
const recall = (reference: string): CamtEntry =>
  debit('100000.00', '', '', {
    ...{ currency: 'USD', reference: `OUT-${reference}` },
    details: [txDtls('RECALL', { refs: e2e(reference), after: '<RtrInf><Rsn><Cd>FOCR</Cd></Rsn></RtrInf>' })],
  });
const notify = async (entry: CamtEntry): Promise<ShownEntry> => {
  const [shown] = await reported(server, [entry], { currency: 'USD', message: '054' });
  return shown;
};

let opening = 0;
/** The statement of the day, which lists this and nothing else. */
async function close(listed: readonly CamtEntry[]): Promise<ShownEntry[]> {
  const from = opening;
  for (const { amount } of listed) opening += Number.parseInt(amount, 10);
  const balances = { opening: `${from}.00`, closing: `${opening}.00`, number: `${++payments}` };
  return reported(server, listed, { currency: 'USD', date: '2026-03-04', ...balances });
}

/** A paid trade, and a recall of that which the day's statement does not have. */
async function recalled(how: 'at once' | 'after a word by phone') {
  const reference = `PAID-${++payments}`;
  const { desk, row } = await trade(pool);
  const { depositId } = await notify(credit(reference, row.reference));
  if (how !== 'at once') await done(`deposits/${depositId}/return`, { returnedBy: 'remitter_bank' });
  const { entryId, paymentState } = await notify(recall(reference));
  assert.equal(paymentState, how === 'at once' ? 'applied' : 'known');
  assert.equal((await current(desk, row)).status, 'awaiting_funds');
  await close([credit(reference, row.reference)]);
  const { missingSince, exceptionId } = await get(`statement-entries/${entryId}`);
  assert.ok(missingSince);
  return { desk, row, depositId, entryId, exceptionId, reference };
}

for (const how of ['at once', 'after a word by phone'] as const) {
  test(`a deposit comes back that was taken back ${how} by what the bank has never booked`, async () => {
    const { desk, row, depositId, entryId, exceptionId, reference } = await recalled(how);
    const { orders } = await get(`exceptions/${exceptionId}`);
    const paths = orders.map(({ path }: { path: string }) => path);
    assert.ok(paths.includes(`/v1/operator/statement-entries/${entryId}/never-booked`), paths.join(' '));
    await done(`statement-entries/${entryId}/never-booked`);
    // By the rules, as if it had just come.
    assert.equal((await current(desk, row)).status, 'funded');
    const deposit = await get(`deposits/${depositId}`);
    assert.deepEqual([deposit.status, deposit.returnedAmount, deposit.exception], ['matched', '0.00', null]);
    assert.equal((await balancesOf(pool, desk.customerId))['bank USD'], 10_000_000n);
    assert.equal((await get(`exceptions/${exceptionId}`)).status, 'resolved');
    const entry = await get(`statement-entries/${entryId}`);
    assert.deepEqual(
      [entry.bookedAs, entry.returnedDepositId, entry.missingSince],
      ['never_booked', null, null],
    );
    assert.equal((await say(`statement-entries/${entryId}/never-booked`)).status, 409, 'it is said once');
    // And when the bank takes it back after all, it is gone.
    const again = await notify({ ...recall(reference), reference: `AGAIN-${reference}` });
    assert.deepEqual([again.paymentState, again.returnedDepositId], ['applied', depositId]);
    assert.equal((await current(desk, row)).status, 'awaiting_funds');
  });
}

test('a deposit whose return the bank has never booked waits for a person when its trade was paid anew', async () => {
  const { desk, row, depositId, entryId } = await recalled('at once');
  const again = await notify(credit(`ANEW-${payments}`, row.reference));
  assert.equal((await current(desk, row)).status, 'funded');
  await done(`statement-entries/${entryId}/never-booked`);
  const deposit = await get(`deposits/${depositId}`);
  assert.deepEqual(
    [deposit.status, deposit.exception],
    ['unmatched', { type: 'unmatched', reason: 'return_never_booked' }],
  );
  assert.deepEqual((await current(desk, row)).received_minor, '10000000', 'nothing is paid twice');
  await done(`deposits/${depositId}/return`, { returnedBy: 'house', paidOutside: true });
  assert.equal((await get(`deposits/${again.depositId}`)).status, 'matched');
});

test('a payment of the house does not come back, though a person has matched it', async () => {
  const { depositId } = await notify(credit('SENT-BACK', 'NOBODY KNOWS'));
  const account = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };
  await done(`deposits/${depositId}/return`, { returnedBy: 'house', account });
  const { entryId } = await notify(debit('100000.00', '', 'OUT', { currency: 'USD', reference: 'SENT' }));
  await done(`statement-entries/${entryId}/match`, { depositId });
  await close([credit('SENT-BACK', 'NOBODY KNOWS')]);
  assert.ok((await get(`statement-entries/${entryId}`)).missingSince);
  assert.equal((await say(`statement-entries/${entryId}/never-booked`)).status, 409);
});

test('what the house has booked of a debit that the bank has never booked is undone', async () => {
  const { entryId } = await notify(debit('12.00', '', 'FEE', { currency: 'USD', reference: 'FEE' }));
  const charges = async () => (await balancesOf(pool, HOUSE_ID))['bank_charges USD'] ?? 0n;
  const none = await charges();
  await done(`statement-entries/${entryId}/book`, { as: 'bank_charges' });
  assert.equal((await charges()) - none, 1_200n);
  await close([]);
  const { exceptionId } = await get(`statement-entries/${entryId}`);
  const { orders } = await get(`exceptions/${exceptionId}`);
  assert.ok(orders.some(({ order }: { order: string }) => order === 'never_booked'));
  await done(`statement-entries/${entryId}/never-booked`);
  assert.equal(await charges(), none);
});

test('what the house has booked of a deposit that the bank has never booked is undone', async () => {
  const { depositId, entryId } = await notify({ ...credit('INTEREST', 'INTEREST'), amount: '13.00' });
  const interest = async () => (await balancesOf(pool, HOUSE_ID))['interest USD'] ?? 0n;
  const none = await interest();
  await done(`deposits/${depositId}/book`, { as: 'interest' });
  assert.equal((await interest()) - none, -1_300n);
  await close([]);
  await done(`statement-entries/${entryId}/never-booked`);
  assert.equal(await interest(), none);
  assert.equal((await get(`deposits/${depositId}`)).bookedAs, 'never_booked');
});

test('what a customer was said to owe because of a debit that the bank has never booked is not owed', async () => {
  const { desk } = await trade(pool);
  const { entryId } = await notify(debit('14.00', '', 'OWED', { currency: 'USD', reference: 'OWED' }));
  const owed = async () => (await balancesOf(pool, desk.customerId))['customer_receivable USD'] ?? 0n;
  const before = await owed();
  await done(`statement-entries/${entryId}/book`, {
    as: 'customer_debt',
    customerId: typeId('cus', desk.customerId),
  });
  assert.equal((await owed()) - before, 1_400n);
  await close([]);
  const { exceptionId } = await get(`statement-entries/${entryId}`);
  const { orders } = await get(`exceptions/${exceptionId}`);
  assert.ok(orders.some(({ order }: { order: string }) => order === 'never_booked'));
  await done(`statement-entries/${entryId}/never-booked`);
  assert.equal(await owed(), before);
});

for (const owner of ['bank_charges', 'customer_debt'] as const) {
  test(`nobody has lost what neither came nor was taken back: ${owner}`, async () => {
    const reference = `NEITHER-${++payments}`;
    const { desk, row } = await trade(pool);
    const { entryId: came, depositId } = await notify(credit(reference, row.reference));
    const { entryId: went } = await notify(recall(reference));
    await close([]);
    const customerId = typeId('cus', desk.customerId);
    const lost = async () => [
      (await balancesOf(pool, HOUSE_ID))['bank_charges USD'] ?? 0n,
      (await balancesOf(pool, desk.customerId))['customer_receivable USD'],
    ];
    const before = await lost();
    await done(`statement-entries/${came}/never-booked`, {
      as: owner,
      ...(owner === 'customer_debt' && { customerId }),
    });
    assert.notDeepEqual(await lost(), before);
    await done(`statement-entries/${went}/never-booked`);
    assert.deepEqual(await lost(), before);
    const deposit = await get(`deposits/${depositId}`);
    assert.deepEqual(
      [deposit.status, deposit.bookedAs, deposit.exception],
      ['returned', 'never_booked', null],
    );
    const { items } = await get('ledger/bank-reconciliation/items?currency=USD&kind=entry_not_in_statement');
    const ids = items.map((each: { entryId: string }) => each.entryId);
    assert.deepEqual([ids.includes(came), ids.includes(went)], [false, false]);
    // Should it come after all, it is there once.
    await close([credit(reference, row.reference)]);
    assert.equal((await current(desk, row)).status, 'funded');
    assert.deepEqual(await lost(), [before[0], undefined]);
  });
}
