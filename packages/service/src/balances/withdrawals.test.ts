import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertBooksBalance, balancesOf } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createManualDesk, type ManualDesk } from '../../test/support/manual-desk.ts';
import { AS_SECOND } from '../../test/support/operator-server.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { applyPaymentReport, type BankPaymentReport } from '../payments/bank-payment-report.ts';
import { newUuid, parseTypeId, typeId } from '../platform/ids.ts';
import { topUpBalance } from './balances.ts';

const WITHDRAWALS = '/v1/operator/withdrawals';
const RUNS = '/v1/operator/settlement-runs';
let pool: Pool;
let desk: ManualDesk;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 24 }));
  desk = await createManualDesk(pool);
});
afterEach(() => assertBooksBalance(pool));
after(() => desk.close());

let bookings = 0;
/** A customer of its own with money in its balance. */
async function withBalance(amountMinor: bigint, currency = 'USD'): Promise<string> {
  await desk.close();
  desk = await createManualDesk(pool);
  const { customerId, clock } = desk.sandbox.desk;
  const money = { customerId, currency, amountMinor, bankReference: `W${++bookings}` };
  await inTransaction(pool, (connection) => topUpBalance(connection, money, clock.now()));
  return `/v1/operator/customers/${typeId('cus', customerId)}/balances`;
}

const body = (amount: string, currency = 'USD') => ({ currency, amount, reason: 'asked by letter' });
let keys = 0;
const withdraw = (url: string, sent: unknown) =>
  desk.call('POST', url, sent, { 'idempotency-key': `withdrawal ${++keys}` });
const books = () => balancesOf(pool, desk.sandbox.desk.customerId);
const path = (id: string) => `${WITHDRAWALS}/${id}`;

async function withdrawn(amount: string, currency = 'USD'): Promise<{ id: string; reference: string }> {
  const url = `/v1/operator/customers/${typeId('cus', desk.sandbox.desk.customerId)}/balances/withdrawals`;
  const made = await withdraw(url, body(amount, currency));
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { id: made.body.withdrawalId, reference: made.body.reference };
}

async function notify(notice: Partial<BankPaymentReport> & Pick<BankPaymentReport, 'kind' | 'amountMinor'>) {
  const now = desk.sandbox.clock.now();
  return inTransaction(pool, (connection) =>
    applyPaymentReport(connection, { currency: 'USD', at: now, bankReference: 'STMT-W', ...notice }, now),
  );
}

/** A run in dollars and the payment of this withdrawal in it. */
async function instructed(id: string) {
  const run = await desk.call('POST', RUNS, { currency: 'USD', valueDate: '2026-03-04' });
  assert.equal(run.status, 201, JSON.stringify(run.body));
  const url = `${RUNS}/${run.body.runId}`;
  const payments = (await desk.call('GET', `${url}/payments?limit=200`)).body.items;
  const mine = payments.find(
    (each: { items: { withdrawalId: string }[] }) => each.items[0]?.withdrawalId === id,
  );
  return { url, payment: mine };
}

/** The run as a bank books it that makes one sum of a file. */
async function block(id: string): Promise<{ blockId: string; amountMinor: bigint }> {
  const { body } = await desk.call('GET', (await instructed(id)).url);
  return { blockId: body.messageId, amountMinor: BigInt(body.total.replace('.', '')) };
}

async function eventTypes(): Promise<string[]> {
  const { rows } = await pool.query<{ type: string }>(
    `select type from feed_events where customer_id = $1 and type like 'withdrawal%' order by sequence`,
    [desk.sandbox.desk.customerId],
  );
  return rows.map((row) => row.type);
}

