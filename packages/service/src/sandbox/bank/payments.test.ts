import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { readPain001 } from '@firmquote/bank-formats';
import { cutOffInstant } from '@firmquote/fx';
import { assertBooksBalance } from '../../../test/support/books.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../../test/support/sandbox.ts';
import type { Pool } from '../../database/pool.ts';
import { refundOf } from '../../payments/refund-changes.ts';
import { typeId } from '../../platform/ids.ts';
import type { TransactionRow } from '../../transactions/record.ts';
import { enableSandboxBank } from '../store.ts';

const RUNS = '/v1/operator/settlement-runs';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 16 }));
  await enableSandboxBank(pool);
});
beforeEach(async () => {
  await pool.query('delete from sandbox_bank_jobs');
  await pool.query(
    `update sandbox_settings set auto_deposit = true, settlement = 'runs', clock_offset_ms = 0`,
  );
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
  call = server.call;
});
afterEach(async () => {
  await server.close();
  await assertBooksBalance(pool);
});

/** Trades whose payout is released on their value date, and is in no payment file yet. */
async function released(...amounts: string[]): Promise<TransactionRow[]> {
  const rows = [];
  for (const amount of amounts) rows.push(await sandbox.trade({ amount }));
  await sandbox.to(Date.UTC(2026, 2, 6, 9));
  for (const row of rows) assert.equal((await sandbox.read(row)).status, 'settling');
  return rows;
}

