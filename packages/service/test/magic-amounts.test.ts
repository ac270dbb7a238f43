import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { makeReference } from '@firmquote/fx';
import { startApplication } from '../src/application.ts';
import { loadConfig } from '../src/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import {
  type Customer,
  createCustomer,
  EXAMPLE_NOW,
  fieldErrors,
  letBankPay,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { assertBooksBalance } from './support/books.ts';
import { createTestDatabase } from './support/database.ts';
import type { Answer, TestService } from './support/service.ts';

/** The sandbox's drills and knobs: docs/interface.md#sandbox. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  await letBankPay(service);
  acme = await createCustomer(service);
});

/** Executes a quote of the amount, and reads the trade after business time has gone on. */
async function after(amount: string, seconds: number): Promise<Answer['body']> {
  const { body } = await acme.quote({ amount });
  const { transactionId } = (await acme.trade(body.quoteId)).body;
  await moveClock(service, { advanceSeconds: seconds });
  const answer = await succeed(200, acme.get(`/v1/customer/transactions/${transactionId}`));
  conforms('transaction', answer);
  return answer.body;
}

const statuses = (body: Answer['body']) => body.timeline.map((entry: { status: string }) => entry.status);
const THROUGH = ['awaiting_funds', 'funded', 'settling', 'settled'];

