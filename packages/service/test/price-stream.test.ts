import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { isStream, openStream } from './support/event-stream.ts';
import { MARKET, priceOf, STREAM, streamCaller } from './support/price-stream.ts';
import type { TestService } from './support/service.ts';

/** The price stream over HTTP: docs/interface.md#price-streams, and the stream of indicative prices. */

let service: TestService;
let acme: Customer;
let calls: ReturnType<typeof streamCaller>;

before(async () => {
  service = await startExampleService();
  calls = streamCaller(service);
  await calls.setPrice('USDJPY', '151.236', '151.240');
  acme = await createCustomer(service);
});

test('a stream begins with the state of the market and each pair once, spread inside', async (t) => {
  const stream = await calls.read('pairs=EURUSD,USDJPY', acme);
  t.after(() => stream.close());
  assert.equal(stream.headers.get('Content-Type'), 'text/event-stream; charset=utf-8');
  assert.equal(stream.headers.get('Cache-Control'), 'no-store');
  assert.equal(stream.headers.get('Transfer-Encoding'), 'chunked');
  assert.equal(stream.headers.get('X-Accel-Buffering'), 'no');
  const price = await stream.next('EURUSD', priceOf('EURUSD'));
  const { asOf, ...rest } = price.data;
  assert.deepEqual(rest, {
    pair: 'EURUSD',
    bid: '1.08271',
    ask: '1.08711',
    mid: '1.08491',
    spreadBps: '20.00',
    spotDate: '2026-03-06',
    tradable: true,
  });
  assert.match(asOf, /^2026-03-04T14:30:\d\d\.\d{3}Z$/);
  await stream.next('USDJPY', priceOf('USDJPY'));
  assert.equal(stream.retryMs(), 2000);
  assert.deepEqual(
    stream.events.slice(0, 3).map(({ event, data }) => [event, data.pair]),
    [
      ['market', '*'],
      ['price', 'EURUSD'],
      ['price', 'USDJPY'],
    ],
  );
  assert.deepEqual(stream.events[0]?.data, { pair: '*', state: 'open' });
});

test('only what changes is sent, with ids that ascend and name the process', async (t) => {
  const stream = await calls.read('pairs=EURUSD,USDJPY', acme);
  t.after(async () => {
    stream.close();
    await calls.setPrice('EURUSD', '1.08488', '1.08494');
  });
  await stream.next('snapshot', priceOf('USDJPY'));
  const after = stream.events.length;
  await calls.setPrice('EURUSD', '1.08500', '1.08506');
  const moved = await stream.next('the new price', priceOf('EURUSD'), after);
  assert.equal(moved.data.bid, '1.08283');
  // Set to the same again: no event, so the next one that comes is of the price after it.
  await calls.setPrice('EURUSD', '1.08500', '1.08506');
  await calls.setPrice('USDJPY', '151.300', '151.304');
  await stream.next('USDJPY', priceOf('USDJPY'), after);
  await calls.setPrice('USDJPY', '151.236', '151.240');
  await stream.next(
    'USDJPY back',
    (event) => priceOf('USDJPY')(event) && event.data.bid === '150.933',
    after,
  );
  assert.deepEqual(
    stream.events.slice(after).flatMap(({ event, data }) => (event === 'price' ? [data.pair] : [])),
    ['EURUSD', 'USDJPY', 'USDJPY'],
  );
  const ids = stream.events.flatMap(({ id }) => (id === undefined ? [] : [id]));
  assert.equal(new Set(ids.map((id) => id.split('-')[0])).size, 1);
  assert.deepEqual(ids, [...ids].sort());
  assert.ok(ids.every((id) => /^[0-9a-f]+-\d{9}$/.test(id)));
});

test('a burst of ticks becomes its last price', async (t) => {
  const stream = await calls.read('pairs=EURUSD', acme);
  t.after(async () => {
    stream.close();
    await calls.setPrice('EURUSD', '1.08488', '1.08494');
  });
  await stream.next('snapshot', priceOf('EURUSD'));
  const after = stream.events.length;
  for (let pip = 10; pip < 40; pip++) await calls.setPrice('EURUSD', `1.086${pip}`, `1.086${pip + 6}`);
  await stream.next('the last price', (event) => event.data.mid === '1.08642', after);
  assert.ok(stream.events.length - after < 25, String(stream.events.length - after));
});

test('a closed market is an event, and prices of it are not tradable', async (t) => {
  const stream = await calls.read('pairs=EURUSD', acme);
  t.after(() => stream.close());
  await stream.next('snapshot', priceOf('EURUSD'));
  await succeed(200, service.operate('POST', MARKET, { state: 'closed' }));
  const closed = await stream.next(
    'closed',
    ({ event, data }) => event === 'market' && data.state === 'closed',
  );
  assert.deepEqual(closed.data, { pair: '*', state: 'closed', reason: 'halt' });
  const price = await stream.next('the price', ({ data }) => data.tradable === false);
  assert.equal(price.data.reason, 'market_closed');
  assert.equal(price.data.bid, '1.08271');
  await succeed(200, service.operate('POST', MARKET, { state: 'open' }));
  await stream.next('open', ({ event, data }) => event === 'market' && data.state === 'open', 2);
});