describe('a withdrawal', () => {
  test('debits the balance at once, is paid by a run under its own reference, and confirmed by the bank', async () => {
    const balances = await withBalance(50_000n);
    const { id, reference } = await withdrawn('200.00');
    assert.deepEqual((await desk.call('GET', balances)).body.items, [
      { currency: 'USD', available: '300.00' },
    ]);
    assert.deepEqual(await books(), {
      'bank USD': 50_000n,
      'customer_balance USD': -30_000n,
      'customer_payable USD': -20_000n,
    });
    const place = (townName: string) => JSON.stringify({ townName, country: 'DE', postalCode: '50667' });
    await pool.query('update customers set postal_address = $2 where id = $1', [
      desk.sandbox.desk.customerId,
      place('Köln'),
    ]);
    await pool.query('update collection_accounts set holder_address = $1', [place('Berlin')]);
    const { url, payment } = await instructed(id);
    assert.deepEqual(
      [payment.endToEndId, payment.amount, payment.items[0].purpose, payment.items[0].state],
      [reference, '200.00', 'withdrawal', 'sent'],
    );
    const file = (await desk.raw(`${url}/files/pain.001`)).body;
    assert.match(file, new RegExp(`<EndToEndId>${reference}</EndToEndId>`));
    const address = (town: string) =>
      `<PstlAdr><PstCd>50667</PstCd><TwnNm>${town}</TwnNm><Ctry>DE</Ctry></PstlAdr>`;
    assert.ok(file.includes(`<Dbtr><Nm>Example FX Ltd</Nm>${address('Berlin')}</Dbtr>`), file);
    assert.ok(file.includes(`<Cdtr><Nm>Test customer</Nm>${address('Koln')}</Cdtr>`));
    assert.match(file, /<Purp><Cd>CASH<\/Cd><\/Purp>/);
    const none = await desk.call('POST', RUNS, { currency: 'USD', valueDate: '2026-03-04' });
    assert.equal(none.body.code, 'nothing_to_settle');
    const notice = { kind: 'paid', amountMinor: 20_000n, uetr: payment.uetr } as const;
    const short = await notify({ ...notice, amountMinor: 19_999n });
    assert.deepEqual([short.outcome, 'reason' in short && short.reason], ['mismatch', 'amount']);
    const euros = await notify({ ...notice, currency: 'EUR' });
    assert.deepEqual([euros.outcome, 'reason' in euros && euros.reason], ['mismatch', 'currency']);
    assert.equal((await notify(notice)).outcome, 'applied');
    assert.equal((await notify(notice)).outcome, 'known');
    const paid = (await desk.call('GET', path(id))).body;
    assert.deepEqual([paid.status, paid.bankReference, paid.failure], ['paid', 'STMT-W', null]);
    assert.deepEqual(await books(), { 'bank USD': 30_000n, 'customer_balance USD': -30_000n });
    assert.deepEqual(await eventTypes(), ['withdrawal.created', 'withdrawal.paid']);
    const { rows } = await pool.query<{ kinds: string[] }>(
      'select array_agg(kind order by id) as kinds from journal_entries where withdrawal_id = $1',
      [parseTypeId('wdr', id)],
    );
    assert.deepEqual(rows[0]?.kinds, ['withdrawal_requested', 'withdrawal_paid']);
  });

  test('gives the money back when the bank refuses it, or sends it back', async () => {
    await withBalance(30_000n);
    const refused = await withdrawn('100.00');
    const returned = await withdrawn('200.00');
    assert.equal(
      (
        await notify({
          kind: 'rejected',
          amountMinor: 10_000n,
          references: [refused.reference],
          detail: 'AC04',
        })
      ).outcome,
      'applied',
    );
    const failed = (await desk.call('GET', path(refused.id))).body;
    assert.deepEqual([failed.status, failed.failure, failed.detail], ['failed', 'rejected', 'AC04']);
    const again = await notify({ kind: 'paid', amountMinor: 10_000n, endToEndId: refused.reference });
    assert.deepEqual([again.outcome, 'reason' in again && again.reason], ['mismatch', 'state']);
    await notify({ kind: 'paid', amountMinor: 20_000n, endToEndId: returned.reference });
    await notify({ kind: 'returned', amountMinor: 20_000n, endToEndId: `${returned.reference}` });
    assert.equal((await desk.call('GET', path(returned.id))).body.failure, 'returned');
    assert.deepEqual(await books(), { 'bank USD': 30_000n, 'customer_balance USD': -30_000n });
    assert.deepEqual((await eventTypes()).slice(-2), ['withdrawal.paid', 'withdrawal.failed']);
    assert.equal((await notify({ kind: 'paid', amountMinor: 1n, endToEndId: 'NONE' })).outcome, 'unknown');
  });

  test('is paid with the sum of a file that the bank books as one; a second debit is told as such', async () => {
    await withBalance(30_000n);
    const first = await withdrawn('100.00');
    const second = await withdrawn('50.00');
    const { blockId, amountMinor } = await block(first.id);
    const wrong = await notify({
      kind: 'paid',
      amountMinor: amountMinor + 1n,
      blockId,
      sourceId: newUuid(1),
    });
    assert.deepEqual([wrong.outcome, 'reason' in wrong && wrong.reason], ['mismatch', 'amount']);
    const sourceId = newUuid(2);
    assert.equal((await notify({ kind: 'paid', amountMinor, blockId, sourceId })).outcome, 'applied');
    for (const { id } of [first, second]) {
      assert.equal((await desk.call('GET', path(id))).body.status, 'paid');
    }
    const again = await notify({
      kind: 'paid',
      amountMinor: 10_000n,
      endToEndId: first.reference,
      sourceId: newUuid(3),
    });
    assert.deepEqual([again.outcome, 'reason' in again && again.reason], ['mismatch', 'paid_twice']);
  });

  test('that failed by hand and is paid all the same with the sum of its file is for a person', async () => {
    await withBalance(30_000n);
    const first = await withdrawn('100.00');
    const second = await withdrawn('50.00');
    const { blockId, amountMinor } = await block(first.id);
    await desk.call('POST', `${path(first.id)}/failed`, { detail: 'told by phone' });
    const reported = await notify({ kind: 'paid', amountMinor, blockId, sourceId: newUuid(4) });
    assert.ok(reported.outcome === 'applied' && reported.doubts[0]?.reason === 'state');
    assert.equal((await desk.call('GET', path(first.id))).body.status, 'failed');
    assert.equal((await desk.call('GET', path(second.id))).body.status, 'paid');
  });

  test('is cancelled until its file is sent; a run that holds a cancelled one cannot be sent', async () => {
    await withBalance(30_000n);
    const first = await withdrawn('100.00');
    const second = await withdrawn('50.00');
    const run = await instructed(first.id);
    const cancel = await desk.call('POST', `${path(first.id)}/cancel`, { detail: 'changed mind' });
    assert.equal(cancel.status, 200);
    const refused = await desk.call('POST', `${run.url}/mark-sent`);
    assert.equal(refused.body.code, 'invalid_state_transition');
    assert.equal((await desk.call('POST', `${run.url}/cancel`)).status, 200);
    const next = await instructed(second.id);
    assert.equal(next.payment.endToEndId, second.reference);
    assert.equal((await desk.call('POST', `${next.url}/mark-sent`)).status, 200);
    const late = await desk.call('POST', `${path(second.id)}/cancel`);
    assert.deepEqual([late.body.code, late.body.from], ['invalid_state_transition', 'pending']);
    const unseen = { 'if-match': '"v9"' };
    const stale = await desk.call('POST', `${path(second.id)}/failed`, {}, unseen);
    assert.equal(stale.body.code, 'version_mismatch');
    assert.equal(
      (await desk.call('POST', `${path(second.id)}/paid`, { bankReference: 'P1' })).body.status,
      'paid',
    );
    assert.equal(
      (await desk.call('POST', `${path(second.id)}/failed`, { detail: 'came back' })).body.failure,
      'returned',
    );
    assert.equal((await desk.call('POST', `${path(second.id)}/paid`)).body.code, 'invalid_state_transition');
    const over = await desk.call('POST', `${path(second.id)}/failed`, {}, unseen);
    assert.equal(over.body.code, 'invalid_state_transition');
    assert.deepEqual(await books(), { 'bank USD': 30_000n, 'customer_balance USD': -30_000n });
  });

  test('needs an account of the customer, and waits for what it owes on money that was taken back', async () => {
    const balances = await withBalance(10_000n);
    const url = `${balances}/withdrawals`;
    const { customerId } = desk.sandbox.desk;
    const { topUpReference } = (await desk.call('GET', balances)).body;
    const deposit = await desk.arrived('400.00', { remittanceText: topUpReference });
    await withdrawn('200.00');
    const back = { returnedBy: 'remitter_bank', reason: 'recalled' };
    assert.equal((await desk.call('POST', `${deposit}/return`, back)).body.exception.reason, 'balance_spent');
    const owing = await withdraw(url, body('1.00'));
    assert.deepEqual([owing.status, owing.body.limitType, owing.body.limit], [422, 'balance', '0.00']);
    const { rows } = await pool.query<{ id: string }>(
      `select id from reconciliation_exceptions where customer_id = $1 and status = 'open'`,
      [customerId],
    );
    const resolve = `/v1/operator/exceptions/${typeId('exc', rows[0]?.id ?? '')}/resolve`;
    assert.equal(
      (await desk.call('POST', resolve, { resolution: 'settled_outside', note: 'paid' })).status,
      200,
    );
    assert.equal((await withdraw(url, body('1.00'))).status, 201);
    await pool.query(`update settlement_instructions set status = 'retired' where customer_id = $1`, [
      customerId,
    ]);
    assert.equal((await withdraw(url, body('1.00'))).body.code, 'settlement_instructions_missing');
  });
});

