import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import * as api from '@firmquote/api/operations/reports';
import { topUpBalance } from '../src/balances/balances.ts';
import { postEntries } from '../src/ledger/journal.ts';
import { isoInstant } from '../src/platform/clock.ts';
import { newUuid, typeId, uuidOf } from '../src/platform/ids.ts';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { createTestDatabase } from './support/database.ts';
import { keepReports } from './support/report-jobs.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/** Reports of operators and documents of customers, over HTTP. */

const REPORTS = '/v1/operator/reports';
const FROM = 'from=2026-03-04T00:00:00Z';
let service: TestService;
let acme: Customer;
let other: Customer;
let traded: Answer['body'];

const get = (path: string) => service.operate('GET', `${REPORTS}${path}`);

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  other = await createCustomer(service);
  const quote = await acme.quote({ clientReference: '=HYPERLINK("http://evil.example","x")' });
  traded = (await acme.trade(quote.body.quoteId)).body;
  await acme.trade();
  const deposit = { currency: 'USD', remitterName: 'Acme Ltd' };
  const post = (body: object) => service.operate('POST', '/v1/operator/deposits', { ...deposit, ...body });
  await succeed(201, post({ bankReference: 'B-1', amount: '100000.00', remittanceText: traded.reference }));
  await succeed(201, post({ bankReference: 'B-2', amount: '5.00', remittanceText: 'hello' }));
});

/** Reports wait for a sweep of the service; the sandbox's clock runs what is due before it answers. */
async function completed(location: string, of: TestService = service): Promise<Answer['body']> {
  for (let i = 0; i < 20; i++) {
    await moveClock(of, { advanceSeconds: 1 });
    const { body } = await succeed(200, of.operate('GET', location));
    if (body.status === 'completed') return body;
  }
  throw new Error('the report was not made');
}

describe('reports', () => {
  test('are answered as JSON and as CSV that no spreadsheet runs', async () => {
    const { body } = await succeed(200, get(`/blotter?${FROM}`));
    assert.deepEqual([body.report, body.rowCount, body.items.length], ['blotter', 2, 2]);
    assert.equal(body.items[0].transactionId, traded.transactionId);
    const csv = await succeed(200, get(`/blotter?${FROM}&format=csv`));
    assert.match(csv.headers.get('Content-Type') ?? '', /^text\/csv/);
    assert.match(csv.headers.get('Content-Disposition') ?? '', /filename="blotter\.csv"/);
    assert.ok(csv.text.includes(`"'=HYPERLINK(""http://evil.example"",""x"")"`), csv.text);
    assert.ok(csv.text.endsWith('\r\n'));
  });

  test('of money add up', async () => {
    const { body, headers } = await succeed(200, get(`/reconciliation?${FROM}`));
    assert.equal(body.balanced, true);
    assert.equal(headers.get('X-Firmquote-Alarm'), null);
    const [row] = body.items;
    assert.deepEqual(
      [row.received, row.matched, row.inExceptions, row.returned, row.difference, row.result],
      ['100005.00', '100000.00', '5.00', '0.00', '0.00', 'adds_up'],
    );
    await service.pool.query(`update deposit_allocations set allocated_minor = allocated_minor - 1`);
    const wrong = await succeed(200, get(`/reconciliation?${FROM}&format=csv`));
    assert.equal(wrong.headers.get('X-Firmquote-Alarm'), 'does-not-add-up');
    assert.match(wrong.text, /,0\.01,.*DOES_NOT_ADD_UP/);
    await service.pool.query(`update deposit_allocations set allocated_minor = allocated_minor + 1`);
  });

  test('each have their own parameters', async () => {
    assert.deepEqual(await fieldErrors(get('/blotter?format=pdf&x=1')), [
      ['/query/format', 'not_permitted'],
      ['/query/from', 'required'],
      ['/query/x', 'unknown_field'],
    ]);
    assert.deepEqual(await fieldErrors(get('/exposure?from=2026-03-04T00:00:00Z')), [
      ['/query/from', 'unknown_field'],
    ]);
    assert.deepEqual(await fieldErrors(get('/exposure?to=2126-03-04T00:00:00Z')), [
      ['/query/to', 'out_of_range'],
    ]);
    assert.equal((await succeed(200, get('/exposure?to=2020-03-04T00:00:00Z'))).body.rowCount, 0);
    assert.deepEqual(
      await fieldErrors(get('/settlement-ladder?from=2026-03-05&to=2026-03-04&currency=ZZZ')),
      [
        ['/query/to', 'before_start'],
        ['/query/currency', 'wrong_format'],
      ],
    );
    assert.deepEqual(
      await fieldErrors(
        get('/spread-revenue?from=2026-03-05T00:00:00Z&to=2026-03-05T00:00:00Z&customerId=1'),
      ),
      [
        ['/query/to', 'out_of_range'],
        ['/query/customerId', 'wrong_format'],
      ],
    );
    const noTime = 'from=2026-03-05T00:00:00Z&to=2026-03-05T00:00:00Z';
    for (const path of [
      `${REPORTS}/blotter?${noTime}`,
      `/v1/operator/market/bars?pair=EURUSD&interval=1m&${noTime}`,
      `/v1/operator/audit?${noTime}`,
    ]) {
      const { errors } = await refused('validation_failed', service.operate('GET', path));
      assert.deepEqual(errors, [
        { pointer: '/query/to', code: 'out_of_range', detail: 'must be later than `from`' },
      ]);
    }
    // Without an end a range goes up to now, which the caller has not named.
    assert.deepEqual(await fieldErrors(get('/blotter?from=2126-03-05T00:00:00Z')), [
      ['/query/from', 'out_of_range'],
    ]);
    await succeed(200, get('/settlement-ladder?from=2026-03-05&to=2026-03-05'));
    for (const name of ['settlement-ladder', 'exposure', 'overdue']) await succeed(200, get(`/${name}`));
    await refused('report_not_found', get('/profit'));
    await refused('insufficient_scope', service.call('GET', `${REPORTS}/overdue`));
  });
});

