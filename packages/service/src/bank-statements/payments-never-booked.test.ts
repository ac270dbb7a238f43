import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CamtEntry } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import {
  debit,
  e2e,
  euros,
  type Instructed,
  instructedOne,
  ordered,
  reported,
  returned,
  type ShownEntry,
  statusOf,
} from '../../test/support/bank-story.ts';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer, peopleOf } from '../../test/support/operator-server.ts';
import { type Sandbox, silentLogger } from '../../test/support/sandbox.ts';
import { order } from '../../test/support/stories.ts';
import type { Pool } from '../database/pool.ts';
import { failedReturnsSweep } from '../deposits/operate-return.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { endTransaction } from '../payments/end-transaction.ts';
import { confirm, fail, retry } from '../payments/operate.ts';
import { createRun, previewRun } from '../payments/settlement-runs.ts';
import { typeId } from '../platform/ids.ts';

/** A payment of the house that only a notification has told of: the statements of its day do not list it. */

let pool: Pool;
let server: OperatorServer;
let sandbox: Sandbox;
before(async () => {
  ({ pool, server, sandbox } = await createOperatedSandbox());
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  await assertBankAgrees(pool);
});

const { get, say, done } = peopleOf(() => server);

let number = 0;
let balance = 0n;
const notify = async (entry: CamtEntry): Promise<ShownEntry> => {
  const [shown] = await reported(server, [entry], { message: '054' });
  return shown;
};
/** The statement of the day lists this, and nothing else of what was told. */
async function close(listed: readonly CamtEntry[] = []): Promise<ShownEntry[]> {
  const from = balance;
  for (const { amount, direction } of listed)
    balance += BigInt(amount.replace('.', '')) * (direction === 'DBIT' ? -1n : 1n);
  const balances = { opening: euros(from), closing: euros(balance), number: `${++number}` };
  return reported(server, listed, { date: '2026-03-04', ...balances });
}
const never = (entryId: string) => `statement-entries/${entryId}/never-booked`;
const assertRefused = async (entryId: string) => {
  const { status, body } = await say(never(entryId));
  assert.deepEqual([status, body.code], [409, 'invalid_state_transition'], JSON.stringify(body));
  assert.match(body.detail, /still stands as it reported it/);
};
const paidBy = ({ amount, endToEndId }: Pick<Instructed, 'amount' | 'endToEndId'>) =>
  debit(amount, e2e(endToEndId));
/** What is open between bank and ledger that has to do with euros paid. */
const itemsOf = async (kinds: string) =>
  (await get(`ledger/bank-reconciliation/items?currency=EUR&kind=${kinds}&limit=100`)).items.length;
const PAYMENTS = 'payment_not_told,payment_return_not_told,entry_not_in_statement';

async function assertOver(entryId: string, exceptionId: string): Promise<void> {
  const { bookedAs, missingSince } = await get(`statement-entries/${entryId}`);
  assert.deepEqual([bookedAs, missingSince], ['never_booked', null]);
  assert.equal((await get(`exceptions/${exceptionId}`)).status, 'resolved');
}

test('a payout that the bank never made is forgotten once it is reported as failed', async () => {
  const made = await instructedOne(pool);
  const { entryId, paymentState } = await notify(paidBy(made));
  assert.equal(paymentState, 'applied');
  await close();
  const { exceptionId } = await get(`statement-entries/${entryId}`);
  await assertRefused(entryId);
  await fail(made.desk, order(made.row), undefined, undefined);
  await retry(made.desk, order(made.row));
  await confirm(made.desk, order(made.row), 'BY-HAND');
  const before = await itemsOf(PAYMENTS);
  await done(never(entryId));
  await assertOver(entryId, exceptionId);
  // The second attempt is paid, and the bank has yet to say so.
  assert.equal(before - (await itemsOf(PAYMENTS)), 0);
  const [told] = await close([debit(made.amount, e2e(`${made.endToEndId}-2`))]);
  assert.equal(told.paymentState, 'known');
  assert.equal(await itemsOf(PAYMENTS), 0);
  // Should the bank have made the first one after all, it has paid twice.
  const [late] = await close([paidBy(made)]);
  assert.equal(late.paymentState, 'mismatch');
  assert.notEqual(late.exceptionId, null);
  await done(`statement-entries/${late.entryId}/book`, { as: 'house_funds' });
});