describe('an operator', () => {
  test('needs a second person above the limit of work by hand', async () => {
    const balances = await withBalance(30_000_000n);
    const proposed = await withdraw(`${balances}/withdrawals`, body('150000.00'));
    assert.deepEqual([proposed.status, proposed.body.kind], [202, 'balance_withdrawal']);
    assert.equal((await books())['customer_balance USD'], -30_000_000n);
    const tooMuch = await withdraw(`${balances}/withdrawals`, body('300000.01'));
    assert.equal(tooMuch.body.code, 'limit_exceeded');
    const approve = `${proposed.headers.location}/approve`;
    assert.equal((await desk.call('POST', approve)).body.code, 'second_person_required');
    assert.equal((await desk.call('POST', approve, undefined, AS_SECOND)).status, 200);
    const made = (await desk.call('GET', path(proposed.body.subject))).body;
    assert.deepEqual(
      [made.status, made.amount, made.requestedAs, made.reason],
      ['pending', '150000.00', 'operator', 'asked by letter'],
    );
    assert.ok(made.approvedBy !== null && made.approvedBy !== made.requestedBy);
    // Without a price nobody knows what it is worth.
    const topUp = { currency: 'EUR', amount: '1.00', bankReference: 'EUR-1' };
    assert.equal((await desk.call('POST', `${balances}/top-ups`, topUp)).status, 201);
    const unknown = await withdraw(`${balances}/withdrawals`, body('1.00', 'EUR'));
    assert.equal(unknown.status, 202);
  });

  test('names a key, so that an order that is sent again pays once', async () => {
    const url = `${await withBalance(10_000n)}/withdrawals`;
    const keyless = await desk.call('POST', url, body('40.00'));
    assert.deepEqual([keyless.status, keyless.body.code], [400, 'idempotency_key_required']);
    const send = () => desk.call('POST', url, body('40.00'), { 'idempotency-key': 'the letter of today' });
    const [first, again] = [await send(), await send()];
    assert.deepEqual([first.status, again.body], [201, first.body]);
    assert.equal((await books())['customer_balance USD'], -6_000n);
  });

  test('lists and is told what is wrong', async () => {
    const balances = await withBalance(10_000n);
    for (const amount of ['1.00', '2.00', '3.00']) await withdrawn(amount);
    const customer = typeId('cus', desk.sandbox.desk.customerId);
    const page = (await desk.call('GET', `${WITHDRAWALS}?customerId=${customer}&status=pending&limit=2`))
      .body;
    assert.deepEqual(
      [page.items.map((each: { amount: string }) => each.amount), page.hasMore],
      [['3.00', '2.00'], true],
    );
    const next = `${WITHDRAWALS}?customerId=${customer}&status=pending&limit=2&cursor=${page.nextCursor}`;
    assert.equal((await desk.call('GET', next)).body.items[0].amount, '1.00');
    assert.equal((await desk.call('GET', `${WITHDRAWALS}?customerId=x`)).body.code, 'validation_failed');
    const url = `${balances}/withdrawals`;
    for (const [sent, code] of [
      [body('0.00'), 'amount_below_minimum'],
      [body('0.001'), 'amount_precision_invalid'],
      [body('1.00', 'XXX'), 'currency_not_supported'],
      [{ currency: 'USD', amount: '1.00' }, 'validation_failed'],
    ] as const) {
      assert.equal((await withdraw(url, sent)).body.code, code);
    }
    const stranger = `/v1/operator/customers/${typeId('cus', newUuid(0))}/balances/withdrawals`;
    assert.equal((await withdraw(stranger, body('1.00'))).body.code, 'customer_not_found');
    const unknown = path(typeId('wdr', newUuid(0)));
    assert.equal((await desk.call('POST', `${unknown}/paid`)).body.code, 'withdrawal_not_found');
  });
});
