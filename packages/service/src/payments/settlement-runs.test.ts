import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { current, fund, funded, order, refusal } from '../../test/support/stories.ts';
import { createDesk, type Desk } from '../../test/support/trading.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import type { TransactionRow } from '../transactions/record.ts';
import { cancelRun, markSent } from './end-run.ts';
import { confirm, fail, retry, settle } from './operate.ts';
import { listPayments } from './run-payment-store.ts';
import { findFile, type RunRow } from './run-store.ts';
import { previewView } from './run-view.ts';
import { createRun, existingRun, previewRun } from './settlement-runs.ts';

const SCHEMA = fileURLToPath(
  new URL('../../../../../shared/data/statements/xsd/pain.001.001.09.xsd', import.meta.url),
);
const BY = '0195f000-0000-7000-8000-00000000000a';
const EUR = { currency: 'EUR', valueDate: '2026-03-06' };

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 12 }));
  sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
});
after(() => server.close());
afterEach(async () => {
  await assertBooksBalance(pool);
  // Each test begins with nothing due.
  await pool.query(
    `update transactions set payout_status = 'paid', status = 'settled' where status = 'settling'`,
  );
});

async function settling(body = {}): Promise<{ desk: Desk; row: TransactionRow }> {
  const { desk, row } = await funded(pool, body);
  return { desk, row: await settle(desk, order(row)) };
}

async function xmlOf(run: RunRow): Promise<string> {
  const file = await findFile(pool, run.id, 'pain.001');
  assert.ok(file);
  assert.equal(file.sha256, createHash('sha256').update(file.content).digest('hex'));
  return file.content.toString('utf8');
}

async function payments(run: RunRow) {
  return (await listPayments(pool, run.id, undefined, 100)).map((row) => ({
    ...row,
    items: JSON.parse(row.items) as { transaction_id: string; state: string; attempt: number }[],
  }));
}

const orderOn = (run: RunRow) => ({ runId: run.id, ifMatch: undefined, by: BY, reason: undefined });

function element(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(
    (match) => match[1] ?? '',
  );
}