test('a payout that never came back is forgotten once it is paid again, without a file', async () => {
  const made = await instructedOne(pool);
  await close([paidBy(made)]);
  const { entryId } = await notify(returned(made.amount, e2e(made.endToEndId)));
  assert.equal(await statusOf(made), 'settlement_failed');
  await close();
  const { exceptionId } = await get(`statement-entries/${entryId}`);
  await assertRefused(entryId);
  await retry(made.desk, order(made.row));
  await assertRefused(entryId);
  await confirm(made.desk, order(made.row), 'IT-HAS-ARRIVED');
  await done(never(entryId));
  await assertOver(entryId, exceptionId);
  assert.equal(await itemsOf(PAYMENTS), 0);
});

test('but not while the bank has paid it a second time: somebody has lost that', async () => {
  const made = await instructedOne(pool);
  await close([paidBy(made)]);
  const { entryId } = await notify(returned(made.amount, e2e(made.endToEndId)));
  await close();
  await retry(made.desk, order(made.row));
  await close([debit(made.amount, e2e(`${made.endToEndId}-2`))]);
  assert.equal(await statusOf(made), 'settled');
  await assertRefused(entryId);
});

test('nor while a run has told the bank to, and a person has confirmed it before a statement does', async () => {
  const made = await instructedOne(pool);
  await close([paidBy(made)]);
  const back = returned(made.amount, e2e(made.endToEndId));
  const { entryId } = await notify(back);
  await retry(made.desk, order(made.row));
  const run = await createRun(made.desk, { currency: 'EUR', valueDate: '2026-03-06' }, made.desk.clientId);
  const sent = await server.call('POST', `/v1/operator/settlement-runs/${typeId('run', run.id)}/mark-sent`);
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  await confirm(made.desk, order(made.row), 'BY-HAND');
  await close();
  await assertRefused(entryId);
  await close([back, debit(made.amount, e2e(`${made.endToEndId}-2`))]);
});

test('what differed from the payment that a person had matched it to was no charge', async () => {
  const made = await instructedOne(pool);
  const amount = euros(BigInt(made.row.buy_minor) + 500n);
  const { entryId } = await notify(debit(amount, '', 'NO WORD'));
  await done(`statement-entries/${entryId}/match`, { transactionId: typeId('txn', made.row.id) });
  const charges = async () => (await balancesOf(pool, HOUSE_ID))['bank_charges EUR'] ?? 0n;
  const before = await charges();
  await close();
  await assertRefused(entryId);
  await fail(made.desk, order(made.row), undefined, undefined);
  await done(never(entryId));
  assert.equal(before - (await charges()), 500n);
});

test('so is what goes back of a deposit, a refund and a withdrawal', async () => {
  const made = await ordered(pool, ['deposit_return', 'refund', 'withdrawal']);
  const [first] = made;
  assert.ok(first);
  const sent = await server.call(
    'POST',
    `/v1/operator/settlement-runs/${typeId('run', first.runId)}/mark-sent`,
  );
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  for (const each of made) {
    const { entryId } = await notify(paidBy(each));
    await close();
    const { exceptionId } = await get(`statement-entries/${entryId}`);
    await assertRefused(entryId);
    if (each.purpose === 'deposit_return') {
      const { rows } = await pool.query('select deposit_id from deposit_returns where id = $1', [
        each.subjectId,
      ]);
      const deposit = `deposits/${typeId('dep', rows[0].deposit_id)}`;
      await done(`${deposit}/returns/${typeId('dpr', each.subjectId)}/failed`);
    } else if (each.purpose === 'refund') {
      await server.call(
        'POST',
        `/v1/operator/transactions/${typeId('txn', each.subjectId)}/refund-failed`,
        {},
      );
    } else await server.call('POST', `/v1/operator/withdrawals/${typeId('wdr', each.subjectId)}/failed`, {});
    await done(never(entryId));
    await assertOver(entryId, exceptionId);
    assert.equal(await itemsOf('entry_not_in_statement'), 1, 'of what was paid twice');
  }
});

async function cancelPending({ desk }: Pick<Instructed, 'desk'>): Promise<void> {
  const { items } = await get(`withdrawals?customerId=${typeId('cus', desk.customerId)}`);
  const { withdrawalId } = items.find((each: { status: string }) => each.status === 'pending');
  await server.call('POST', `/v1/operator/withdrawals/${withdrawalId}/cancel`, {});
}

