import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forgetQuotes } from '../src/quotes/forget-quotes.ts';
import {
  type Customer,
  createCustomer,
  moveClock,
  SELL_USD,
  startExampleService,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** What a customer sees of a quote that came to nothing and is past its retention: docs/interface.md#quotes. */

const QUOTES = '/v1/customer/quotes';
const KEPT_DAYS = 1_827;
const KEY = { 'Idempotency-Key': 'one' };
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

test('a forgotten quote is one that never was, and its key is free', async () => {
  const now = await moveClock(service, { now: '2026-03-04T14:30:00.252Z' });
  const made = await acme.post(QUOTES, SELL_USD, KEY);
  assert.equal(made.status, 201, made.text);
  const path = `${QUOTES}/${made.body.quoteId}`;
  const unknown = `${QUOTES}/quote_01jngx7z5d2m8r4v6t9k3b1c0a`;
  assert.equal((await acme.post(`${path}/cancel`)).status, 200);
  assert.equal((await acme.post(QUOTES, SELL_USD, KEY)).headers.get('Idempotency-Replayed'), 'true');
  assert.equal((await acme.get(QUOTES)).body.items.length, 1);

  const clock = { now: () => now + (KEPT_DAYS + 2) * 86_400_000 };
  assert.equal(await forgetQuotes({ pool: service.pool, clock, keptDays: KEPT_DAYS }), 1);

  const reported = (answer: Awaited<ReturnType<Customer['get']>>) => {
    const { requestId: _, instance: __, ...body } = answer.body;
    return [answer.status, body];
  };
  for (const below of ['', '/explain', '/terms'])
    assert.deepEqual(
      reported(await acme.get(`${path}${below}`)),
      reported(await acme.get(`${unknown}${below}`)),
      below,
    );
  for (const below of ['/cancel', '/execute'])
    assert.deepEqual(
      reported(await acme.post(`${path}${below}`)),
      reported(await acme.post(`${unknown}${below}`)),
      below,
    );
  assert.equal((await acme.get(path)).body.code, 'quote_not_found');
  assert.deepEqual((await acme.get(QUOTES)).body.items, []);
  const operators = await service.operate('GET', `/v1/operator/quotes/${made.body.quoteId}`);
  assert.equal(operators.status, 404);

  const again = await acme.post(QUOTES, SELL_USD, KEY);
  assert.equal(again.status, 201, again.text);
  assert.equal(again.headers.get('Idempotency-Replayed'), null);
  assert.notEqual(again.body.quoteId, made.body.quoteId);
});
