import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** A customer who pays from its balance (docs/interface.md#transactions, transition 2), over HTTP. */

let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service, { settings: { fundingMode: 'pre_funded' } });
});

function topUp(amount: string, bankReference: string) {
  const path = `/v1/operator/customers/${acme.customerId}/balances/top-ups`;
  return service.operate('POST', path, { currency: 'USD', amount, bankReference });
}

test('tops up, trades until the balance is used up, and sees what is left', async () => {
  assert.deepEqual((await acme.get('/v1/customer/balances')).body.items, []);
  await succeed(201, topUp('250000.00', 'T-1'));
  await refused('already_exists', topUp('250000.00', 'T-1'));
  const quotes = [];
  for (let i = 0; i < 3; i++) quotes.push((await acme.quote()).body);
  assert.equal(quotes[0].settlement.fundingMode, 'pre_funded');
  const outcomes = await Promise.all(quotes.map((quote) => acme.execute(quote.quoteId)));
  assert.deepEqual(outcomes.map((each) => each.status).sort(), [201, 201, 422]);
  const done = outcomes.find((each) => each.status === 201);
  assert.deepEqual(
    [done?.body.status, done?.body.funding.mode, done?.body.funding.outstanding, done?.body.funding.received],
    ['funded', 'pre_funded', '0.00', '100000.00'],
  );
  const refusal = outcomes.find((each) => each.status === 422);
  assert.deepEqual(
    [refusal?.body.code, refusal?.body.limitType, refusal?.body.limit, refusal?.body.required],
    ['limit_exceeded', 'balance', '50000.00', '100000.00'],
  );
  const { items, topUpReference } = (await acme.get('/v1/customer/balances')).body;
  assert.deepEqual(items, [{ currency: 'USD', available: '50000.00' }]);
  assert.match(topUpReference, /^RF\d{14}$/);
});

test('an execution that is repeated with its key is answered as it was first, and paid once', async () => {
  await succeed(201, topUp('100000.00', 'T-2'));
  const { quoteId } = (await acme.quote()).body;
  const key = { 'Idempotency-Key': 'once' };
  const first = await acme.execute(quoteId, {}, key);
  const again = await acme.execute(quoteId, {}, key);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.body.funding.received, '100000.00');
  assert.equal(again.body.status, 'funded');
  assert.equal((await acme.get('/v1/customer/balances')).body.items[0].available, '50000.00');
});

test('a balance belongs to its customer, and top-ups to operators', async () => {
  const other = await createCustomer(service);
  assert.deepEqual((await other.get('/v1/customer/balances')).body.items, []);
  assert.equal((await other.get(`/v1/operator/customers/${acme.customerId}/balances`)).status, 403);
});

test('takes money out of its balance, once for each key, and nobody else sees it', async () => {
  const path = '/v1/customer/balances/withdrawals';
  const balance = async () => (await acme.get('/v1/customer/balances')).body.items[0].available;
  const before = await balance();
  const body = { currency: 'USD', amount: '100.00', clientReference: 'OUT-1' };
  await refused('idempotency_key_required', acme.post(path, body));
  const key = { 'Idempotency-Key': 'w-1' };
  const made = await succeed(201, acme.post(path, body, key));
  const again = await succeed(201, acme.post(path, body, key));
  assert.equal(again.body.withdrawalId, made.body.withdrawalId);
  assert.deepEqual([made.body.status, made.body.clientReference], ['pending', 'OUT-1']);
  assert.equal(Number(before) - Number(await balance()), 100);
  const url = `${path}/${made.body.withdrawalId}`;
  assert.equal(made.headers.get('Location'), url);
  assert.equal((await acme.get(path)).body.items[0].withdrawalId, made.body.withdrawalId);
  const other = await createCustomer(service);
  await refused('withdrawal_not_found', other.get(url));
  await refused('withdrawal_not_found', other.post(`${url}/cancel`, undefined));
  assert.deepEqual((await other.get(path)).body.items, []);
  await refused(
    'limit_exceeded',
    acme.post(path, { ...body, amount: '9999999.00' }, { 'Idempotency-Key': 'w-2' }),
  );
  assert.equal((await succeed(200, acme.post(`${url}/cancel`, undefined))).body.status, 'cancelled');
  assert.equal(await balance(), before);
  await refused('invalid_state_transition', acme.post(`${url}/cancel`, undefined));
});