describe('magic amounts', () => {
  test('901: no firm quote, an estimate all the same', async () => {
    for (const amount of ['901', '901.99', '17901.00']) {
      await refused('price_unavailable', acme.post(QUOTES, { ...SELL_USD, amount }));
      await succeed(200, acme.post(`${QUOTES}/indicative`, { ...SELL_USD, amount }));
    }
    const buy = { ...SELL_USD, fixedSide: 'buy', amount: '2901.00' };
    await refused('price_unavailable', acme.post(QUOTES, buy));
    await acme.quote({ amount: '9010.00' });
  });

  test('902: the quote lives a second', async () => {
    const { body } = await acme.quote({ amount: '5902.00' });
    assert.equal(Date.parse(body.expiresAt) - Date.parse(body.createdAt), 1_000);
    assert.equal(body.validityTruncated, true);
    await moveClock(service, { advanceSeconds: 1 });
    await refused('quote_expired', acme.execute(body.quoteId));
  });

  test('903: the quote is withdrawn after a second', async () => {
    const { body } = await acme.quote({ amount: '903.00' });
    assert.equal(body.status, 'open');
    await moveClock(service, { advanceSeconds: 1 });
    const read = (await acme.get(`${QUOTES}/${body.quoteId}`)).body;
    assert.deepEqual([read.status, read.statusReason], ['withdrawn', 'sandbox_scenario']);
    await refused('quote_withdrawn', acme.execute(body.quoteId));
  });

  test('904: the trade is made and its answer lost; the same request again finds it', async () => {
    const { body } = await acme.quote({ amount: '904.00' });
    const path = `${QUOTES}/${body.quoteId}`;
    const lost = new AbortController();
    const headers = { Authorization: `Bearer ${acme.token}`, 'Idempotency-Key': 'drill' };
    const first = fetch(`${service.baseUrl}${path}/execute`, {
      method: 'POST',
      headers,
      signal: lost.signal,
    });
    while ((await acme.get(path)).body.status === 'open');
    lost.abort();
    await assert.rejects(first, { name: 'AbortError' });
    const { transactionId } = (await acme.get(path)).body;
    const again = await succeed(201, acme.execute(body.quoteId, undefined, { 'Idempotency-Key': 'drill' }));
    assert.equal(again.body.transactionId, transactionId);
    assert.equal(again.headers.get('Idempotency-Replayed'), 'true');
    await refused('quote_already_executed', acme.execute(body.quoteId), { transactionId });
  });

  test('905: the deposit comes one dollar short, which is forgiven where it is little', async () => {
    const large = await after('1905.00', 30);
    assert.deepEqual(statuses(large), THROUGH);
    const { received, shortfall, outstanding } = large.funding;
    assert.deepEqual([received, shortfall, outstanding], ['1904.00', '1.00', '0.00']);
    assert.equal(large.funding.deposits[0].matchRule, 'reference_short_tolerated');
    // 905: one dollar is within half a percent; 100 yen of a tiny trade would not be.
    const yen = await acme.quote({ sellCurrency: 'JPY', amount: '1905' });
    const { transactionId } = (await acme.trade(yen.body.quoteId)).body;
    await moveClock(service, { advanceSeconds: 30 });
    const { funding } = (await acme.get(`/v1/customer/transactions/${transactionId}`)).body;
    assert.deepEqual([funding.received, funding.shortfall], ['1904', '1']);
  });

  test('906: one dollar too much is kept apart', async () => {
    const body = await after('906.00', 30);
    assert.deepEqual(statuses(body), THROUGH);
    assert.deepEqual([body.funding.received, body.funding.excess], ['906.00', '1.00']);
  });

  test('907: no deposit, overdue at the cut-off', async () => {
    const { body } = await acme.quote({ amount: '907.00' });
    const { transactionId } = (await acme.trade(body.quoteId)).body;
    await moveClock(service, { now: body.settlement.fundingCutoffAt });
    const read = (await acme.get(`/v1/customer/transactions/${transactionId}`)).body;
    assert.deepEqual([read.status, read.statusReason], ['overdue', 'funding_not_received']);
    assert.deepEqual(read.funding.deposits, []);
    await moveClock(service, { now: EXAMPLE_NOW });
  });

  test('908: the payout fails once, then works', async () => {
    const body = await after('908.00', 60);
    assert.deepEqual(statuses(body), [...THROUGH.slice(0, 3), 'settlement_failed', 'settling', 'settled']);
    assert.deepEqual([body.status, body.failure, body.payout.status], ['settled', null, 'paid']);
  });

  test('909: settled, then returned', async () => {
    const body = await after('909.00', 60);
    assert.deepEqual(statuses(body), [...THROUGH, 'settlement_failed']);
    assert.deepEqual([body.failure.code, body.payout.status], ['payout_returned', 'returned']);
  });

  test('910: two deposits of half each', async () => {
    const body = await after('910.01', 60);
    assert.deepEqual(
      body.funding.deposits.map((deposit: Answer['body']) => deposit.amount),
      ['455.00', '455.01'],
    );
    assert.deepEqual(statuses(body), ['awaiting_funds', 'partially_funded', ...THROUGH.slice(1)]);
  });

  test('any other: paid in after 5 seconds, settled after 10', async () => {
    // One of several, since a machine that takes a second between trade and answer sees it paid already.
    const early: string[] = [];
    for (let i = 0; i < 5 && !early.includes('awaiting_funds'); i += 1)
      early.push(statuses(await after('911.00', 4)).join());
    assert.ok(early.includes('awaiting_funds'), early.join(' '));
    assert.deepEqual(statuses(await after('900.00', 12)), THROUGH);
    await assertBooksBalance(service.pool);
  });
});

describe('the clock', () => {
  test('stands where it is set, and goes on from there', async () => {
    const now = await moveClock(service, { now: '2026-03-04T14:30:00.000Z' });
    assert.ok(now - Date.parse(EXAMPLE_NOW) < 5_000);
    const later = await moveClock(service, { advanceSeconds: 3_600 });
    assert.ok(later - now >= 3_600_000 && later - now < 3_605_000);
    const back = await moveClock(service, { advanceSeconds: -3_600 });
    assert.ok(back < later);
    const real = await moveClock(service, { real: true });
    assert.ok(Math.abs(real - Date.now()) < 5_000);
    await moveClock(service, { now: EXAMPLE_NOW });
  });

  test('moves neither tokens nor rate limits', async () => {
    await moveClock(service, { advanceSeconds: 2 * 86_400 });
    await succeed(200, acme.get('/v1/customer/transactions'));
    await moveClock(service, { now: EXAMPLE_NOW });
  });

  test('takes exactly one of its fields', async () => {
    for (const body of [
      {},
      { advanceSeconds: 1, real: true },
      { advanceSeconds: 1.5 },
      { advanceSeconds: '60' },
      { advanceSeconds: 1e12 },
      { now: 'noon' },
      { now: '2026-02-30T00:00:00Z' },
      { real: false },
      { stop: true },
    ]) {
      await fieldErrors(service.operate('POST', '/v1/sandbox/clock', body));
    }
  });
});