describe('a settlement run', () => {
  test('holds what is due once, with references, sums and a preview that says the same', async () => {
    const one = await settling();
    const two = await settling({ amount: '2000.00' });
    const preview = await previewRun(one.desk, EUR);
    assert.equal(preview.payments.length, 2);
    const run = await createRun(one.desk, EUR, BY);
    assert.equal(BigInt(run.total_minor), preview.totalMinor);
    assert.equal(preview.totalMinor, BigInt(one.row.buy_minor) + BigInt(two.row.buy_minor));
    const xml = await xmlOf(run);
    assert.deepEqual(element(xml, 'EndToEndId').sort(), [one.row.reference, two.row.reference].sort());
    assert.deepEqual(element(xml, 'CtrlSum'), ['93826.75', '93826.75']);
    assert.deepEqual(element(xml, 'NbOfTxs'), ['2', '2']);
    assert.deepEqual(element(xml, 'ReqdExctnDt'), []);
    assert.deepEqual(element(xml, 'Dt'), ['2026-03-06']);
    assert.deepEqual([...new Set(element(xml, 'Purp').concat(element(xml, 'Cd')))], ['SEPA', 'FREX']);
    assert.deepEqual(element(xml, 'ChrgBr'), ['SLEV']);
    assert.equal(new Set(element(xml, 'UETR')).size, 2);
    const csv = (await findFile(pool, run.id, 'csv'))?.content.toString('utf8').split('\r\n') ?? [];
    assert.equal(csv.length, 5);
    assert.match(csv[3] ?? '', /^TOTAL,2,93826.75,EUR,2026-03-06/);
    assert.equal((await refusal(createRun(one.desk, EUR, BY))).code, 'nothing_to_settle');
    const three = await settling({ amount: '500.00' });
    const second = await createRun(one.desk, EUR, BY);
    assert.deepEqual(
      (await payments(second)).map((each) => each.end_to_end_id),
      [three.row.reference],
    );
    assert.notEqual(second.message_id, run.message_id);
  });

  test('pays what its preview showed, or nothing', async () => {
    const { desk } = await settling();
    const { digest: previewDigest } = await previewRun(desk, EUR);
    assert.equal((await previewRun(desk, EUR)).digest, previewDigest, 'what is the same has the same digest');
    const { row } = await settling({ amount: '2000.00' });
    const grown = await refusal(createRun(desk, { ...EUR, previewDigest }, BY));
    assert.equal(grown.code, 'version_mismatch');
    assert.match(grown.message, /would now have 2 payments, 93826\.75 EUR/);
    await fail(desk, order(row), undefined, 'account closed');
    assert.equal((await createRun(desk, { ...EUR, previewDigest }, BY)).payment_count, 1);
  });

  test('made by ten at once is made once', async () => {
    const { desk, row } = await settling();
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => createRun(desk, EUR, BY)));
    assert.equal(results.filter((each) => each.status === 'fulfilled').length, 1);
    const { rows } = await pool.query('select from payment_items where transaction_id = $1', [row.id]);
    assert.equal(rows.length, 1);
  });

  test('cancelled before it is sent gives back what it held; after that it stays', async () => {
    const { desk, row } = await settling();
    const first = await createRun(desk, EUR, BY);
    const stale = await refusal(cancelRun(desk, { ...orderOn(first), ifMatch: 9 }));
    assert.equal(stale.code, 'version_mismatch');
    const cancelled = await cancelRun(desk, { ...orderOn(first), ifMatch: 1 });
    assert.equal(cancelled.done && cancelled.result.status, 'cancelled');
    const again = await refusal(cancelRun(desk, { ...orderOn(first), ifMatch: 1 }));
    assert.equal(again.code, 'invalid_state_transition');
    const second = await createRun(desk, EUR, BY);
    const [payment] = await payments(second);
    assert.equal(payment?.end_to_end_id, row.reference);
    assert.equal((await markSent(desk, orderOn(second))).status, 'sent');
    for (const end of [markSent, cancelRun] as const) {
      assert.equal((await refusal(end(desk, orderOn(second)))).code, 'invalid_state_transition');
    }
    await confirm(desk, order(row), 'BANK-1');
    assert.equal((await payments(second))[0]?.items[0]?.state, 'paid');
    assert.equal((await payments(first))[0]?.items[0]?.state, 'cancelled');
    assert.equal((await refusal(existingRun(pool, newUuid(0)))).code, 'settlement_run_not_found');
  });

  test('with a payment that failed meanwhile is not sent any more', async () => {
    const { desk, row } = await settling();
    const run = await createRun(desk, EUR, BY);
    await fail(desk, order(row), 'beneficiary_invalid', undefined);
    assert.equal((await refusal(markSent(desk, orderOn(run)))).code, 'invalid_state_transition');
    await cancelRun(desk, orderOn(run));
  });

  test('takes a retry to the corrected account as a new payment', async () => {
    const { desk, row } = await settling();
    const first = await createRun(desk, EUR, BY);
    await markSent(desk, orderOn(first));
    await fail(desk, order(row), 'beneficiary_invalid', undefined);
    const corrected = newUuid(desk.clock.now());
    await pool.query(
      `update settlement_instructions set status = 'retired' where customer_id = $1 and currency = 'EUR'`,
      [desk.customerId],
    );
    await pool.query(
      `insert into settlement_instructions (customer_id, id, currency, account_holder, iban, status, created_at)
       values ($1, $2, 'EUR', 'Test customer', 'FR1420041010050500013M02606', 'active', now())`,
      [desk.customerId, corrected],
    );
    await retry(desk, order(row));
    const second = await createRun(desk, EUR, BY);
    const xml = await xmlOf(second);
    assert.ok(element(xml, 'IBAN').includes('FR1420041010050500013M02606'));
    assert.deepEqual(element(xml, 'EndToEndId'), [`${row.reference}-2`]);
    assert.equal((await payments(first))[0]?.items[0]?.state, 'rejected');
    await markSent(desk, orderOn(second));
    await confirm(desk, order(row), undefined);
    assert.equal((await current(desk, row)).status, 'settled');
  });

  test('puts the payouts of a customer who wants that into one payment', async () => {
    const desk = await createDesk(pool);
    await pool.query(`update customers set settings = '{"paymentNetting": true}' where id = $1`, [
      desk.customerId,
    ]);
    const rows = [];
    for (const amount of ['1000.00', '2000.00', '3000.00']) {
      const row = await desk.execute(await desk.quote({ amount }));
      await fund(desk, row);
      rows.push(await settle(desk, order(row)));
    }
    const run = await createRun(desk, EUR, BY);
    assert.equal(run.payment_count, 1);
    const [payment] = await payments(run);
    assert.equal(payment?.items.length, 3);
    assert.equal(
      BigInt(payment?.amount_minor ?? 0),
      rows.reduce((sum, row) => sum + BigInt(row.buy_minor), 0n),
    );
    const [remittance] = element(await xmlOf(run), 'Ustrd');
    for (const row of rows) assert.ok(remittance?.includes(row.reference));
  });

  test('leaves out what no bank could pay, with the reason, and says what it changed', async () => {
    const kanji = await settling();
    const umlaut = await settling();
    const nobank = await settling();
    const holder = (desk: Desk, set: string) =>
      pool.query(`update settlement_instructions set ${set} where customer_id = $1`, [desk.customerId]);
    await holder(kanji.desk, `account_holder = '株式会社'`);
    await holder(umlaut.desk, `account_holder = 'Müller & Søn <GmbH> Łódź', bank_name = '銀行'`);
    await holder(nobank.desk, `iban = null, account_number = '12345678'`);
    const preview = await previewRun(kanji.desk, EUR);
    assert.deepEqual(
      preview.excluded.map(({ due, reason }) => [due.transaction_id, reason]).sort(),
      [
        [kanji.row.id, 'name_not_representable'],
        [nobank.row.id, 'bank_unknown'],
      ].sort(),
    );
    const run = await createRun(kanji.desk, EUR, BY);
    const [payment] = await payments(run);
    assert.deepEqual(JSON.parse(payment?.adjustments ?? ''), [
      { field: 'accountHolder', given: 'Müller & Søn <GmbH> Łódź', sent: 'Muller + Son (GmbH) Lodz' },
      { field: 'bankName', given: '銀行', sent: '' },
    ]);
  });

  test('pays at most 31 days ahead, as all that is due takes its date', async () => {
    const { desk } = await settling();
    const { executionDate } = await previewRun(desk, { currency: 'EUR', valueDate: '2026-04-02' });
    assert.equal(executionDate, '2026-04-02');
    const tooFar = { currency: 'EUR', valueDate: '2026-04-07' };
    const { code, members } = await refusal(createRun(desk, tooFar, BY));
    assert.deepEqual(
      [code, members.reasons],
      ['value_date_invalid', [{ currency: 'EUR', date: '2026-04-07', reason: 'too_far' }]],
    );
  });

  test('is refused on a day on which the currency is not paid, and for what is no currency or date', async () => {
    const { desk } = await settling();
    for (const [wanted, code] of [
      [{ currency: 'EUR', valueDate: '2026-03-07' }, 'value_date_invalid'],
      [{ currency: 'EUR', valueDate: '2099-03-06' }, 'value_date_invalid'],
      [{ currency: 'XXX', valueDate: '2026-03-06' }, 'currency_not_supported'],
      [{ currency: 'EUR', valueDate: '2026-02-30' }, 'validation_failed'],
      [{ currency: 'CHF', valueDate: '2026-03-06' }, 'settlement_instructions_missing'],
    ] as const) {
      assert.equal((await refusal(createRun(desk, wanted, BY))).code, code, JSON.stringify(wanted));
    }
  });
});

