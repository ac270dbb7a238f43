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

/** What operators see of market data and how they set it, with a second instance on the same database. */

const PAIR = '/v1/operator/pairs/EURUSD';
const SOURCES = '/v1/operator/market/sources';

let service: TestService;
let other: TestService;
let acme: Customer;

before(async () => {
  service = await startTestService({ FIRMQUOTE_COMPOSITE: 'priority' });
  other = await startTestService({}, { database: service.database });
  acme = await createCustomer(service);
});

const get = (path: string, on = service) => succeed(200, on.operate('GET', path));
const put = (body: unknown, ifMatch?: string, on = service) =>
  on.operate('PUT', PAIR, body, ifMatch === undefined ? {} : { 'If-Match': ifMatch });

/** The settings of the pair as a PUT takes them. */
async function settings(): Promise<Record<string, unknown>> {
  const { body } = await get(PAIR);
  return settingsOfPair(body);
}

async function simulatedHealth(): Promise<{ body: Answer['body']; source: Answer['body'] }> {
  const { body } = await get('/v1/operator/market/health');
  return { body, source: body.sources.find((each: { source: string }) => each.source === 'simulated') };
}

async function price(on = service): Promise<Answer['body']> {
  const { body } = await get('/v1/operator/prices?pair=EURUSD', on);
  assert.equal(body.items.length, 1);
  return body.items[0];
}