test('after Last-Event-ID the stream says so and begins anew', async (t) => {
  const stream = await calls.read('pairs=EURUSD', acme, { 'Last-Event-ID': '1a2b-000184467' });
  t.after(() => stream.close());
  await stream.next('snapshot', priceOf('EURUSD'));
  assert.deepEqual(stream.events[0], {
    id: undefined,
    event: 'resync',
    data: { lastEventId: '1a2b-000184467' },
  });
  const odd = await calls.read('pairs=EURUSD', acme, { 'Last-Event-ID': '"}\u00e9' });
  t.after(() => odd.close());
  assert.deepEqual((await odd.next('resync', () => true)).data, { lastEventId: null });
});

test('an amount is priced on both sides', async (t) => {
  const stream = await calls.read('pairs=EURUSD&amount=100000&amountCurrency=USD', acme);
  t.after(() => stream.close());
  const { data } = await stream.next('price', priceOf('EURUSD'));
  const { amount, amountCurrency, bidAmount, askAmount } = data;
  assert.deepEqual(
    { amount, amountCurrency, bidAmount, askAmount },
    { amount: '100000.00', amountCurrency: 'USD', bidAmount: '92360.84', askAmount: '91987.01' },
  );
});

test('the spread is told only to whom it is disclosed, and follows the rules', async (t) => {
  const closed = await createCustomer(service, { settings: { pricingDisclosure: 'none' } });
  const stream = await calls.read('pairs=EURUSD', closed);
  t.after(() => stream.close());
  const before = await stream.next('price', priceOf('EURUSD'));
  assert.equal('spreadBps' in before.data, false);
  const rules = await service.operate('GET', '/v1/operator/spread-rules');
  const own = { rules: [{ spreadBps: '20' }, { customerId: closed.customerId, spreadBps: '50' }] };
  const set = await succeed(
    200,
    service.operate('PUT', '/v1/operator/spread-rules', own, { 'If-Match': rules.headers.get('ETag') ?? '' }),
  );
  const after = await stream.next('the other price', ({ data }) => data.ask === '1.09037');
  assert.ok((after.id ?? '') > (before.id ?? ''));
  await succeed(
    200,
    service.operate(
      'PUT',
      '/v1/operator/spread-rules',
      { rules: [{ spreadBps: '20' }] },
      {
        'If-Match': set.headers.get('ETag') ?? '',
      },
    ),
  );
});

test('an indicative price is a stream for those who accept one', async (t) => {
  const url = `${service.baseUrl}/v1/customer/quotes/indicative`;
  const headers = { Authorization: `Bearer ${acme.token}`, Accept: 'text/event-stream' };
  const stream = await openStream(url, headers, SELL_USD);
  assert.ok(isStream(stream));
  t.after(async () => {
    stream.close();
    await calls.setPrice('EURUSD', '1.08488', '1.08494');
  });
  const first = await stream.next('price', ({ event }) => event === 'price');
  assert.equal(first.data.type, 'indicative');
  assert.equal(first.data.buyAmount, '91987.01');
  await calls.setPrice('EURUSD', '1.08500', '1.08506');
  const moved = await stream.next('the new price', ({ data }) => data.rate?.mid === '1.08503');
  assert.notEqual(moved.id, first.id);
  const prices = stream.events.filter(({ event }) => event === 'price');
  assert.equal(prices.length, 2, 'an older age is no new price');
  const back = await openStream(url, { ...headers, 'Last-Event-ID': '1a2b-000184467' }, SELL_USD);
  assert.ok(isStream(back));
  t.after(() => back.close());
  await back.next('the price after an interruption', ({ event }) => event === 'price');
  assert.equal(back.events[0]?.event, 'resync');
  const wrong = await openStream(url, headers, { ...SELL_USD, buyCurrency: 'USD' });
  assert.ok(!isStream(wrong));
  await refused('same_currency', wrong);
  const plain = await acme.post('/v1/customer/quotes/indicative', SELL_USD, {
    Accept: 'text/event-stream, application/json',
  });
  assert.match(plain.headers.get('Content-Type') ?? '', /^application\/json/);
});

test('the sandbox clock moves what streams say of it', async (t) => {
  const other = await startExampleService();
  t.after(() => other.stop());
  const stream = await openStream(`${other.baseUrl}${STREAM}?pairs=EURUSD`, {
    Authorization: `Bearer ${other.customerToken}`,
  });
  assert.ok(isStream(stream));
  t.after(() => stream.close());
  await stream.next('snapshot', priceOf('EURUSD'));
  await succeed(200, other.operate('POST', MARKET, { state: 'calendar' }));
  await moveClock(other, { now: '2026-03-07T12:00:00.000Z' });
  const closed = await stream.next(
    'weekend',
    ({ event, data }) => event === 'market' && data.state === 'closed',
  );
  assert.deepEqual(closed.data, {
    pair: '*',
    state: 'closed',
    reason: 'weekend',
    reopensAt: '2026-03-08T21:00:00.000Z',
  });
});
