import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { parseTypeId } from '../src/platform/ids.ts';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { Answer, TestService } from './support/service.ts';

/** What operators set takes hold of customers' next call: docs/interface.md#operators. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;

before(async () => {
  service = await startExampleService();
});

async function setRules(rules: readonly Record<string, unknown>[]): Promise<Answer['body']> {
  const current = await service.operate('GET', '/v1/operator/spread-rules');
  const headers = { 'If-Match': current.headers.get('ETag') ?? '' };
  const body = { rules: [{ spreadBps: '20' }, ...rules] };
  return (await succeed(200, service.operate('PUT', '/v1/operator/spread-rules', body, headers))).body;
}

async function spreadOf(customer: Customer): Promise<string> {
  const [quote, estimate] = [await customer.quote(), await customer.post(`${QUOTES}/indicative`, SELL_USD)];
  assert.equal(quote.body.pricing.spreadBps, estimate.body.pricing.spreadBps);
  return quote.body.pricing.spreadBps;
}

describe('spread rules', () => {
  test('the most specific wins, from the next quote on', async () => {
    const acme = await createCustomer(service, { groupName: 'gold' });
    const { customerId } = acme;
    const rules: Record<string, unknown>[] = [];
    for (const [rule, bps] of [
      [{}, '20.00'],
      [{ pair: 'EURUSD', spreadBps: '19' }, '19.00'],
      [{ groupName: 'gold', spreadBps: '18.5' }, '18.50'],
      [{ groupName: 'gold', pair: 'EURUSD', spreadBps: '17' }, '17.00'],
      [{ customerId, spreadBps: '16' }, '16.00'],
      [{ customerId, pair: 'EURUSD', spreadBps: '0' }, '0.00'],
    ] as const) {
      if ('spreadBps' in rule) rules.push(rule);
      await setRules(rules);
      assert.equal(await spreadOf(acme), bps);
    }
    assert.equal(await spreadOf(await createCustomer(service)), '19.00');
    const free = await acme.trade();
    assert.deepEqual(free.body.pricing.markup, { amount: '0.00', currency: 'EUR' });
    await setRules([]);
  });

  test('a quote keeps the rule and version that it was priced with', async () => {
    const acme = await createCustomer(service);
    const { customerId } = acme;
    const first = await setRules([{ customerId, spreadBps: '30' }]);
    const own = first.rules.find((rule: Answer['body']) => rule.customerId === customerId);
    const before = await acme.quote({ validitySeconds: 300 });
    await setRules([{ ruleId: own.ruleId, customerId, spreadBps: '40' }]);
    const after = await acme.quote();
    assert.deepEqual([before.body.pricing.spreadBps, after.body.pricing.spreadBps], ['30.00', '40.00']);
    const { rows } = await service.pool.query(
      'select spread_rule_id, spread_rule_version from priced_quotes where id = any ($1) order by id',
      [[before, after].map(({ body }) => parseTypeId('quote', body.quoteId))],
    );
    const id = parseTypeId('spr', own.ruleId);
    assert.deepEqual(rows, [
      { spread_rule_id: id, spread_rule_version: 1 },
      { spread_rule_id: id, spread_rule_version: 2 },
    ]);
    const trade = await acme.trade(before.body.quoteId);
    assert.equal(trade.body.buyAmount, before.body.buyAmount);
    await setRules([]);
  });

  test('a rule holds from its first instant to before its last, in business time', async () => {
    const acme = await createCustomer(service);
    const now = await moveClock(service, { advanceSeconds: 0 });
    const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
    await setRules([{ customerId: acme.customerId, spreadBps: '50', validFrom: at(60), validTo: at(120) }]);
    assert.equal(await spreadOf(acme), '20.00');
    await moveClock(service, { now: at(60) });
    assert.equal(await spreadOf(acme), '50.00');
    await moveClock(service, { now: at(120) });
    assert.equal(await spreadOf(acme), '20.00');
    await setRules([]);
  });

  test('two operators cannot overwrite each other', async () => {
    const body = { rules: [{ spreadBps: '20' }] };
    await refused('precondition_required', service.operate('PUT', '/v1/operator/spread-rules', body));
    const stale = { 'If-Match': '"v1"' };
    await refused('version_mismatch', service.operate('PUT', '/v1/operator/spread-rules', body, stale));
    const negative = { rules: [{ spreadBps: '-1' }] };
    const any = { 'If-Match': '*' };
    const errors = await fieldErrors(service.operate('PUT', '/v1/operator/spread-rules', negative, any));
    assert.equal(errors[0]?.[0], '/rules/0/spreadBps');
  });
});

test('settings take hold at once', async () => {
  const acme = await createCustomer(service);
  const { quoteId } = (await acme.quote()).body;
  const set = (settings: Record<string, unknown>) =>
    succeed(200, service.operate('PATCH', acme.path, { settings }));
  await set({ requireStatusCheck: true });
  await refused('precondition_required', acme.execute(quoteId));
  await set({ requireStatusCheck: false, pricingDisclosure: 'none', permittedValidities: [15] });
  await acme.trade(quoteId);
  const next = await acme.quote();
  assert.deepEqual([next.body.validitySeconds, next.body.pricing.spreadBps], [15, undefined]);
});

test('an account that goes between quote and execution stops the execution', async () => {
  const acme = await createCustomer(service);
  const { quoteId } = (await acme.quote()).body;
  const path = `${acme.path}/settlement-instructions`;
  const [euro] = (await service.operate('GET', `${path}?currency=EUR`)).body.items;
  await succeed(204, service.operate('DELETE', `${path}/${euro.settlementInstructionId}`));
  await refused('settlement_instructions_missing', acme.execute(quoteId));
  assert.equal((await acme.get(`${QUOTES}/${quoteId}`)).body.status, 'open');
  const account = { currency: 'EUR', accountHolder: 'Acme', iban: 'FR1420041010050500013M02606' };
  await succeed(201, service.operate('POST', path, account));
  const { payout } = (await acme.trade(quoteId)).body;
  assert.equal(payout.destinationMasked, 'FR** **** 2606');
});

test('a deposit is booked once, whoever sends it how often', async () => {
  const acme = await createCustomer(service);
  const { transactionId, reference } = (await acme.trade()).body;
  const deposit = {
    bankReference: `BANK ${reference}`,
    amount: '100000.00',
    currency: 'USD',
    remitterName: 'Acme Ltd',
    remittanceText: `invoice\n${reference.replace(/(.{4})/g, '$1 ')}`,
  };
  const send = (body: object) => service.operate('POST', '/v1/operator/deposits', body);
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(deposit)));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [...Array(9).fill(200), 201]);
  assert.equal(new Set(answers.map((answer) => answer.body.depositId)).size, 1);
  const { funding, status } = (await acme.get(`/v1/customer/transactions/${transactionId}`)).body;
  assert.deepEqual([status, funding.received, funding.deposits.length], ['funded', '100000.00', 1]);
  await refused('already_exists', send({ ...deposit, amount: '1.00' }));
});

test('trades of all customers, with filters and pages', async () => {
  const [acme, other] = [await createCustomer(service), await createCustomer(service)];
  for (const customer of [acme, other, acme, acme]) await customer.trade();
  const list = '/v1/operator/transactions';
  const mine = await succeed(200, service.operate('GET', `${list}?customerId=${acme.customerId}&limit=2`));
  assert.equal(mine.body.items.length, 2);
  const next = mine.headers.get('Link')?.match(/^<([^>]+)>/)?.[1] ?? '';
  const rest = await succeed(200, service.operate('GET', next));
  const items = [...mine.body.items, ...rest.body.items];
  assert.equal(new Set(items.map((item) => item.transactionId)).size, 3);
  assert.ok(items.every((item) => item.customerId === acme.customerId));
  const theirs = await service.operate('GET', `${list}?status=awaiting_funds&customerId=${other.customerId}`);
  assert.equal(theirs.body.items.length, 1);
  const cursor = mine.body.nextCursor;
  await refused('cursor_invalid', service.operate('GET', `${list}?cursor=${cursor}`));
});