describe('what came back by an entry that no statement lists is not paid out once more', () => {
  /** Why the customer's euros are left out of a run, or how many a run would pay. */
  const dueOf = async ({ desk }: Pick<Instructed, 'desk'>, customerId = desk.customerId) => {
    const { payments, excluded } = await previewRun(desk, { currency: 'EUR', valueDate: '2026-03-10' });
    const left = excluded.find(({ due }) => due.customer_id === customerId);
    return left?.reason ?? payments.find((each) => each.customerId === customerId)?.amountMinor ?? 'nothing';
  };
  /** Paid, as a statement says, and sent back, as only a notification says. */
  async function cameBack(made: Pick<Instructed, 'amount' | 'endToEndId'>): Promise<CamtEntry> {
    await close([paidBy(made)]);
    const back = returned(made.amount, e2e(made.endToEndId));
    assert.equal((await notify(back)).paymentState, 'applied');
    await close();
    return back;
  }

  test('of a payout', async () => {
    const made = await instructedOne(pool);
    const back = await cameBack(made);
    await retry(made.desk, order(made.row));
    assert.equal(await dueOf(made), 'not_in_statement');
    const { fundsMissingSince } = await get(`transactions/${typeId('txn', made.row.id)}`);
    assert.notEqual(fundsMissingSince, null);
    await close([back]);
    assert.equal(await dueOf(made), BigInt(made.row.buy_minor));
    await confirm(made.desk, order(made.row), 'BY-HAND');
  });

  test('of a deposit that goes back: it is in suspense', async () => {
    const [made] = await ordered(pool, ['deposit_return']);
    assert.ok(made);
    const back = await cameBack(made);
    await failedReturnsSweep(sandbox.desk, silentLogger).run();
    const { rows } = await pool.query('select deposit_id from deposit_returns where id = $1', [
      made.subjectId,
    ]);
    const deposit = `deposits/${typeId('dep', rows[0].deposit_id)}`;
    await done(`${deposit}/return`, { returnedBy: 'house' });
    assert.equal(await dueOf(made, HOUSE_ID), 'not_in_statement');
    await close([back]);
    assert.equal(await dueOf(made, HOUSE_ID), made.amountMinor);
    await done(`${deposit}/returns/${(await get(deposit)).returns.at(-1).returnId}/cancel`);
  });

  test('of a withdrawal: it is in the balance', async () => {
    const [made] = await ordered(pool, ['withdrawal']);
    assert.ok(made);
    const back = await cameBack(made);
    const path = `customers/${typeId('cus', made.desk.customerId)}/balances/withdrawals`;
    await done(path, { currency: 'EUR', amount: '500.00' }, { 'idempotency-key': 'ANEW' });
    assert.equal(await dueOf(made), 'not_in_statement');
    await close([back]);
    assert.equal(await dueOf(made), 50_000n);
    await cancelPending(made);
  });
});

