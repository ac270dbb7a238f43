import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import {
  type Customer,
  callsWith,
  createCustomer,
  refused,
  SELL_USD,
  succeed,
} from './support/acceptance.ts';
import { until } from './support/process.ts';
import { startTestService, type TestService } from './support/service.ts';

/** A suspension counts with its commit, on an instance that has not heard of it as well. */

const QUOTES = '/v1/customer/quotes';
const INDICATIVE = `${QUOTES}/indicative`;
let service: TestService;
let other: TestService;
let acme: Customer;
/** The same customer on the other instance, which knew it as active a moment ago. */
let elsewhere: ReturnType<typeof callsWith>;

before(async () => {
  service = await startTestService();
  other = await startTestService({}, { database: service.database });
});

beforeEach(async () => {
  acme = await createCustomer(service);
  const token = await other.token(acme.clientId, acme.clientSecret);
  elsewhere = callsWith(other, token);
});

const order = (name: 'suspend' | 'resume') =>
  succeed(
    200,
    service.operate('POST', `${acme.path}/${name}`, name === 'suspend' ? { reason: 'fraud' } : undefined),
  );

/** That a customer may trade again is known to the other instance within seconds. */
const followed = () =>
  until(
    'the other instance lets it trade',
    async () => (await elsewhere.post(INDICATIVE, SELL_USD)).status === 200,
  );

async function statesOf(): Promise<Record<string, number>> {
  const { body } = await succeed(200, acme.get(`${QUOTES}?limit=200`));
  const states: Record<string, number> = {};
  for (const { status } of body.items) states[status] = (states[status] ?? 0) + 1;
  return states;
}

test('no quote, no execution and no withdrawal anywhere, and what was open stays withdrawn after it', async () => {
  const [here, there] = [
    await acme.quote({ validitySeconds: 300 }),
    await elsewhere.quote({ validitySeconds: 300 }),
  ];
  const topUp = { currency: 'USD', amount: '500.00', bankReference: `B-${acme.clientId}` };
  await succeed(201, service.operate('POST', `${acme.path}/balances/top-ups`, topUp));
  const withdraw = (amount: string) =>
    elsewhere.post(
      '/v1/customer/balances/withdrawals',
      { currency: 'USD', amount },
      { 'Idempotency-Key': `w-${amount}` },
    );
  await succeed(201, withdraw('1.00'));
  const [key, kept] = [{ 'Idempotency-Key': 'while suspended' }, { 'Idempotency-Key': 'before' }];
  const traded = await acme.quote({}, kept);
  const execution = await succeed(201, acme.execute(traded.body.quoteId, {}, key));
  await order('suspend');
  assert.deepEqual(await statesOf(), { withdrawn: 2, executed: 1 });
  // The other instance asks the database, whatever it remembers.
  await refused('customer_suspended', elsewhere.post(QUOTES, SELL_USD, key));
  await refused('customer_suspended', elsewhere.execute(here.body.quoteId));
  await refused('customer_suspended', elsewhere.execute(there.body.quoteId));
  await refused('customer_suspended', withdraw('2.00'));
  const { body: reported } = await succeed(200, acme.get('/v1/customer/events?types=quote.withdrawn'));
  assert.deepEqual(
    reported.items.map(({ data }: { data: { quoteId: string } }) => data.quoteId).sort(),
    [here.body.quoteId, there.body.quoteId].sort(),
  );
  await order('resume');
  await followed();
  for (const { body } of [here, there]) {
    await refused('quote_withdrawn', elsewhere.execute(body.quoteId));
    await refused('quote_withdrawn', acme.execute(body.quoteId));
  }
  const fresh = await elsewhere.quote({}, key);
  assert.equal(fresh.headers.get('Idempotency-Replayed'), null, 'the refusal has released the key');
  assert.equal((await elsewhere.quote({}, kept)).body.quoteId, traded.body.quoteId, 'and no other');
  const again = await elsewhere.execute(traded.body.quoteId, {}, key);
  assert.equal(again.body.transactionId, execution.body.transactionId, 'nor one of an execution');
  await succeed(201, elsewhere.execute(fresh.body.quoteId));
  await succeed(201, withdraw('2.00'));
});

test('of quotes and executions that race with it on two instances, none is left open or comes after', async () => {
  for (let round = 0; round < 3; round++) {
    const open = await Promise.all(Array.from({ length: 10 }, () => acme.quote({ validitySeconds: 300 })));
    const ask = () => [acme.post(QUOTES, SELL_USD), elsewhere.post(QUOTES, SELL_USD)];
    const racing = [
      ...Array.from({ length: 10 }, ask).flat(),
      ...open.map(({ body }, i) => (i % 2 === 0 ? acme : elsewhere).execute(body.quoteId)),
    ];
    const [answers] = await Promise.all([Promise.all(racing), order('suspend')]);
    for (const { status, text } of answers) assert.ok([201, 403, 409].includes(status), text);
    const { open: left = 0, executed = 0, withdrawn = 0 } = await statesOf();
    assert.equal(left, 0);
    const made = answers.filter(({ status }) => status === 201);
    const trades = made.filter(({ body }) => 'transactionId' in body && body.transactionId !== null).length;
    assert.deepEqual([executed, withdrawn], [trades, open.length + made.length - 2 * trades]);
    await order('resume');
    acme = await createCustomer(service);
    elsewhere = callsWith(other, await other.token(acme.clientId, acme.clientSecret));
  }
});

test('it does not wait for who holds a quote, which is not executable again either', async () => {
  const quote = await acme.quote({ validitySeconds: 300 });
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from quotes order by id desc limit 1 for update');
    await order('suspend');
    assert.deepEqual(await statesOf(), { open: 1 });
    await holder.query('commit');
  } finally {
    holder.release();
  }
  await refused('customer_suspended', elsewhere.execute(quote.body.quoteId));
  await order('resume');
  assert.deepEqual(await statesOf(), { withdrawn: 1 });
  await followed();
  await refused('quote_withdrawn', elsewhere.execute(quote.body.quoteId));
});

test('its clients still get tokens, with which they read and do nothing else', async () => {
  const suspended = await createCustomer(service);
  const { quoteId } = (await suspended.quote()).body;
  await succeed(
    200,
    service.operate('POST', `${suspended.path}/suspend`, { reason: 'a look at their papers' }),
  );
  const own = callsWith(other, await other.token(suspended.clientId, suspended.clientSecret));
  assert.equal((await succeed(200, own.get(`${QUOTES}/${quoteId}`))).body.status, 'withdrawn');
  await followed();
  await refused('customer_suspended', own.post(QUOTES, SELL_USD));
  await refused('customer_suspended', own.execute(quoteId));
});
