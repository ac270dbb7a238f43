import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import {
  addCredential,
  callsWith,
  createCustomer,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { until } from './support/process.ts';
import type { Answer, TestService } from './support/service.ts';

/** Quotas and their headers: docs/interface.md#rate-limits. They run on real time, so tests fill buckets and do not wait for them. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;

before(async () => {
  service = await startExampleService();
});

function rateLimit(answer: Answer): { policy: string; remaining: number; resetSeconds: number } {
  const match = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(answer.headers.get('RateLimit') ?? '');
  assert.ok(match, String(answer.headers.get('RateLimit')));
  const [, policy = '', remaining = '', reset = ''] = match;
  return { policy, remaining: Number.parseInt(remaining, 10), resetSeconds: Number.parseInt(reset, 10) };
}

test('the defaults, and what is left of them, are on every answer', async () => {
  const acme = await createCustomer(service, { limits: { rates: {} } });
  const { quoteId } = (await acme.quote()).body;
  const cases: readonly (readonly [Promise<Answer>, string, string])[] = [
    [acme.quote(), 'quotes', '"quotes";q=60;w=60, "all";q=500;w=60'],
    [acme.post(QUOTES, { ...SELL_USD, amount: 'x' }), 'quotes', '"quotes";q=60;w=60, "all";q=500;w=60'],
    [acme.post(`${QUOTES}/indicative`, SELL_USD), 'indicative', '"indicative";q=200;w=60, "all";q=500;w=60'],
    [acme.get(`${QUOTES}/${quoteId}`), 'reads', '"reads";q=500;w=60, "all";q=500;w=60'],
    [acme.get(`${QUOTES}/x`), 'reads', '"reads";q=500;w=60, "all";q=500;w=60'],
    [acme.get('/v1/customer/events'), 'reads', '"reads";q=500;w=60, "all";q=500;w=60'],
    [acme.execute(quoteId), 'execute', '"execute";q=60;w=60;burst=5'],
  ];
  for (const [call, policy, header] of cases) {
    const answer = await call;
    assert.equal(answer.headers.get('RateLimit-Policy'), header);
    const { remaining, resetSeconds, policy: shown } = rateLimit(answer);
    assert.equal(shown, policy);
    assert.ok(remaining > 0 && remaining < 500 && resetSeconds >= 0 && resetSeconds <= 60);
  }
});

test('a request that is refused is counted, and shows what is left', async () => {
  const acme = await createCustomer(service, { limits: { rates: {} }, scopes: ['transactions:read'] });
  const forbidden = await acme.post(QUOTES, SELL_USD);
  await refused('insufficient_scope', forbidden);
  assert.deepEqual([rateLimit(forbidden).policy, rateLimit(forbidden).remaining], ['quotes', 59]);
  assert.equal(rateLimit(await acme.post(QUOTES, SELL_USD)).remaining, 58);
  for (const [path, status] of [
    ['/v1/customer/transactions', 401],
    ['/nowhere', 404],
    ['/v1/%zz', 404],
  ] as const) {
    const answer = await succeed(status, service.call('GET', path, { token: 'x' }));
    assert.equal(rateLimit(answer).policy, status === 404 ? 'public' : 'refused');
    assert.ok(answer.headers.get('Date'));
  }
});

test('a quota that is used up is 429, and says when to come again', async () => {
  const rates = { quotes: { perMinute: 60, burst: 3 } };
  const acme = await createCustomer(service, { limits: { rates } });
  const left: number[] = [];
  for (let i = 0; i < 3; i++) left.push(rateLimit(await acme.quote()).remaining);
  assert.deepEqual(left, [2, 1, 0]);
  const answer = await acme.post(QUOTES, SELL_USD);
  await refused('rate_limited', answer, { 'violated-policies': ['quotes'] });
  assert.equal(answer.headers.get('Retry-After'), '1');
  assert.equal(rateLimit(answer).remaining, 0);
  await succeed(200, acme.post(`${QUOTES}/indicative`, SELL_USD));
});

test('where instances share the quotas, each tells its share', async () => {
  const shared = await startExampleService();
  const acme = await createCustomer(shared, { limits: { rates: {} } });
  const ids = [randomUUID(), randomUUID()];
  const policyOf = async (what: string, ask: () => Promise<Answer>): Promise<string> => {
    let policy = '';
    await until(what, async () => {
      // Two others tell of themselves, and this one does when it is asked whether it is ready. It follows that as it follows settings.
      for (const id of ids) await shared.pool.query('select beat($1)', [id]);
      await shared.call('GET', '/readyz');
      const answer = await ask();
      policy = answer.headers.get('RateLimit-Policy') ?? '';
      return answer.status < 300 && !/q=(500|60);/.test(policy);
    });
    return policy;
  };
  const reads = await policyOf('reads are shared', () => acme.get('/v1/customer/events'));
  assert.equal(reads, '"reads";q=167;w=60, "all";q=167;w=60');
  const { quoteId } = (await acme.quote()).body;
  const executions = await policyOf('executions are shared', () => acme.execute(quoteId));
  assert.equal(executions, '"execute";q=20;w=60;burst=2');
});

test('executing has a bucket of its own: polling never blocks a trade', async () => {
  const rates = { all: { perMinute: 5 }, execute: { perMinute: 60, burst: 2 } };
  const acme = await createCustomer(service, { limits: { rates } });
  const first = await acme.quote();
  const second = await acme.quote();
  for (let i = 0; i < 3; i++) await succeed(200, acme.get('/v1/customer/transactions'));
  const full = await acme.get('/v1/customer/transactions');
  await refused('rate_limited', full, { 'violated-policies': ['all'] });
  await acme.trade(first.body.quoteId);
  await succeed(200, acme.post(`${QUOTES}/${second.body.quoteId}/cancel`));
  const third = await acme.post(`${QUOTES}/${second.body.quoteId}/cancel`);
  await refused('rate_limited', third, { 'violated-policies': ['execute'] });
});

test('reads that end in 304 are counted apart, in a larger bucket', async () => {
  const rates = { reads: { perMinute: 2 }, all: { perMinute: 20 }, revalidation: { perMinute: 6 } };
  const acme = await createCustomer(service, { limits: { rates } });
  const { transactionId } = (await acme.trade()).body;
  const path = `/v1/customer/transactions/${transactionId}`;
  const tag = { 'If-None-Match': '"v1"' };
  for (let left = 5; left >= 0; left--) {
    const unchanged = await acme.get(path, tag);
    assert.equal(unchanged.status, 304);
    assert.deepEqual(
      { ...rateLimit(unchanged), resetSeconds: 0 },
      {
        policy: 'revalidation',
        remaining: left,
        resetSeconds: 0,
      },
    );
    assert.equal(unchanged.headers.get('RateLimit-Policy'), '"revalidation";q=6;w=60');
  }
  const full = await acme.get(path, tag);
  await refused('rate_limited', full, { 'violated-policies': ['revalidation'] });
  assert.equal(rateLimit(full).policy, 'revalidation', 'the headers tell of the quota that is used up');
  await succeed(200, acme.get(path));
});

test('a second client of a customer does not double the rate, and customers do not share one', async () => {
  const rates = { reads: { perMinute: 2 } };
  const acme = await createCustomer(service, { limits: { rates } });
  const other = await createCustomer(service, { limits: { rates } });
  const { clientId, clientSecret } = await addCredential(service, acme.path);
  const second = callsWith(service, await service.token(clientId, clientSecret));
  await succeed(200, acme.get('/v1/customer/events'));
  await succeed(200, second.get('/v1/customer/events'));
  await refused('rate_limited', acme.get('/v1/customer/events'));
  await refused('rate_limited', second.get('/v1/customer/events'));
  await succeed(200, other.get('/v1/customer/events'));
});

test('what is refused counts: without the scope, at no address, in a path or body that cannot be read', async () => {
  const rates = { reads: { perMinute: 4 } };
  const acme = await createCustomer(service, { limits: { rates } });
  const { clientId, clientSecret } = await addCredential(service, acme.path, ['quotes:write']);
  const token = await service.token(clientId, clientSecret);
  const without = callsWith(service, token);
  for (let i = 0; i < 2; i++) await refused('insufficient_scope', without.get('/v1/customer/events'));
  for (let i = 0; i < 2; i++) await refused('quote_not_found', acme.get(`${QUOTES}/x`));
  await refused('rate_limited', without.get('/v1/customer/events'));
  await refused('rate_limited', acme.get(`${QUOTES}/x`));
  // Who is at no route, or sends what is none, is counted by its address; operators at foreign doors by themselves.
  const left = async (answer: Promise<Answer>) => rateLimit(await answer);
  for (const path of ['/nothing', '/%zz', `/problems/${'x'.repeat(300)}`]) {
    const first = await left(service.call('GET', path, { token: null }));
    const second = await left(service.call('GET', path, { token: null }));
    assert.equal(first.policy, 'public', path);
    assert.ok(second.remaining < first.remaining || first.remaining > 1_000, path);
  }
  const foreign = await service.operate('GET', '/v1/customer/events');
  await refused('insufficient_scope', foreign);
  assert.equal(rateLimit(foreign).policy, 'refused');
});

test('operators have no limit; what is public is counted by the address that asks', async () => {
  const operator = await service.operate('GET', '/v1/operator/customers');
  assert.deepEqual([operator.status, operator.headers.get('RateLimit')], [200, null]);
  const open = await service.call('GET', '/v1/problems', { token: null });
  assert.equal(open.status, 200);
  assert.match(open.headers.get('RateLimit') ?? '', /^"public";r=\d+;t=\d+$/);
});