describe('the bank', () => {
  test('waits for deposits and value dates when told to', async () => {
    const calm = { autoDeposit: false, settlement: 'calendar' };
    assert.deepEqual((await succeed(200, service.operate('POST', '/v1/sandbox/bank', calm))).body, calm);
    const body = await after('100000.00', 600);
    assert.equal(body.status, 'awaiting_funds');
    const { reference, transactionId } = body;
    const deposit = { reference, amount: '100000.00', currency: 'USD', remitterName: 'Acme Ltd' };
    const sent = await succeed(201, service.operate('POST', '/v1/sandbox/deposits', deposit));
    assert.deepEqual([sent.body.status, sent.body.remitterName], ['matched', 'Acme Ltd']);
    const path = `/v1/customer/transactions/${transactionId}`;
    await moveClock(service, { now: '2026-03-05T23:00:00.000Z' });
    assert.equal((await acme.get(path)).body.status, 'funded');
    await moveClock(service, { now: '2026-03-06T12:00:00.000Z' });
    assert.equal((await acme.get(path)).body.status, 'settled');
    const part = await succeed(200, service.operate('POST', '/v1/sandbox/bank', { settlement: 'fast' }));
    assert.deepEqual(part.body, { autoDeposit: false, settlement: 'fast' });
    await moveClock(service, { now: EXAMPLE_NOW });
  });

  test('money that belongs nowhere is kept for somebody to look at', async () => {
    for (const [reference, currency, reason] of [
      ['thank you', 'USD', 'no_reference'],
      [makeReference(7n), 'USD', 'unknown_reference'],
    ] as const) {
      const deposit = { reference, amount: '5.00', currency };
      const { body } = await succeed(201, service.operate('POST', '/v1/sandbox/deposits', deposit));
      assert.equal(body.exception.reason, reason);
      const read = await succeed(200, service.operate('GET', `/v1/operator/deposits/${body.depositId}`));
      assert.deepEqual(read.body, body);
    }
  });
});

test('what cannot be made to happen', async () => {
  await refused('route_not_found', service.operate('POST', '/v1/sandbox/weather', {}));
  const { transactionId } = (await acme.trade()).body;
  const path = `/v1/sandbox/transactions/${transactionId}`;
  await refused('route_not_found', service.operate('POST', `${path}/explode`));
  await refused('transaction_not_found', service.operate('POST', '/v1/sandbox/transactions/txn_x/settle'));
  await refused('invalid_state_transition', service.operate('POST', `${path}/payout-returned`));
});

test('in production there is nothing at these addresses', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fq-production-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const production = await startApplication(
    loadConfig({
      FIRMQUOTE_MODE: 'production',
      FIRMQUOTE_TRUST_PROXY: 'none',
      FIRMQUOTE_UNSAFE_DATABASE: 'warn',
      FIRMQUOTE_PORT: String(port),
      FIRMQUOTE_DATA_DIR: folder,
      FIRMQUOTE_BASE_URL: 'https://fx.example.com',
      FIRMQUOTE_SOURCES: 'push',
      FIRMQUOTE_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_URL: (await createTestDatabase()).url,
    }),
    createLogger('silent'),
  );
  t.after(() => production.stop());
  assert.equal(production.sandbox, undefined);
  for (const path of [
    'market',
    'clock',
    'bank',
    'bank/entries',
    'bank/statements',
    'deposits',
    'deposits/dep_x/return',
    'transactions/txn_x/settle',
  ]) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/sandbox/${path}`, { method: 'POST' });
    assert.deepEqual(
      [answer.status, ((await answer.json()) as { code: string }).code],
      [404, 'route_not_found'],
      path,
    );
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