async function madeRun(currency: string): Promise<string> {
  const made = await call('POST', RUNS, { currency, valueDate: '2026-03-06' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.runId;
}

const sent = async (runId: string) =>
  assert.equal((await call('POST', `${RUNS}/${runId}/mark-sent`)).status, 200);

async function debits(): Promise<{ end_to_end_id: string; uetr: string; amount_minor: string }[]> {
  const { rows } = await pool.query(
    `select end_to_end_id, uetr, amount_minor from sandbox_bank_entries
     where direction = 'debit' and kind = 'payment' order by id`,
  );
  return rows;
}

describe('payment files', () => {
  afterEach(async () => {
    const { rows } = await pool.query(
      `select reason from reconciliation_exceptions where type = 'payout_mismatch'`,
    );
    assert.deepEqual(rows, [], 'the bank says nothing that the service does not expect');
  });

  test('are executed as they are when they are handed over, and nothing is before', async () => {
    const rows = await released('100000.00', '2000.00');
    await sandbox.advance(60);
    const before = (await debits()).length;
    const runId = await madeRun('EUR');
    const file = await server.raw('GET', `${RUNS}/${runId}/files/pain.001`);
    const { messageId, payments } = readPain001(file.body);
    assert.match(messageId, /^FQ/);
    await sandbox.advance(60);
    assert.equal((await debits()).length, before);
    await sent(runId);
    await sandbox.advance(4);
    assert.equal((await sandbox.read(rows[0] as TransactionRow)).status, 'settling');
    await sandbox.advance(2);
    for (const row of rows) assert.equal((await sandbox.read(row)).status, 'settled');
    const booked = (await debits()).slice(before);
    assert.deepEqual(
      booked.map((each) => [each.end_to_end_id, each.uetr, BigInt(each.amount_minor)]).sort(),
      payments.map((each) => [each.endToEndId, each.uetr, each.amountMinor]).sort(),
    );
    await sandbox.advance(60);
    assert.equal((await debits()).length, before + 2);
  });

  test('908 and 909 are refused and returned there too', async () => {
    const [refused, returned] = (await released('908.00', '909.00')) as [TransactionRow, TransactionRow];
    await sent(await madeRun('EUR'));
    await sandbox.advance(6);
    const failed = await sandbox.read(refused);
    assert.deepEqual([failed.status, failed.status_reason], ['settlement_failed', 'payout_rejected']);
    assert.match(failed.failure ?? '', /AC04/);
    await sandbox.advance(10);
    assert.equal((await sandbox.read(refused)).status, 'settling', 'the second attempt waits for a file');
    const back = await sandbox.read(returned);
    assert.deepEqual([back.status, back.payout_status], ['settlement_failed', 'returned']);
    await sent(await madeRun('EUR'));
    await sandbox.advance(6);
    assert.equal((await sandbox.read(refused)).status, 'settled');
    const { body } = await call('GET', '/v1/sandbox/bank/files?kind=pain.002');
    assert.equal(body.items[0].entries, 1);
  });

  test('pay refunds', async () => {
    const row = await sandbox.trade({ amount: '906.00' });
    await sandbox.advance(6);
    const path = `/v1/operator/transactions/${typeId('txn', row.id)}`;
    assert.equal((await call('POST', `${path}/refund-excess`, {})).status, 200);
    await sent(await madeRun('USD'));
    await sandbox.advance(6);
    const refund = refundOf(await sandbox.read(row));
    assert.deepEqual([refund?.status, refund?.amount], ['paid', '1.00']);
    assert.equal((await debits()).at(-1)?.end_to_end_id, `${row.reference}-R`);
  });

  test('pay withdrawals from balances', async () => {
    const customer = `/v1/operator/customers/${typeId('cus', sandbox.desk.customerId)}/balances`;
    const money = { currency: 'USD', amount: '10.00' };
    const topUp = await call('POST', `${customer}/top-ups`, { ...money, bankReference: 'T1' });
    assert.equal(topUp.status, 201, JSON.stringify(topUp.body));
    const wanted = { ...money, reason: 'asked by phone' };
    const asked = await call('POST', `${customer}/withdrawals`, wanted, { 'idempotency-key': 'W' });
    assert.equal(asked.status, 201, JSON.stringify(asked.body));
    await sent(await madeRun('USD'));
    await sandbox.advance(6);
    const { rows } = await pool.query('select status from balance_withdrawals');
    assert.deepEqual(rows, [{ status: 'paid' }]);
  });

  test('that are given up, or no longer waited for, leave the payouts to the bank', async () => {
    const [first, second] = (await released('3000.00', '4000.00')) as [TransactionRow, TransactionRow];
    const runId = await madeRun('EUR');
    const other = await sandbox.trade({ amount: '5000.00' });
    await call('POST', '/v1/sandbox/bank', { settlement: 'fast' });
    await sandbox.advance(30);
    assert.equal((await sandbox.read(other)).status, 'settled');
    assert.equal((await sandbox.read(first)).status, 'settling', 'what is in a file waits for it');
    assert.equal((await call('POST', `${RUNS}/${runId}/cancel`)).status, 200);
    await sandbox.advance(6);
    for (const row of [first, second]) assert.equal((await sandbox.read(row)).status, 'settled');
  });

  test('are not asked for what goes into a balance, nor twice for what was confirmed by hand', async () => {
    await sandbox.controls.setBank({ settlement: 'fast' });
    const before = (await debits()).length;
    const kept = await sandbox.trade({ amount: '6000.00' });
    await pool.query(`update customers set settings = '{"proceedsToBalance":true}' where id = $1`, [
      sandbox.desk.customerId,
    ]);
    await sandbox.advance(60);
    const credited = await sandbox.read(kept);
    assert.deepEqual([credited.status, credited.proceeds], ['settled', 'balance']);
    assert.equal((await debits()).length, before);
    await pool.query(`update customers set settings = '{}' where id = $1`, [sandbox.desk.customerId]);
    await sandbox.controls.setBank({ settlement: 'calendar' });
    const byHand = await sandbox.trade({ amount: '7000.00' });
    await sandbox.advance(6);
    const path = `/v1/operator/transactions/${typeId('txn', byHand.id)}`;
    assert.equal((await call('POST', `${path}/settle`)).status, 200);
    assert.equal((await call('POST', `${path}/payout-confirmed`, {})).body.status, 'settled');
    await sandbox.advance(60);
    assert.equal((await debits()).length, before + 1, 'the money leaves all the same');
    assert.equal((await sandbox.read(byHand)).status, 'settled');
  });

  test('that are none are not read', () => {
    for (const content of [
      '',
      '<a/>',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"/>',
    ]) {
      assert.throws(() => readPain001(content), content);
    }
  });
});

describe('trouble', () => {
  beforeEach(() => sandbox.controls.setBank({ autoDeposit: false, settlement: 'fast' }));

  const deposit = (reference: string, given: Record<string, unknown> = {}) =>
    call('POST', '/v1/sandbox/deposits', { reference, amount: '5000.00', currency: 'USD', ...given });

  async function exceptionOf(reference: string, given: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await deposit(reference, given);
    assert.equal(status, 201, JSON.stringify(body));
    return `${body.exception?.type} ${body.exception?.reason}`;
  }

  test('of every kind comes through the files of the bank', async () => {
    const small = () => sandbox.trade({ amount: '5000.00' });
    const paid = await small();
    assert.equal(await exceptionOf(paid.reference), 'undefined undefined');
    assert.equal(await exceptionOf(paid.reference), 'duplicate paid_twice');
    assert.equal(await exceptionOf(paid.reference, { remitterName: 'B' }), 'excess nothing_outstanding');
    assert.equal(await exceptionOf('thank you'), 'unmatched no_reference');
    const pair = `${(await small()).reference} ${(await small()).reference}`;
    assert.equal(await exceptionOf(pair, { amount: '7.00' }), 'ambiguous several_transactions');
    assert.equal(await exceptionOf((await small()).reference, { amount: '5001.00' }), 'excess paid_too_much');
    assert.equal(
      await exceptionOf((await small()).reference, { currency: 'EUR' }),
      'wrong_currency wrong_currency',
    );
    await pool.query(
      `update customers set settings = jsonb_set(settings::jsonb, '{thirdPartyPayments}', '"hold"')::json where id = $1`,
      [sandbox.desk.customerId],
    );
    const foreign = await small();
    assert.equal(
      await exceptionOf(foreign.reference, {
        remitterName: 'Somebody Else',
        remitterAccount: 'DE02120300000000202051',
      }),
      'third_party remitter_is_not_customer',
    );
    // The bank values what comes after the dollar's own cut-off on the next day.
    await sandbox.to(cutOffInstant('USD', foreign.value_date) + 60_000);
    const own = { remitterName: 'Test customer' };
    assert.equal(await exceptionOf(foreign.reference, own), 'late after_funding_cutoff');
  });

  test('a deposit that its remitter takes back: before the payout, and after it', async () => {
    const waiting = await sandbox.trade({ amount: '5000.00' });
    const { body } = await deposit(waiting.reference);
    assert.equal((await sandbox.read(waiting)).status, 'funded');
    const path = `/v1/sandbox/deposits/${body.depositId}/return`;
    const back = await call('POST', path);
    assert.deepEqual([back.status, back.body.direction, back.body.kind], [201, 'debit', 'return']);
    assert.equal((await sandbox.read(waiting)).status, 'awaiting_funds');
    assert.deepEqual((await call('POST', path, { reason: 'DUPL' })).body, back.body, 'it comes back once');

    const gone = await sandbox.trade({ amount: '5000.00' });
    const second = (await deposit(gone.reference)).body;
    await sandbox.advance(6);
    assert.equal((await sandbox.read(gone)).status, 'settled');
    assert.equal((await call('POST', `/v1/sandbox/deposits/${second.depositId}/return`)).status, 201);
    const read = await call('GET', `/v1/operator/deposits/${second.depositId}`);
    assert.equal(read.body.exception?.type, 'returned');
    assert.equal((await call('POST', '/v1/sandbox/deposits/dep_x/return')).status, 404);
    const byHand = await call('POST', '/v1/operator/deposits', {
      ...{ bankReference: 'HAND', amount: '1.00', currency: 'USD', remitterName: 'A' },
    });
    assert.equal((await call('POST', `/v1/sandbox/deposits/${byHand.body.depositId}/return`)).status, 409);
  });

  test('money for a virtual account is on the account of the house behind it', async () => {
    const path = `/v1/operator/customers/${typeId('cus', sandbox.desk.customerId)}/virtual-accounts`;
    const given = { currency: 'USD', number: '5500990011' };
    const made = await call('POST', path, given);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await sandbox.controls.setBank({ autoDeposit: true });
    const row = await sandbox.trade({ amount: '5000.00' });
    assert.match(row.instructions, /5500990011/);
    await sandbox.advance(6);
    assert.equal((await sandbox.read(row)).status, 'funded');
  });

  test('payments that are not ours, or not of the amount', async () => {
    await sandbox.controls.setBank({ settlement: 'runs', autoDeposit: true });
    const [row] = (await released('5000.00')) as [TransactionRow];
    await madeRun('EUR');
    const work = async () => (await call('GET', '/v1/operator/exceptions?type=payout_mismatch')).body.items;
    const before = (await work()).length;
    const entry = { currency: 'EUR', direction: 'debit', amount: '12.50' };
    for (const body of [
      { ...entry, kind: 'charge', text: 'Account fee' },
      { ...entry, text: 'payment', endToEndId: row.reference },
    ]) {
      const key = { 'Idempotency-Key': body.text };
      const reply = await call('POST', '/v1/sandbox/bank/entries', body, key);
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      assert.deepEqual((await call('POST', '/v1/sandbox/bank/entries', body, key)).body, reply.body);
    }
    assert.equal((await sandbox.read(row)).status, 'settling');
    const reasons = (await work()).slice(before).map((each: { reason: string }) => each.reason);
    assert.deepEqual(reasons, ['unknown_debit', 'amount']);
    for (const wrong of [
      { ...entry, text: 'x', amount: '0.00' },
      { ...entry },
      { ...entry, text: 'x', kind: 'return' },
    ]) {
      assert.equal((await call('POST', '/v1/sandbox/bank/entries', wrong)).status, 400);
    }
    const noAccount = { ...entry, text: 'x', currency: 'CHF' };
    assert.equal(
      (await call('POST', '/v1/sandbox/bank/entries', noAccount)).body.code,
      'currency_not_supported',
    );
  });
});
