import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { writeLastPrices } from '../src/market/level-store.ts';
import { addCredential, createCustomer, refused, succeed } from './support/acceptance.ts';
import { until } from './support/process.ts';
import { startTestService, type TestService } from './support/service.ts';

/** `POST /v1/operator/prices`, docs/interface.md#operators. */

const PRICES = '/v1/operator/prices';
const EURUSD = { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' };
let service: TestService;

before(async () => {
  service = await startTestService({ FIRMQUOTE_SOURCES: 'push,push:desk-a' });
});

async function push(body: unknown, headers?: Record<string, string>) {
  return succeed(200, service.operate('POST', PRICES, body, headers));
}

test('a pushed price makes estimates and firm quotes, and is named on them', async () => {
  const acme = await createCustomer(service);
  await refused('pair_not_supported', acme.post('/v1/customer/quotes', sell('USD', 'EUR')));
  const { body } = await push(EURUSD);
  assert.deepEqual([body.source, body.accepted, body.refused], ['push', 1, 0]);
  assert.deepEqual(body.results, [{ pair: 'EURUSD', outcome: 'accepted' }]);
  const quote = await acme.quote();
  assert.deepEqual(
    [quote.body.rate.source, quote.body.rate.mid, quote.body.rate.asOf],
    ['push', '1.08491', body.receivedAt],
  );
  assert.equal(quote.body.buyAmount, '91987.01');
});

test('an instance that starts while its sources are silent knows what was quoted before, and says when to come again', async () => {
  const level = { sum: { units: 130_826n, scale: 5 }, at: Date.now() };
  await writeLastPrices(service.pool, [{ pair: 'AUDUSD', last: level, first: level }], level.at);
  const acme = await createCustomer(service);
  const started = await startTestService({ FIRMQUOTE_SOURCES: 'push' }, { database: service.database });
  const token = await started.token(acme.clientId, acme.clientSecret);
  const quote = (body: object) => started.call('POST', '/v1/customer/quotes', { token, body });
  await refused('price_unavailable', quote(sell('AUD', 'USD')));
  await refused('pair_not_supported', quote(sell('NZD', 'USD')));
  const { body } = await succeed(
    200,
    started.call('GET', '/v1/customer/reference/pairs?pair=AUDUSD,NZDUSD', { token }),
  );
  assert.deepEqual(
    body.items.map(({ pair, price }: { pair: string; price: string }) => [pair, price]),
    [['AUDUSD', 'direct']],
  );
  await started.stop();
});

function sell(sellCurrency: string, buyCurrency: string) {
  return { sellCurrency, buyCurrency, fixedSide: 'sell', amount: '1000.00' };
}

test('a batch: each price has its own outcome, in order, and the good ones count', async () => {
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  await push({ pair: 'GBPUSD', bid: '1.26810', ask: '1.26818', at: at(-1_000) });
  const { body } = await push({
    source: 'push',
    prices: [
      { pair: 'USDJPY', bid: '151.236', ask: '151.240', at: at(0) },
      { pair: 'USDEUR', bid: '0.91', ask: '0.92' },
      { pair: 'rubbish', bid: '1', ask: '1' },
      { pair: 'EURUSD', bid: '1.2', ask: '1.1' },
      { pair: 'EURUSD', bid: '0', ask: '1.1' },
      { pair: 'EURUSD', bid: '-1.0', ask: '1.1' },
      { pair: 'EURUSD', bid: '1,08', ask: '1.1' },
      { pair: 'EURUSD', bid: '1e0', ask: '1.1' },
      { pair: 'EURUSD', bid: '1.08', ask: `1.${'1'.repeat(38)}` },
      { pair: 'EURUSD', bid: '1.08', ask: '1.09', at: 'yesterday' },
      { pair: 'EURUSD', bid: '1.08', ask: '1.09', at: '2026-02-30T00:00:00Z' },
      { pair: 'EURUSD', bid: '1.08', ask: '1.09', at: at(60_000) },
      { pair: 'GBPUSD', bid: '1.26', ask: '1.27', at: at(-2_000) },
      { pair: 'GBPUSD', bid: '1.26811', ask: '1.26819' },
    ],
  });
  const outcomes = body.results.map(
    (result: { outcome: string; reason?: string }) => result.reason ?? result.outcome,
  );
  assert.deepEqual(outcomes, [
    'accepted',
    'unknown_pair',
    'unknown_pair',
    'crossed',
    'not_positive',
    'not_positive',
    'not_a_number',
    'not_a_number',
    'not_a_number',
    'not_a_time',
    'not_a_time',
    'future',
    'backwards',
    'accepted',
  ]);
  assert.deepEqual([body.accepted, body.refused], [2, 12]);
});

test('every configured name is a source of its own, and no other is', async () => {
  const { body } = await push({ ...EURUSD, source: 'push:desk-a' });
  assert.equal(body.source, 'push:desk-a');
  for (const source of ['push:desk-b', 'simulated', 'oanda', '', 'constructor']) {
    const answer = await refused('validation_failed', service.operate('POST', PRICES, { ...EURUSD, source }));
    assert.deepEqual(answer.errors, [
      { pointer: '/source', code: 'not_permitted', detail: 'must be one of push, push:desk-a' },
    ]);
  }
});

describe('what is no price or batch is refused as a whole', () => {
  const cases: readonly (readonly [what: string, body: unknown, pointers: readonly string[]])[] = [
    ['nothing', {}, ['/pair', '/bid', '/ask']],
    ['half a price', { pair: 'EURUSD', bid: '1.08' }, ['/ask']],
    ['both at once', { ...EURUSD, prices: [EURUSD] }, ['/pair', '/bid', '/ask']],
    ['a number', { ...EURUSD, bid: 1.08488 }, ['/bid']],
    ['a number in a batch', { prices: [EURUSD, { ...EURUSD, ask: 1 }] }, ['/prices/1/ask']],
    ['an unknown field', { ...EURUSD, size: '1' }, ['/size']],
    ['a source in a batch', { prices: [{ ...EURUSD, source: 'push' }] }, ['/prices/0/source']],
    ['an empty batch', { prices: [] }, ['/prices']],
    ['a batch that is too long', { prices: Array(501).fill(EURUSD) }, ['/prices']],
  ];
  for (const [what, body, pointers] of cases) {
    test(what, async () => {
      const answer = await refused('validation_failed', service.operate('POST', PRICES, body));
      assert.deepEqual(
        answer.errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
    });
  }
});

test('the largest batch fits', async () => {
  const price = { ...EURUSD, bid: '1.084880000000', ask: '1.084940000000', at: new Date().toISOString() };
  const { body } = await push({ prices: Array(500).fill(price) });
  assert.equal(body.results.length, 500);
});

test('a repetition with the same key is answered again and judges nothing', async () => {
  const headers = { 'Idempotency-Key': 'push-1' };
  const first = await push({ ...EURUSD, bid: '1.08489' }, headers);
  await push({ ...EURUSD, bid: '1.08490' });
  const again = await push({ ...EURUSD, bid: '1.08489' }, headers);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('Idempotency-Replayed'), 'true');
  const acme = await createCustomer(service);
  assert.equal(
    (await acme.quote()).body.rate.asOf > first.body.receivedAt,
    true,
    'the later price still stands',
  );
  await refused('idempotency_key_reused', service.operate('POST', PRICES, EURUSD, headers));
});

test('prices that are taken back make no quote; the quotes that were given stand', async () => {
  const acme = await createCustomer(service);
  await succeed(200, service.operate('POST', `${PRICES}/withdraw`, { source: 'push:desk-a' }));
  const GBPUSD = { pair: 'GBPUSD', bid: '1.26810', ask: '1.26818' };
  await push({ prices: [EURUSD, GBPUSD] });
  const given = await acme.quote();
  const before = new Date(Date.now() - 50).toISOString();
  const { body } = await succeed(
    200,
    service.operate('POST', `${PRICES}/withdraw`, { pairs: ['EURUSD'], source: 'push' }),
  );
  assert.deepEqual([body.source, body.withdrawn], ['push', ['EURUSD']]);
  await refused('price_unavailable', acme.post('/v1/customer/quotes', sell('USD', 'EUR')));
  const estimate = await succeed(200, acme.post('/v1/customer/quotes/indicative', sell('USD', 'EUR')));
  assert.equal(estimate.body.tradable, false);
  await succeed(201, acme.post('/v1/customer/quotes', sell('USD', 'GBP')));
  await succeed(201, acme.post(`/v1/customer/quotes/${given.body.quoteId}/execute`));
  // One that was made before, and comes after, is not dealt on either.
  const late = await push({ ...EURUSD, at: before });
  assert.equal(late.body.results[0].reason, 'backwards');
  const all = await succeed(200, service.operate('POST', `${PRICES}/withdraw`, {}));
  assert.ok(all.body.withdrawn.includes('GBPUSD') && !all.body.withdrawn.includes('EURUSD'));
  await refused('price_unavailable', acme.post('/v1/customer/quotes', sell('USD', 'GBP')));
  await push({ prices: [EURUSD, GBPUSD] });
  await succeed(201, acme.post('/v1/customer/quotes', sell('USD', 'EUR')));
  const wrong = await refused(
    'validation_failed',
    service.operate('POST', `${PRICES}/withdraw`, { pairs: ['EURUSD', 'USDEUR'] }),
  );
  assert.equal(wrong.errors[0].pointer, '/pairs/1');
  const health = await succeed(200, service.operate('GET', '/v1/operator/market/health'));
  const source = health.body.sources.find(({ source }: { source: string }) => source === 'push');
  assert.ok(source.withdrawn >= 2, JSON.stringify(source));
});

test('sequence numbers are those of FIX sessions, and no other source has any', async () => {
  const path = '/v1/operator/market/sources/push/reset-sequence';
  await refused('price_source_not_found', service.operate('POST', path, { reason: 'agreed with the venue' }));
  const wrong = { reason: 'agreed with the venue', nextSent: 0 };
  await refused('validation_failed', service.operate('POST', path, wrong));
});

test('behind a balancer a price is pushed to any instance, and all quote it and take it back', async () => {
  const acme = await createCustomer(service);
  const other = await startTestService({ FIRMQUOTE_SOURCES: 'push' }, { database: service.database });
  const token = await other.token(acme.clientId, acme.clientSecret);
  const shown = async (expected: string) => {
    await until(`the other instance has ${expected}`, async () => {
      // As a balancer asks, which is how they know of each other.
      for (const each of [service, other]) await each.call('GET', '/readyz', { token: null });
      const body = sell('USD', 'EUR');
      const { body: answer } = await other.call('POST', '/v1/customer/quotes', { token, body });
      return (answer.code ?? answer.rate.mid) === expected;
    });
  };
  await push({ pair: 'EURUSD', bid: '1.08489', ask: '1.08495' });
  await shown('1.08492');
  await succeed(200, service.operate('POST', `${PRICES}/withdraw`, { pairs: ['EURUSD'] }));
  await shown('price_unavailable');
  await other.stop();
});

test('only operators with the scope may push', async () => {
  const acme = await createCustomer(service);
  const credential = await addCredential(service, acme.path);
  const token = await service.token(credential.clientId, credential.clientSecret);
  await refused('insufficient_scope', service.call('POST', PRICES, { token, body: EURUSD }));
  await refused('token_missing', service.call('POST', PRICES, { token: null, body: EURUSD }));
});

test('a service without a push source says what to do', async () => {
  const other = await startTestService({ FIRMQUOTE_SOURCES: 'simulated' });
  const answer = await refused('validation_failed', other.operate('POST', PRICES, EURUSD));
  assert.match(answer.detail, /FIRMQUOTE_SOURCES must name push/);
  await other.stop();
});