test('no report is of a customer that there is not', async () => {
  const customerId = typeId('cus', newUuid(1));
  for (const [name, { range, filters }] of Object.entries(api.REPORTS)) {
    if (!filters.some((each) => each === 'customerId')) continue;
    const from = range === 'instants' ? `${FROM}&` : '';
    await refused('customer_not_found', get(`/${name}?${from}customerId=${customerId}`));
  }
});

describe('reports in the background', () => {
  test('are not of a customer that there is not', async () => {
    const body = { report: 'spread-revenue', from: '2026-03-04T00:00:00Z' };
    const customerId = typeId('cus', newUuid(1));
    await refused('customer_not_found', service.operate('POST', REPORTS, { ...body, customerId }));
  });

  test('are asked for, watched, fetched and deleted', async () => {
    const body = {
      report: 'blotter',
      format: 'csv',
      from: '2026-03-04T00:00:00Z',
      to: '2026-03-05T00:00:00Z',
    };
    const headers = { 'Idempotency-Key': 'report-1' };
    const asked = await succeed(202, service.operate('POST', REPORTS, body, headers));
    assert.deepEqual([asked.body.status, asked.body.contentUrl], ['queued', null]);
    const again = await succeed(202, service.operate('POST', REPORTS, body, headers));
    assert.equal(again.body.reportId, asked.body.reportId);
    const location = asked.headers.get('Location') ?? '';
    const job = await completed(location);
    assert.equal(job.rows, 2);
    const file = await succeed(200, service.operate('GET', job.contentUrl));
    assert.equal(createHash('sha256').update(file.text).digest('hex'), job.sha256);
    assert.equal(file.headers.get('Content-Length'), String(job.bytes));
    // Of many that are saved, the name says which it is.
    const name = `filename="blotter-${job.createdAt.slice(0, 10)}.csv"`;
    assert.equal(file.headers.get('Content-Disposition'), `attachment; ${name}`);
    const digest = Buffer.from(job.sha256, 'hex').toString('base64');
    assert.equal(file.headers.get('Repr-Digest'), `sha-256=:${digest}:`);
    const direct = await get(`/blotter?from=${body.from}&to=${body.to}&format=csv`);
    assert.equal(file.text, direct.text);
    const { body: list } = await succeed(200, get(''));
    assert.deepEqual(
      list.items.map(({ reportId }: { reportId: string }) => reportId),
      [job.reportId],
    );
    await succeed(204, service.operate('DELETE', location));
    await refused('report_not_found', service.operate('GET', location));
    await refused('report_not_found', service.operate('GET', `${location}/content`));
  });

  test('have no file before they are complete', async () => {
    const [id] = await keepReports(service.pool, 1, 'running');
    const location = `${REPORTS}/${typeId('rep', id ?? '')}`;
    const { body, headers } = await succeed(200, service.operate('GET', location));
    assert.deepEqual([body.status, headers.get('Retry-After')], ['running', '2']);
    await refused('report_not_ready', service.operate('GET', `${location}/content`), {
      reportStatus: 'running',
    });
    await succeed(204, service.operate('DELETE', location));
  });

  test('are worth waiting for while they are made, and not once they have failed', async () => {
    for (const [status, wait] of [
      ['running', '2'],
      ['failed', null],
    ] as const) {
      const [id] = await keepReports(service.pool, 1, status);
      const location = `${REPORTS}/${typeId('rep', id ?? '')}`;
      const { body, headers } = await service.operate('GET', `${location}/content`);
      assert.deepEqual([body.code, headers.get('Retry-After')], ['report_not_ready', wait], status);
      await succeed(204, service.operate('DELETE', location));
    }
  });

  test('survive a service that was killed while it made them', async () => {
    const database = await createTestDatabase();
    const first = await startTestService({}, { database });
    await first.stop();
    // What a killed service leaves: a claimed report whose lease has run out, and a piece of it.
    const { rows } = await database.pool.query<{ id: string }>(
      `insert into report_jobs (id, report, format, parameters, requested_by, status, attempts, lease, lease_until,
         pieces, created_at, expires_at)
       values (gen_random_uuid(), 'overdue', 'csv', '{}', gen_random_uuid(), 'running', 1, gen_random_uuid(),
         now() - interval '1 second', 1, now(), now() + interval '30 days') returning id`,
    );
    const id = rows[0]?.id ?? '';
    await database.pool.query(`insert into report_pieces values ($1, 1, 'half a li')`, [id]);
    const second = await startTestService({}, { database });
    const job = await completed(`${REPORTS}/${typeId('rep', id)}`, second);
    const file = await succeed(200, second.operate('GET', job.contentUrl));
    assert.match(file.text, /^transactionId,[^\r\n]+\r\n$/);
    await second.stop();
  });

  test('are refused with wrong parameters, at once', async () => {
    const post = (body: unknown) => service.operate('POST', REPORTS, body);
    assert.deepEqual(await fieldErrors(post({ report: 'profit' })), [['/report', 'not_permitted']]);
    assert.deepEqual(await fieldErrors(post({ report: 'blotter', from: 'yesterday', currency: 'USD' })), [
      ['/from', 'wrong_format'],
      ['/currency', 'unknown_field'],
    ]);
    await refused('report_not_found', get('/rep_00000000000000000000000000'));
    await refused('report_not_found', get('/1'));
  });

  test('expire', async () => {
    const asked = await succeed(202, service.operate('POST', REPORTS, { report: 'overdue' }));
    const location = asked.headers.get('Location') ?? '';
    await completed(location);
    await moveClock(service, { advanceSeconds: 8 * 86_400 });
    await refused('report_not_found', service.operate('GET', location));
  });
});

