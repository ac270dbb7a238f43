import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  moveClock,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { assertReplay, truthNow } from './support/answers.ts';
import type { TestService } from './support/service.ts';

/** What was answered is answered again, whatever has become of it since: docs/interface.md#idempotency. */

let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const withKey = (key: string) => ({ 'Idempotency-Key': key });
const quoteId = async (body = {}) => (await acme.quote(body)).body.quoteId as string;
let keys = 0;
const newKey = () => `key-${++keys}`;

test('one that was never executed says that it was open, beside that it has expired', async () => {
  const key = newKey();
  const first = await acme.quote({ validitySeconds: 10 }, withKey(key));
  await moveClock(service, { advanceSeconds: 10 });
  const late = await acme.quote({ validitySeconds: 10 }, withKey(key));
  assertReplay(late, first);
  assert.deepEqual([late.body.status, truthNow(late)], ['open', ['expired', '0']]);
});

test('the first answer again after the value date was put off, and after the payout went elsewhere', async () => {
  const id = await quoteId();
  const key = newKey();
  const again = () => acme.execute(id, {}, withKey(key));
  const first = await succeed(201, again());
  const { transactionId, reference } = first.body;
  const order = async (name: string, body: object = {}) => {
    const path = `/v1/operator/transactions/${transactionId}/${name}`;
    return (await succeed(200, service.operate('POST', path, body))).body;
  };
  const dates = await acme.get(`/v1/customer/transactions/${transactionId}`);
  assertReplay(await again(), first);
  const weekLater = Date.parse(first.body.settlement.valueDate) + 7 * 86_400_000;
  const valueDate = new Date(weekLater).toISOString().slice(0, 10);
  const rolled = await order('roll-value-date', { valueDate, reason: 'client_request' });
  assert.notEqual(rolled.settlement.fundingCutoffAt, dates.body.settlement.fundingCutoffAt);
  const awaiting = await again();
  assertReplay(awaiting, first);
  assert.deepEqual(truthNow(awaiting), ['awaiting_funds', null]);
  const deposit = { reference, amount: '100000.00', currency: 'USD' };
  await succeed(201, service.operate('POST', '/v1/sandbox/deposits', deposit));
  await order('settle');
  await order('payout-failed', { reason: 'payout_rejected' });
  const account = {
    currency: 'EUR',
    accountHolder: 'Acme Ltd',
    iban: 'FR1420041010050500013M02606',
    bankCountry: 'FR',
  };
  await succeed(201, service.operate('POST', `${acme.path}/settlement-instructions`, account));
  const elsewhere = await order('retry-payout');
  assert.notEqual(elsewhere.payout.destinationId, first.body.payout.destinationId);
  const last = await again();
  assertReplay(last, first);
  assert.deepEqual(truthNow(last), ['settling', null]);
});
