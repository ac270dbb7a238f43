import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  refused,
  SELL_USD,
  settingsOfPair,
  succeed,
} from './support/acceptance.ts';
import { until } from './support/process.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/** Prices that nobody should be able to trade on, over HTTP: pushed by an operator's systems, on two instances. */

const PRICES = '/v1/operator/prices';
const accepted = (pair: string) => `/v1/operator/pairs/${pair}/accepted-prices`;

let service: TestService;
let other: TestService;
let acme: Customer;

before(async () => {
  const settings = { FIRMQUOTE_SOURCES: 'push,push:b', FIRMQUOTE_FIRST_PRICES: 'confirm' };
  service = await startTestService(settings);
  other = await startTestService(settings, { database: service.database });
  acme = await createCustomer(service);
});

async function push(pair: string, bid: string, ask: string, on = service, source = 'push'): Promise<string> {
  const { body } = await succeed(200, on.operate('POST', PRICES, { source, pair, bid, ask }));
  return body.results[0].reason ?? body.results[0].outcome;
}

async function shown(pair: string, on = service): Promise<Answer['body']> {
  return (await succeed(200, on.operate('GET', `${PRICES}?pair=${pair}`))).body.items[0];
}

describe('prices that are not believed', () => {
  test('a price far from everything known is refused, and its pair waits for an operator', async () => {
    assert.equal(await push('EURUSD', '1.20000', '1.20006'), 'accepted');
    await acme.quote(SELL_USD);
    for (let i = 0; i < 4; i++) assert.equal(await push('EURUSD', '0.13000', '0.13001'), 'outside_band');
    await refused('price_unavailable', acme.post('/v1/customer/quotes', SELL_USD));
    const estimate = await succeed(200, acme.post('/v1/customer/quotes/indicative', SELL_USD));
    assert.deepEqual([estimate.body.tradable, estimate.body.rate.mid], [false, '1.20003']);
    const { awaitingAcceptance, lastGood, reference, sources } = await shown('EURUSD');
    assert.deepEqual([awaitingAcceptance, lastGood.price, reference], [true, '1.20003', '1.16840']);
    const [{ state, refused: why }] = sources;
    assert.deepEqual([state, why.reason, why.bid, why.ticks], ['refused', 'outside_band', '0.13000', 4]);
    const metrics = await service.call('GET', '/metrics');
    assert.match(metrics.text, /^firmquote_pairs_awaiting_acceptance 1$/m);
  });

  test('an operator says which price is right, with a reason, on every instance', async () => {
    const before = (await succeed(200, service.operate('GET', accepted('EURUSD')))).body;
    assert.deepEqual(before.items, []);
    await fieldErrors(service.operate('POST', accepted('EURUSD'), { price: '1.2' }));
    await fieldErrors(service.operate('POST', accepted('EURUSD'), { price: '0', reason: 'x' }));
    await fieldErrors(service.operate('POST', accepted('EURUSD'), { price: '-1', reason: 'x' }));
    await refused(
      'pair_not_supported',
      service.operate('POST', accepted('USDEUR'), { price: '1', reason: 'x' }),
    );
    await refused('insufficient_scope', acme.post(accepted('EURUSD'), { price: '1', reason: 'x' }));
    const reason = 'redenominated';
    const { body } = await succeed(
      201,
      service.operate('POST', accepted('EURUSD'), { price: '0.13', reason }),
    );
    assert.deepEqual([body.pair, body.number, body.price, body.reason], ['EURUSD', 1, '0.13', reason]);
    assert.match(body.acceptedBy, /^cli_/);
    // What the source said last counts from now on: nobody has to push it again.
    const { quoteId } = (await acme.quote(SELL_USD)).body;
    const explained = await succeed(200, service.operate('GET', `/v1/operator/quotes/${quoteId}/explain`));
    assert.deepEqual(explained.body.market.acceptedPrices, [{ pair: 'EURUSD', number: 1 }]);
    const reported = await succeed(200, acme.get(`/v1/customer/quotes/${quoteId}/explain`));
    assert.equal(reported.body.market.acceptedPrices, undefined);
    assert.equal(await push('EURUSD', '1.20000', '1.20006'), 'outside_band');
    await until(
      'the other instance follows',
      async () => (await shown('EURUSD', other)).reference === '0.13',
    );
    assert.equal(await push('EURUSD', '1.20000', '1.20006', other), 'outside_band');
    await succeed(201, service.operate('POST', accepted('EURUSD'), { price: '1.2', reason: 'and back' }));
    const list = (await succeed(200, service.operate('GET', `${accepted('EURUSD')}?limit=1`))).body;
    assert.deepEqual([list.items[0].number, list.items[0].previousPrice, list.hasMore], [2, '0.13', true]);
    const next = await succeed(
      200,
      service.operate('GET', `${accepted('EURUSD')}?limit=1&cursor=${list.nextCursor}`),
    );
    assert.deepEqual([next.body.items[0], next.body.hasMore], [body, false]);
  });

  test('the first price of a pair of which nothing is known waits for a second source', async () => {
    const ask = { ...SELL_USD, buyCurrency: 'KWD' };
    assert.equal(await push('USDKWD', '0.30711', '0.30719'), 'unconfirmed');
    // It has no price yet: who looks for what awaits an operator finds it all the same.
    for (const path of [PRICES, '/v1/operator/pairs']) {
      const { items } = (await succeed(200, service.operate('GET', path))).body;
      const found = items.find(({ pair }: { pair: string }) => pair === 'USDKWD');
      assert.equal(found?.awaitingAcceptance ?? found?.enabled, true, path);
    }
    await refused('price_unavailable', acme.post('/v1/customer/quotes/indicative', ask));
    const { items } = (await succeed(200, service.operate('GET', PRICES))).body;
    const { pairs } = (await succeed(200, service.operate('GET', '/v1/operator/market/health'))).body;
    assert.deepEqual(pairs, { total: items.length, fresh: 1, stale: 0, missing: 1, halted: 0 });
    const { text } = await service.call('GET', '/metrics');
    assert.match(text, /^firmquote_pairs\{state="missing"\} 1$/m);
    const status = (await succeed(200, acme.get('/v1/customer/reference/market-status'))).body;
    assert.deepEqual(status.interruptedPairs, [{ pair: 'USDKWD', tradable: false, reason: 'no_price' }]);
    assert.equal(await push('USDKWD', '0.30711', '0.30719', service, 'push:b'), 'accepted');
    await succeed(200, acme.post('/v1/customer/quotes/indicative', ask));
  });

  test('limits are set for a pair, and those that are left out are those of its class', async () => {
    const path = '/v1/operator/pairs/USDSEK';
    const get = () => succeed(200, service.operate('GET', path));
    const { body, headers } = await get();
    assert.deepEqual([body.maxWidthBps, body.bandBps, body.referenceBps], ['150.00', '500.00', '1500.00']);
    assert.equal((await shown('USDSEK')).class, 'minor');
    const settings = settingsOfPair(body);
    const put = (more: object, etag: string) =>
      service.operate('PUT', path, { ...settings, ...more }, { 'If-Match': etag });
    const etag = String(headers.get('etag'));
    assert.equal((await succeed(200, put({}, etag))).body.version, 1, 'what is so already is no new version');
    for (const wrong of [
      { bandBps: '0' },
      { bandBps: '5000.01' },
      { maxWidthBps: '6000' },
      { referenceBps: '9001' },
    ]) {
      await fieldErrors(put(wrong, etag));
    }
    const { body: set } = await succeed(200, put({ bandBps: '200', maxWidthBps: undefined }, etag));
    assert.deepEqual([set.version, set.bandBps, set.maxWidthBps], [2, '200.00', '150.00']);
    assert.equal(await push('USDSEK', '9.30000', '9.30500'), 'accepted');
    assert.equal(await push('USDSEK', '9.50000', '9.50500'), 'outside_band');
  });

  test('a limit that nobody has set stays that of the class, whatever else of the pair is changed', async () => {
    const path = '/v1/operator/pairs/USDNOK';
    const classLimits = { maxWidthBps: '150.00', bandBps: '500.00', referenceBps: '1500.00' };
    const { body: first } = await succeed(200, service.operate('GET', path));
    assert.deepEqual([first.ownLimits, first.classLimits], [[], classLimits]);
    /** Changes the pair as it is shown; answers its version, its own limits, and the band. */
    const change = async (more: object) => {
      const { body, headers } = await succeed(200, service.operate('GET', path));
      const wanted = { ...settingsOfPair(body), ...more };
      const etag = { 'If-Match': String(headers.get('etag')) };
      const { body: set } = await succeed(200, service.operate('PUT', path, wanted, etag));
      assert.deepEqual((await succeed(200, other.operate('GET', path))).body, set);
      assert.deepEqual(set.classLimits, classLimits);
      return [set.version, set.ownLimits, set.bandBps];
    };
    assert.deepEqual(await change({ stalenessMs: 4_000 }), [2, [], '500.00']);
    assert.deepEqual(await change({ bandBps: '200' }), [3, ['bandBps'], '200.00']);
    assert.deepEqual(await change({ enabled: false }), [4, ['bandBps'], '200.00']);
    assert.deepEqual(await change({ bandBps: '500' }), [5, ['bandBps'], '500.00'], 'it may be meant');
    assert.deepEqual(await change({ bandBps: undefined }), [6, [], '500.00'], 'the way back');
    assert.deepEqual(await change({ bandBps: undefined }), [6, [], '500.00']);
    const { rows } = await service.pool.query(
      `select version, max_width_bps, band_bps, reference_bps from market_pairs where pair = 'USDNOK' and version in (2, 3, 6)
       order by version`,
    );
    assert.deepEqual(
      rows.map(({ max_width_bps, band_bps, reference_bps }) => [max_width_bps, band_bps, reference_bps]),
      [
        [null, null, null],
        [null, '200.00', null],
        [null, null, null],
      ],
    );
  });
});