describe('what never came back is paid as it was, as long as its money is there', () => {
  /** Paid, as a statement says, and sent back, as only a notification says. */
  async function cameBack(made: Pick<Instructed, 'amount' | 'endToEndId'>) {
    await close([paidBy(made)]);
    const items = await itemsOf(PAYMENTS);
    const { entryId } = await notify(returned(made.amount, e2e(made.endToEndId)));
    await close();
    const { exceptionId } = await get(`statement-entries/${entryId}`);
    const { orders } = await get(`exceptions/${exceptionId}`);
    assert.ok(orders.some(({ order }: { order: string }) => order === 'never_booked'));
    return { entryId, exceptionId, items };
  }
  const balanceOf = async ({ desk: { customerId } }: Pick<Instructed, 'desk'>) =>
    -((await balancesOf(pool, customerId))['customer_balance EUR'] ?? 0n);

  test('a withdrawal leaves the balance again', async () => {
    const [made] = await ordered(pool, ['withdrawal']);
    assert.ok(made);
    const before = await balanceOf(made);
    const { entryId, exceptionId, items } = await cameBack(made);
    assert.equal((await balanceOf(made)) - before, made.amountMinor);
    await done(never(entryId));
    await assertOver(entryId, exceptionId);
    assert.equal(await balanceOf(made), before);
    assert.equal((await get(`withdrawals/${typeId('wdr', made.subjectId)}`)).status, 'paid');
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('unless that has been paid on', async () => {
    const [made] = await ordered(pool, ['withdrawal']);
    assert.ok(made);
    const { entryId } = await cameBack(made);
    const path = `customers/${typeId('cus', made.desk.customerId)}/balances/withdrawals`;
    await done(path, { currency: 'EUR', amount: '500.00' }, { 'idempotency-key': 'ALL-OF-IT' });
    const { status, body } = await say(never(entryId));
    assert.deepEqual([status, body.code], [409, 'invalid_state_transition']);
    assert.match(body.detail, /wait until the balance covers it, or say in `as`/);
    await cancelPending(made);
    await done(never(entryId));
  });

  test('the return of a deposit leaves suspense again', async () => {
    const [made] = await ordered(pool, ['deposit_return']);
    assert.ok(made);
    const { rows } = await pool.query('select deposit_id from deposit_returns where id = $1', [
      made.subjectId,
    ]);
    const deposit = `deposits/${typeId('dep', rows[0].deposit_id)}`;
    const { entryId, exceptionId, items } = await cameBack(made);
    await failedReturnsSweep(sandbox.desk, silentLogger).run();
    assert.equal((await get(deposit)).returnedAmount, '0.00');
    await done(`${deposit}/return`, { returnedBy: 'house' });
    const refused = await say(never(entryId));
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
    assert.match(refused.body.detail, /not in suspense any more/);
    await done(`${deposit}/returns/${(await get(deposit)).returns.at(-1).returnId}/cancel`);
    await done(never(entryId));
    await assertOver(entryId, exceptionId);
    const { returnedAmount, amount, exception, returns } = await get(deposit);
    assert.deepEqual([returnedAmount, exception, returns[0].status], [amount, null, 'paid']);
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('also before the sweep has put it there', async () => {
    const [made] = await ordered(pool, ['deposit_return']);
    assert.ok(made);
    const { entryId, exceptionId, items } = await cameBack(made);
    await done(never(entryId));
    await assertOver(entryId, exceptionId);
    assert.equal(await failedReturnsSweep(sandbox.desk, silentLogger).run(), 0);
    assert.equal(await itemsOf(PAYMENTS), items);
  });
});

describe('what never came back and has been paid on is somebody’s loss', () => {
  const lossOf = async () => (await balancesOf(pool, HOUSE_ID))['bank_charges EUR'] ?? 0n;
  const owedBy = async ({ desk }: Pick<Instructed, 'desk'>) =>
    (await balancesOf(pool, desk.customerId))['customer_receivable EUR'] ?? 0n;
  /** Paid, as a statement says, and sent back, as only a notification says, which makes one open item of the entry. */
  async function cameBack(made: Pick<Instructed, 'amount' | 'endToEndId'>) {
    await close([paidBy(made)]);
    const items = await itemsOf(PAYMENTS);
    const back = returned(made.amount, e2e(made.endToEndId));
    const { entryId } = await notify(back);
    await close();
    const { exceptionId } = await get(`statement-entries/${entryId}`);
    return { back, entryId, exceptionId, items };
  }

  test('of a payout that the bank has paid twice', async () => {
    const made = await instructedOne(pool);
    const { back, entryId, exceptionId, items } = await cameBack(made);
    await retry(made.desk, order(made.row));
    await close([debit(made.amount, e2e(`${made.endToEndId}-2`))]);
    await assertRefused(entryId);
    const before = await lossOf();
    await done(never(entryId), { as: 'bank_charges' });
    await assertOver(entryId, exceptionId);
    assert.equal((await lossOf()) - before, BigInt(made.row.buy_minor));
    assert.equal(await itemsOf(PAYMENTS), items);
    assert.equal((await say(never(entryId), { as: 'bank_charges' })).status, 409, 'it is lost once');
    // Should it come back after all, it is one too many, and whoever bears the loss has it again.
    const [late] = await close([back]);
    assert.deepEqual([late.paymentState, late.paymentReason], ['mismatch', 'returned_twice']);
    await done(`statement-entries/${late.entryId}/book`, { as: 'bank_charges' });
    assert.equal(await lossOf(), before);
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('of a trade that was unwound because its payout had come back', async () => {
    const made = await instructedOne(pool);
    const { entryId, exceptionId, items } = await cameBack(made);
    const early = await say(never(entryId), { as: 'bank_charges' });
    assert.deepEqual(
      [early.status, /leave out `as`/.test(early.body.detail)],
      [409, true],
      'it can be paid again',
    );
    await endTransaction(made.desk, order(made.row));
    await assertRefused(entryId);
    const stranger = { as: 'customer_debt', customerId: typeId('cus', HOUSE_ID) };
    const refused = await say(never(entryId), stranger);
    assert.deepEqual(
      [refused.status, refused.body.detail],
      [409, 'The customer has no part of what came back.'],
    );
    await done(never(entryId), { as: 'customer_debt', customerId: typeId('cus', made.desk.customerId) });
    await assertOver(entryId, exceptionId);
    assert.equal(await owedBy(made), BigInt(made.row.buy_minor));
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('of a withdrawal whose balance was spent', async () => {
    const [made] = await ordered(pool, ['withdrawal']);
    assert.ok(made);
    const { entryId, exceptionId, items } = await cameBack(made);
    const path = `customers/${typeId('cus', made.desk.customerId)}/balances/withdrawals`;
    await done(path, { currency: 'EUR', amount: '500.00' }, { 'idempotency-key': 'SPENT' });
    assert.equal((await say(never(entryId))).status, 409);
    await done(never(entryId), { as: 'customer_debt', customerId: typeId('cus', made.desk.customerId) });
    await assertOver(entryId, exceptionId);
    assert.equal(await owedBy(made), made.amountMinor);
    assert.equal((await get(`withdrawals/${typeId('wdr', made.subjectId)}`)).status, 'failed');
    assert.equal(await itemsOf(PAYMENTS), items);
    await cancelPending(made);
  });

  test('of a deposit that went back once more', async () => {
    const [made] = await ordered(pool, ['deposit_return']);
    assert.ok(made);
    const { rows } = await pool.query('select deposit_id from deposit_returns where id = $1', [
      made.subjectId,
    ]);
    const deposit = `deposits/${typeId('dep', rows[0].deposit_id)}`;
    const { entryId, exceptionId, items } = await cameBack(made);
    await failedReturnsSweep(sandbox.desk, silentLogger).run();
    await done(`${deposit}/return`, { returnedBy: 'house' });
    const { returnId } = (await get(deposit)).returns.at(-1);
    await done(`${deposit}/returns/${returnId}/paid`, { bankReference: 'BY-HAND' });
    assert.equal((await say(never(entryId))).status, 409);
    const before = await lossOf();
    await done(never(entryId), { as: 'bank_charges' });
    await assertOver(entryId, exceptionId);
    assert.equal((await lossOf()) - before, made.amountMinor);
    assert.equal((await get(deposit)).returns[0].status, 'failed');
    // The second return is open until the bank tells of it.
    const told = debit(made.amount, e2e((await get(deposit)).returns.at(-1).reference));
    await close([told]);
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('and nobody’s where nothing but that has told that the payment had left', async () => {
    const made = await instructedOne(pool);
    const items = await itemsOf(PAYMENTS);
    const { entryId } = await notify(returned(made.amount, e2e(made.endToEndId)));
    await close();
    await retry(made.desk, order(made.row));
    const refused = await say(never(entryId), { as: 'bank_charges' });
    assert.deepEqual([refused.status, /leave out `as`/.test(refused.body.detail)], [409, true]);
    await done(never(entryId));
    await confirm(made.desk, order(made.row), 'BY-HAND');
    await close([debit(made.amount, e2e(`${made.endToEndId}-2`))]);
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('nor of what neither left nor came back', async () => {
    const made = await instructedOne(pool);
    const items = await itemsOf(PAYMENTS);
    const { entryId: left } = await notify(paidBy(made));
    const { entryId: back } = await notify(returned(made.amount, e2e(made.endToEndId)));
    await close();
    await endTransaction(made.desk, order(made.row));
    for (const loss of [{}, { as: 'bank_charges' }]) {
      const { status, body } = await say(never(back), loss);
      assert.deepEqual([status, body.code], [409, 'invalid_state_transition']);
      assert.match(body.detail, /decide on it first/);
      assert.deepEqual(body.entryIds, [left]);
    }
    await done(never(left));
    await done(never(back));
    assert.equal(await itemsOf(PAYMENTS), items);
  });

  test('and nobody’s while it is still there, or of what went out', async () => {
    const [made] = await ordered(pool, ['withdrawal']);
    assert.ok(made);
    const { entryId } = await cameBack(made);
    const refused = await say(never(entryId), { as: 'bank_charges' });
    assert.deepEqual([refused.status, refused.body.code], [409, 'invalid_state_transition']);
    assert.match(refused.body.detail, /leave out `as`/);
    assert.equal(
      (await get(`withdrawals/${typeId('wdr', made.subjectId)}`)).status,
      'failed',
      'nothing changed',
    );
    await done(never(entryId));
    const paid = await instructedOne(pool);
    const { entryId: out } = await notify(paidBy(paid));
    await close();
    assert.match((await say(never(out), { as: 'bank_charges' })).body.detail, /leave out `as`/);
  });
});