test('its statement of account holds what is in the balance', async () => {
  const { available } = (await acme.get('/v1/customer/balances')).body.items[0];
  const statement = await succeed(
    200,
    acme.get('/v1/customer/statements?from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z&currency=USD'),
  );
  const [dollars] = statement.body.currencies;
  assert.equal(dollars.closingBalance, available);
  const types = dollars.lines.map((line: { type: string }) => line.type);
  assert.ok(types.includes('balance_topped_up') && types.includes('trade_executed'), types.join());
});

test('its statement has the bank’s reference of a top-up that was booked by hand', async () => {
  const topUp = { currency: 'KWD', amount: '70.005', bankReference: 'BY HAND 1' };
  await succeed(201, service.operate('POST', `${acme.path}/balances/top-ups`, topUp));
  const path = '/v1/customer/statements?from=2026-03-01T00:00:00Z&currency=KWD';
  const { lines } = (await succeed(200, acme.get(path))).body.currencies[0];
  assert.deepEqual(
    lines.map(({ type, credit, reference }: Record<string, string>) => [type, credit, reference]),
    [['balance_topped_up', '70.005', 'BY HAND 1']],
  );
});

test('its statement, and the ledger, name the deposit and the withdrawal behind a line', async () => {
  const { topUpReference } = (await acme.get('/v1/customer/balances')).body;
  const deposit = await succeed(
    201,
    service.operate('POST', '/v1/operator/deposits', {
      ...{ bankReference: 'SEEN-1', amount: '70.00', currency: 'USD', remitterName: 'Acme Ltd' },
      remittanceText: topUpReference,
    }),
  );
  const withdrawal = await succeed(
    201,
    acme.post(
      '/v1/customer/balances/withdrawals',
      { currency: 'USD', amount: '70.00', clientReference: 'OUT-2' },
      { 'Idempotency-Key': 'w-70' },
    ),
  );
  const { withdrawalId, reference } = withdrawal.body;
  await succeed(200, service.operate('POST', `/v1/operator/withdrawals/${withdrawalId}/paid`, {}));
  const path = '/v1/customer/statements?from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z&currency=USD';
  const { lines } = (await succeed(200, acme.get(path))).body.currencies[0];
  assert.deepEqual(
    lines
      .filter((line: Record<string, string>) => (line.debit ?? line.credit) === '70.00')
      .map((line: Record<string, string>) => [
        ...[line.type, line.depositId, line.withdrawalId, line.reference, line.clientReference],
      ]),
    [
      ['deposit_allocated', deposit.body.depositId, null, null, null],
      ['withdrawal_paid', null, withdrawalId, reference, 'OUT-2'],
    ],
  );
  const csv = await succeed(200, acme.get(`${path}&format=csv`));
  assert.match(
    csv.text,
    new RegExp(`,withdrawal_paid,,${reference},OUT-2,70.00,,[\\d.]+,,${withdrawalId},,,,\r\n`),
  );
  const postings = await succeed(
    200,
    service.operate(
      'GET',
      `/v1/operator/ledger/accounts/customer_balance/postings?customerId=${acme.customerId}&currency=USD`,
    ),
  );
  assert.equal(postings.body.items.at(-1).kind, 'withdrawal_requested');
  assert.equal(postings.body.items.at(-1).withdrawalId, withdrawalId);
  const entries = (owner: string) =>
    service.operate('GET', `/v1/operator/ledger/entries?${owner}withdrawalId=${withdrawalId}`);
  const { body: found } = await succeed(200, entries(`customerId=${acme.customerId}&`));
  assert.deepEqual(
    found.items.map(({ kind }: { kind: string }) => kind),
    ['withdrawal_paid', 'withdrawal_requested'],
  );
  const { errors } = await refused('validation_failed', entries(''));
  assert.deepEqual(
    errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
    [['/query/withdrawalId', 'required']],
  );
});