describe('market data for operators', () => {
  test('the book shows each pair with its sources', async () => {
    const { body } = await get('/v1/operator/prices');
    assert.ok(body.items.length > 20);
    const shown = await price();
    assert.equal(shown.status, 'fresh');
    assert.equal(shown.source, 'simulated');
    assert.deepEqual(shown.bidFrom, { source: 'simulated', asOf: shown.asOf });
    assert.ok(shown.bid < shown.mid && shown.mid < shown.ask);
    assert.deepEqual(shown.market, { state: 'open' });
    assert.deepEqual(shown.halts, []);
    const [source] = shown.sources;
    assert.deepEqual([source.source, source.state, source.heldBack], ['simulated', 'fresh', null]);
    assert.equal(source.bid, shown.bid);
    const [cross] = (await get('/v1/operator/prices?pair=NZDMXN')).body.items;
    assert.deepEqual(
      cross.legs.map((leg: { pair: string }) => leg.pair),
      ['NZDUSD', 'USDMXN'],
    );
    assert.deepEqual([cross.status, cross.sources], ['fresh', []]);
    await refused('pair_not_supported', service.operate('GET', '/v1/operator/prices?pair=USDEUR'));
    await fieldErrors(service.operate('GET', '/v1/operator/prices?pairs=EURUSD'));
    await refused('insufficient_scope', acme.get('/v1/operator/prices'));
  });

  test('a halt stands beside the price', async () => {
    await succeed(
      200,
      service.operate('POST', '/v1/operator/market/halt', { scope: 'all', reason: 'drill' }),
    );
    const shown = await price();
    assert.deepEqual(shown.market, { state: 'closed', reason: 'halt' });
    assert.deepEqual(
      shown.halts.map((halt: { scope: string; reason: string }) => [halt.scope, halt.reason]),
      [['all', 'drill']],
    );
    await succeed(200, service.operate('POST', '/v1/operator/market/resume', { scope: 'all' }));
  });

  test('a pair begins at the defaults, and is set against its version', async () => {
    const first = await get(PAIR);
    assert.equal(first.headers.get('ETag'), '"v1"');
    assert.equal(first.body.composite, 'priority');
    assert.deepEqual(first.body.priority, ['simulated', 'push']);
    assert.equal(first.body.changedBy, null);
    const wanted = { ...(await settings()), stalenessMs: 2_000, outlierBps: '25.5' };
    await refused('precondition_required', put(wanted));
    await refused('version_mismatch', put(wanted, '"v2"'), { currentVersion: 1 });
    const set = await succeed(200, put(wanted, '"v1"'));
    assert.equal(set.headers.get('ETag'), '"v2"');
    assert.deepEqual([set.body.stalenessMs, set.body.outlierBps], [2_000, '25.50']);
    assert.match(set.body.changedBy, /^cli_/);
    const same = await succeed(200, put(wanted, '"v2"'));
    assert.equal(same.body.version, 2, 'nothing changed');
    const onOther = await get(PAIR, other);
    assert.deepEqual(onOther.body, set.body);
    assert.equal((await service.operate('GET', PAIR, undefined, { 'If-None-Match': '"v2"' })).status, 304);
    const list = await get('/v1/operator/pairs');
    const listed = list.body.items.find((item: { pair: string }) => item.pair === 'EURUSD');
    assert.deepEqual(listed, set.body);
  });

  test('of two operators, one is too late', async () => {
    const wanted = await settings();
    const { body } = await get(PAIR);
    const etag = `"v${body.version}"`;
    const answers = await Promise.all([
      put({ ...wanted, jumpTicks: 5 }, etag),
      put({ ...wanted, jumpTicks: 6 }, etag, other),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
  });

  test('a pair that is switched off is not quoted, here at once and elsewhere soon', async () => {
    const wanted = await settings();
    await succeed(200, put({ ...wanted, enabled: false }, '*'));
    await refused('pair_not_enabled', acme.post('/v1/customer/quotes', SELL_USD));
    await refused('pair_not_enabled', acme.post('/v1/customer/quotes/indicative', SELL_USD));
    const pairs = (await succeed(200, acme.get('/v1/customer/reference/pairs?pair=EURUSD'))).body.items;
    assert.deepEqual(pairs[0].market, { tradable: false, reason: 'pair_not_enabled' });
    const { interruptedPairs } = (await succeed(200, acme.get('/v1/customer/reference/market-status'))).body;
    assert.deepEqual(interruptedPairs, [{ pair: 'EURUSD', ...pairs[0].market }]);
    // It still is a leg: EURUSD makes euro crosses.
    await acme.quote({ sellCurrency: 'GBP', buyCurrency: 'EUR' });
    await until('the other instance follows', async () => !(await price(other)).enabled);
    await succeed(200, put({ ...wanted, enabled: true }, '*'));
    await acme.quote();
  });

  test('wrong settings are refused with each pointer', async () => {
    const wanted = await settings();
    const wrong = {
      ...wanted,
      stalenessMs: 0,
      composite: 'mid',
      outlierBps: '-1',
      priority: ['a\nb'],
      more: 1,
    };
    const pointers = (await fieldErrors(put(wrong, '*'))).map(([pointer]) => pointer);
    for (const field of ['/stalenessMs', '/composite', '/outlierBps', '/priority/0', '/more']) {
      assert.ok(pointers.includes(field), `${field} in ${pointers}`);
    }
    const doubtful = { ...wanted, outlierBps: '0.00', priority: ['a', 'a'] };
    assert.deepEqual(await fieldErrors(put(doubtful, '*')), [
      ['/outlierBps', 'out_of_range'],
      ['/priority', 'repeated'],
    ]);
    await refused('pair_not_supported', service.operate('GET', '/v1/operator/pairs/USDEUR'));
    assert.deepEqual(await settings(), wanted);
  });

  test('a source is switched off with a reason, everywhere, and on again', async () => {
    const off = `${SOURCES}/simulated/disable`;
    assert.deepEqual(await fieldErrors(service.operate('POST', off, {})), [['/reason', 'required']]);
    await refused('price_source_not_found', service.operate('POST', `${SOURCES}/x/disable`, { reason: 'x' }));
    const { body } = await succeed(200, service.operate('POST', off, { reason: 'late prices' }));
    assert.deepEqual([body.enabled, body.reason, body.state], [false, 'late prices', 'running']);
    await refused('price_unavailable', acme.post('/v1/customer/quotes', SELL_USD));
    assert.equal((await price()).status, 'missing');
    await until('the other instance follows', async () => (await price(other)).status === 'missing');
    const again = await succeed(200, service.operate('POST', off, { reason: 'once more' }));
    assert.equal(again.body.reason, 'late prices');
    await until('its ticks are counted', async () => {
      const { source } = await simulatedHealth();
      return source.rejected.source_disabled > 0;
    });
    await succeed(200, service.operate('POST', `${SOURCES}/simulated/enable`, { reason: 'repaired' }));
    // What came before it was switched off may be too old by now: a pair's prices are good for 2 s here.
    const quoted = async () => (await acme.post('/v1/customer/quotes', SELL_USD)).status === 201;
    await until('its prices are dealt on again', quoted);
    const { rows } = await service.pool.query<{ enabled: boolean; reason: string }>(
      'select enabled, reason from market_source_switches order by number',
    );
    assert.deepEqual(rows, [
      { enabled: false, reason: 'late prices' },
      { enabled: true, reason: 'repaired' },
    ]);
  });

  test('health and metrics say what became of the ticks of each source', async () => {
    const { body, source } = await simulatedHealth();
    assert.deepEqual([source.source, source.state, source.enabled], ['simulated', 'running', true]);
    assert.ok(source.accepted > 0 && source.ticks >= source.accepted);
    assert.ok(source.ageMs < 60_000);
    assert.equal(source.lastRejected.reason, 'source_disabled');
    assert.match(source.lastRejected.pair, /^[A-Z]{6}$/);
    assert.ok(body.pairs.total > 20);
    assert.equal(body.pairs.halted, 0);
    const { text } = await service.call('GET', '/metrics', { token: null });
    assert.match(text, /^firmquote_price_source_ticks_total\{source="simulated",outcome="accepted"\} [1-9]/m);
    assert.match(
      text,
      /^firmquote_price_source_ticks_total\{source="simulated",outcome="source_disabled"\} [1-9]/m,
    );
    assert.match(text, /^firmquote_market_halts\{scope="all"\} 0$/m);
  });

  test('what operators have set is there after a restart', async () => {
    const wanted = await settings();
    await succeed(200, put({ ...wanted, stalenessMs: 1_234 }, '*'));
    const third = await startTestService({}, { database: service.database });
    const { body } = await get(PAIR, third);
    assert.equal(body.stalenessMs, 1_234);
    await third.stop();
  });
});
