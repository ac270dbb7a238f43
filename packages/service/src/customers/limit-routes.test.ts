import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tradeDateAt } from '@firmquote/fx';
import { createCustomer } from './create-customer.ts';
import { startTestServer } from './test-server.ts';
import { customerView } from './view.ts';

const server = await startTestServer();
const { call, room } = server;

async function newCustomer(): Promise<{ id: string; path: string; token: string }> {
  const customer = await createCustomer(room, { name: 'Acme' });
  return {
    id: customer.id,
    path: `/v1/operator/customers/${customerView(customer).customerId}/limits`,
    token: `customer ${customer.id} transactions:read`,
  };
}

const wanted = {
  currency: 'USD',
  dailyVolume: '1000000.00',
  openPosition: '2500000.5',
  singleTrade: '0',
  maxOpenQuotes: 3,
  rates: { quotes: { perMinute: 7, burst: 2 } },
};

test('new limits are the documented defaults, and what is read can be sent back', async () => {
  const { path } = await newCustomer();
  const read = await call('GET', path);
  assert.equal(read.headers.get('etag'), '"v1"');
  assert.deepEqual(read.body, {
    currency: 'USD',
    dailyVolume: '10000000.00',
    openPosition: '20000000.00',
    singleTrade: '5000000.00',
    maxOpenQuotes: 10,
    rates: {
      indicative: { perMinute: 200 },
      quotes: { perMinute: 60 },
      execute: { perMinute: 60, burst: 5 },
      reads: { perMinute: 500 },
      revalidation: { perMinute: 1200 },
      all: { perMinute: 500 },
    },
  });
  const back = await call('PUT', path, { body: read.body, headers: { 'If-Match': '"v1"' } });
  assert.equal(back.status, 200);
  assert.deepEqual(back.body, read.body);
  assert.equal((await call('GET', path, { headers: { 'If-None-Match': '"v2"' } })).status, 304);
});

test('limits are set whole, with the version that was seen, and bite at once in this process', async () => {
  const { id, path } = await newCustomer();
  await server.directory.profile(id);
  const set = await call('PUT', path, { body: wanted, headers: { 'If-Match': '"v1"' } });
  assert.equal(set.status, 200);
  assert.equal(set.headers.get('etag'), '"v2"');
  assert.equal(set.body.openPosition, '2500000.50');
  assert.equal(set.body.singleTrade, '0.00');
  assert.deepEqual(set.body.rates.quotes, { perMinute: 7, burst: 2 });
  const profile = await server.directory.profile(id);
  assert.equal(profile.limits.openUsdMinor, 250_000_050n);
  assert.equal(profile.quotas.quotes.perMinute, 7);
  assert.equal(profile.quotas.reads.perMinute, 500);
  const late = await call('PUT', path, { body: wanted, headers: { 'If-Match': '"v1"' } });
  assert.equal(late.status, 412);
  assert.equal(late.body.currentVersion, 2);
  assert.equal((await call('PUT', path, { body: wanted })).headers.get('etag'), '"v2"');
});

test('wrong limits are refused by field', async () => {
  const { path } = await newCustomer();
  for (const [change, pointer] of [
    [{ dailyVolume: '1.234' }, '/dailyVolume'],
    [{ dailyVolume: 5 }, '/dailyVolume'],
    [{ dailyVolume: '-1' }, '/dailyVolume'],
    [{ currency: 'EUR' }, '/currency'],
    [{ maxOpenQuotes: 0 }, '/maxOpenQuotes'],
    [{ rates: { quotes: { perMinute: 0 } } }, '/rates/quotes/perMinute'],
    [{ rates: { coffee: { perMinute: 1 } } }, '/rates/coffee'],
  ] as const) {
    const refused = await call('PUT', path, { body: { ...wanted, ...change } });
    assert.equal(refused.status, 400, JSON.stringify(change));
    assert.equal(refused.body.errors[0].pointer, pointer);
  }
  assert.equal((await call('GET', path)).headers.get('etag'), '"v1"');
});

test('usage counts the volume of the current trade date only', async () => {
  const { id, path, token } = await newCustomer();
  await call('PUT', path, { body: wanted });
  // Friday, half past four in the afternoon in New York, then five: the next trade date is Monday.
  server.clock.set(Date.parse('2026-03-06T21:30:00Z'));
  await server.database.pool.query(
    'update customer_usage set limit_day = $2, daily_usd_minor = 40000025, open_usd_minor = 300000000 where customer_id = $1',
    [id, tradeDateAt(server.clock.now())],
  );
  const friday = await call('GET', `${path}/usage`);
  assert.deepEqual(friday.body, {
    currency: 'USD',
    tradeDate: '2026-03-06',
    resetsAt: '2026-03-06T22:00:00.000Z',
    dailyVolume: { limit: '1000000.00', used: '400000.25', remaining: '599999.75' },
    openPosition: { limit: '2500000.50', used: '3000000.00', remaining: '0.00' },
  });
  server.clock.set(Date.parse('2026-03-06T22:00:00Z'));
  const weekend = await call('GET', '/v1/customer/limits', { token });
  assert.equal(weekend.body.tradeDate, '2026-03-09');
  // Clocks go forward on Sunday 8 March.
  assert.equal(weekend.body.resetsAt, '2026-03-09T21:00:00.000Z');
  assert.equal(weekend.body.dailyVolume.used, '0.00');
  assert.equal(weekend.body.openPosition.used, '3000000.00');
  assert.deepEqual(weekend.body.singleTrade, { limit: '0.00' });
  assert.equal(weekend.body.maxOpenQuotes, 3);
  assert.match(weekend.headers.get('ratelimit-policy') ?? '', /^"reads";q=500;w=60/);
  server.clock.followRealTime();
});

test('the scopes of limits are their own', async () => {
  const { id, path } = await newCustomer();
  const operator = 'operator 0195f000-0000-7000-8000-00000000000a operator:customers';
  assert.equal((await call('GET', path, { token: operator })).status, 403);
  assert.equal(
    (await call('GET', '/v1/customer/limits', { token: `customer ${id} quotes:read` })).status,
    403,
  );
  assert.equal((await call('GET', path.replace(/cus_[^/]+/, 'cus_x'))).status, 404);
  assert.equal((await call('GET', path.replace(/cus_[^/]+/, 'cus_01jngx7z5d2m8r4v6t9k3b1c0a'))).status, 404);
});