describe("a customer's documents", () => {
  test('the statement of a period', async () => {
    const path = `/v1/customer/statements?${FROM}&to=2026-03-04T23:00:00Z`;
    const { body } = await succeed(200, acme.get(`${path}&currency=USD`));
    assert.equal(body.currencies.length, 1);
    const [dollars] = body.currencies;
    assert.deepEqual([dollars.openingBalance, dollars.closingBalance], ['0.00', '-100000.00']);
    assert.deepEqual(
      dollars.lines.map(({ type, reference, debit, credit, balance }: Record<string, string>) => [
        type,
        reference === traded.reference,
        debit,
        credit,
        balance,
      ]),
      [
        ['trade_executed', true, '100000.00', null, '-100000.00'],
        ['trade_executed', false, '100000.00', null, '-200000.00'],
        ['deposit_allocated', true, null, '100000.00', '-100000.00'],
      ],
    );
    const csv = await succeed(200, acme.get(`${path}&format=csv`));
    const lines = csv.text.trimEnd().split('\r\n');
    assert.equal(
      lines[0],
      'currency,at,type,transactionId,reference,clientReference,debit,credit,balance,depositId,withdrawalId,debtReason,debtBooked,debtReleased,debt',
    );
    assert.equal(lines.filter((line) => line.includes(',closing_balance,')).length, 2);
    const nothing = await succeed(200, other.get(path));
    assert.deepEqual(nothing.body.currencies, []);
    assert.deepEqual(await fieldErrors(acme.get('/v1/customer/statements')), [['/query/from', 'required']]);
    await refused('token_missing', service.call('GET', path, { token: null }));
  });

  test('a statement ends now where its period has not ended, so that the next one goes on from there', async () => {
    const { body: first } = await succeed(
      200,
      acme.get(`/v1/customer/statements?${FROM}&to=2099-01-01T00:00:00Z`),
    );
    assert.equal(first.to, first.generatedAt);
    const csv = await succeed(
      200,
      acme.get(`/v1/customer/statements?${FROM}&to=2099-01-01T00:00:00Z&format=csv`),
    );
    assert.doesNotMatch(csv.text, /2099/);
    await moveClock(service, { advanceSeconds: 60 });
    await acme.trade();
    await moveClock(service, { advanceSeconds: 60 });
    const { body: second } = await succeed(200, acme.get(`/v1/customer/statements?from=${first.to}`));
    for (const { currency, closingBalance } of first.currencies) {
      const next = second.currencies.find((each: Answer['body']) => each.currency === currency);
      assert.equal(next.openingBalance, closingBalance, currency);
    }
    const future = '/v1/customer/statements?from=2098-01-01T00:00:00Z&to=2099-01-01T00:00:00Z';
    assert.deepEqual(await fieldErrors(acme.get(future)), [['/query/from', 'out_of_range']]);
  });

  test('has what was booked in its last moment and is committed later', async () => {
    const { pool } = service;
    const at = await moveClock(service, { advanceSeconds: 60 });
    const end = isoInstant(at + 1);
    const path = `?from=${isoInstant(at - 1000)}&to=${end}`;
    const held = await pool.connect();
    const late = await createCustomer(service);
    const customerId = uuidOf('cus', late.customerId);
    await held.query('begin');
    const topUp = { customerId, currency: 'EUR', amountMinor: 12_345n, bankReference: 'LAST' };
    await topUpBalance(held, topUp, at);
    const postings = [
      { account: 'close_out_result', currency: 'EUR', amount: 7n },
      { account: 'markup_revenue', currency: 'EUR', amount: -7n },
    ] as const;
    await postEntries(held, [{ customerId, kind: 'close_out', postings }], at);
    const asked = [late.get(`/v1/customer/statements${path}`), get(`/spread-revenue${path}`)];
    await delay(300);
    await held.query('commit');
    held.release();
    const [statement, report] = await Promise.all(asked.map((each) => succeed(200, each)));
    assert.equal(statement?.body.to, end);
    assert.deepEqual(
      statement?.body.currencies.map((each: Answer['body']) => [each.closingBalance, each.lines.length]),
      [['123.45', 1]],
    );
    assert.deepEqual(
      report?.body.items.map((each: Answer['body']) => each.net),
      ['0.07'],
    );
  });

  test("operators read a customer's statement as the customer does", async () => {
    const path = `/v1/operator/customers/${acme.customerId}/statements`;
    const range = `?${FROM}&to=2026-03-04T14:30:00Z`;
    for (const query of [range, `${range}&format=csv`, `${range}&currency=EUR`]) {
      const own = await succeed(200, acme.get(`/v1/customer/statements${query}`));
      const shown = await succeed(200, service.operate('GET', `${path}${query}`));
      const at = (text: string) => text.replace(/"generatedAt":"[^"]+"/, '');
      assert.equal(at(shown.text), at(own.text));
      assert.equal(shown.headers.get('Content-Type'), own.headers.get('Content-Type'));
    }
    const whole = await succeed(200, service.operate('GET', `${path}?${FROM}`));
    assert.ok(whole.body.currencies.length > 1);
    await refused(
      'customer_not_found',
      service.operate('GET', `/v1/operator/customers/cus_1/statements?${FROM}`),
    );
    assert.deepEqual(
      await fieldErrors(service.operate('GET', `${path}?from=2027-01-01T00:00:00Z&to=2027-01-02T00:00:00Z`)),
      [['/query/from', 'out_of_range']],
    );
  });

  test('the confirmation of a trade, for its customer only', async () => {
    const path = `/v1/customer/transactions/${traded.transactionId}/confirmation`;
    const { body } = await succeed(200, acme.get(path));
    assert.deepEqual(
      [body.customerName, body.customerSells, body.customerBuys, body.rate, body.rateMeans, body.valueDate],
      ['Acme Ltd', '100000.00', '91987.01', '1.08711', 'USD for one EUR', '2026-03-06'],
    );
    const csv = await succeed(200, acme.get(`${path}?format=csv`));
    const [head, values] = csv.text.split('\r\n');
    assert.equal(head, Object.keys(body).join(','));
    assert.ok(values?.startsWith('trade_confirmation,'));
    const pdf = await succeed(200, acme.get(`${path}?format=pdf`));
    assert.equal(pdf.headers.get('Content-Type'), 'application/pdf');
    assert.match(pdf.headers.get('Content-Disposition') ?? '', /filename="confirmation-RF\d{14}\.pdf"/);
    const shown = pdf.text.split('\n');
    for (const text of ['100000.00 USD', '91987.01 EUR', 'Acme Ltd', traded.transactionId]) {
      assert.ok(shown.includes(text), text);
    }
    await refused('transaction_not_found', other.get(path));
    await refused('transaction_not_found', acme.get('/v1/customer/transactions/txn_1/confirmation'));
    assert.deepEqual(await fieldErrors(acme.get(`${path}?format=docx`)), [
      ['/query/format', 'not_permitted'],
    ]);
  });
});