test('a file is valid for the schema of pain.001.001.09', async (t) => {
  if (!existsSync(SCHEMA)) return t.skip(`no schema at ${SCHEMA}`);
  if (spawnSync('xmllint', ['--version']).error !== undefined) return t.skip('xmllint is not installed');
  const sepa = await settling();
  const swift = await settling();
  await pool.query(
    `update settlement_instructions set iban = null, account_number = '000123-4567', bic = 'CHASUS33XXX',
       routing_number = '021000021', bank_name = 'Banque & Söhne' where customer_id = $1`,
    [swift.desk.customerId],
  );
  const yen = await settling({ buyCurrency: 'JPY' });
  const folder = mkdtempSync(join(tmpdir(), 'pain-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const request of [EUR, { ...EUR, currency: 'JPY', chargeBearer: 'debtor' as const }]) {
    const xml = await xmlOf(await createRun(sepa.desk, request, BY));
    const path = join(folder, 'file.xml');
    writeFileSync(path, xml);
    execFileSync('xmllint', ['--noout', '--nonet', '--schema', SCHEMA, path], { stdio: 'pipe' });
    assert.match(
      xml,
      request.currency === 'JPY' ? /<InstdAmt Ccy="JPY">\d+</ : /<Cd>SEPA<[\s\S]*<ChrgBr>SHAR</,
    );
  }
  assert.equal((await current(yen.desk, yen.row)).status, 'settling');
});

test('a preview shows two hundred of its payments, and counts and adds up all', async () => {
  const { desk } = await settling();
  const preview = await previewRun(desk, EUR);
  const [payment = assert.fail()] = preview.payments;
  const view = previewView({ ...preview, payments: Array.from({ length: 201 }, () => payment) });
  assert.equal((view.payments as unknown[]).length, 200);
  assert.equal(view.paymentCount, 201);
});

test('over HTTP: preview, run, files with their checksums, payments, sent', async () => {
  const { row } = await settling();
  const path = '/v1/operator/settlement-runs';
  const preview = await server.call('GET', `${path}/preview?currency=EUR&valueDate=2026-03-06`);
  assert.equal(preview.status, 200);
  assert.equal(preview.body.payments[0].items[0].transactionId, typeId('txn', row.id));
  const headers = { 'idempotency-key': 'run-1' };
  const made = await server.call('POST', path, EUR, headers);
  assert.equal(made.status, 201);
  assert.equal(made.headers.location, `${path}/${made.body.runId}`);
  assert.deepEqual((await server.call('POST', path, EUR, headers)).body, made.body);
  assert.deepEqual((await server.call('GET', `${path}/${made.body.runId}`)).body, made.body);
  assert.deepEqual(made.body.downloads, []);
  const [pain] = made.body.files;
  const file = await server.raw('GET', pain.url);
  assert.match(String(file.headers['content-type']), /^application\/xml/);
  assert.equal(createHash('sha256').update(file.rawPayload).digest('hex'), pain.sha256);
  assert.equal(
    file.headers['repr-digest'],
    `sha-256=:${createHash('sha256').update(file.rawPayload).digest('base64')}:`,
  );
  const list = await server.call('GET', `${path}/${made.body.runId}/payments?limit=1`);
  const [{ endToEndId, payeeAccount, items }] = list.body.items;
  assert.deepEqual([endToEndId, items[0].state], [row.reference, 'sent']);
  assert.equal(payeeAccount, preview.body.payments[0].payeeAccount);
  const listed = await server.call('GET', `${path}?currency=EUR&status=created&limit=1`);
  assert.equal(listed.body.items[0].runId, made.body.runId);
  const sent = await server.call('POST', `${path}/${made.body.runId}/mark-sent`, undefined, {
    'if-match': '"v1"',
  });
  assert.equal(sent.body.status, 'sent');
  for (const [method, url, body, code] of [
    ['POST', `${path}/${made.body.runId}/cancel`, undefined, 'invalid_state_transition'],
    ['GET', `${path}/run_x`, undefined, 'settlement_run_not_found'],
    ['GET', `${path}/${made.body.runId}/files/exe`, undefined, 'settlement_run_not_found'],
    ['POST', path, { ...EUR, more: 1 }, 'validation_failed'],
    ['GET', `${path}/preview?currency=EUR&valueDate=x`, undefined, 'validation_failed'],
    ['POST', path, EUR, 'nothing_to_settle'],
  ] as const) {
    assert.equal((await server.call(method, url, body)).body.code, code, url);
  }
  const scope = { authorization: 'Bearer operator:market' };
  assert.equal((await server.call('POST', path, EUR, scope)).status, 403);
});
