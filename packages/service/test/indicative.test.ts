import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  EURUSD,
  fieldErrors,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { startTestService, type TestService } from './support/service.ts';

/** Prices: `POST /v1/customer/quotes/indicative` (docs/interface.md#indicative-prices), and what stops firm ones. */

const QUOTES = '/v1/customer/quotes';
const INDICATIVE = `${QUOTES}/indicative`;
const MARKET = '/v1/sandbox/market';
const TICKS = '0,1.08488,1.08494\n100,1.08490,1.08495\n';
let service: TestService;
let acme: Customer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fq-ticks-'));
  await writeFile(join(folder, 'ticks.csv'), TICKS);
  service = await startExampleService();
  acme = await createCustomer(service);
});
after(() => rm(folder, { recursive: true, force: true }));

const indicative = (body: Record<string, unknown> = SELL_USD) => succeed(200, acme.post(INDICATIVE, body));

test('an indicative price is what is promised, member by member', async () => {
  const answer = await indicative({ ...SELL_USD, tenor: 'spot' });
  conforms('indicative', answer);
  const { rate, pricing, ...rest } = answer.body;
  const { asOf, ageMs, ...rateRest } = rate;
  assert.match(asOf, /^2026-03-04T14:30:\d\d\.\d{3}Z$/);
  assert.ok(Number.isInteger(ageMs) && ageMs >= 0 && ageMs < 10_000);
  assert.deepEqual(rateRest, {
    pair: 'EURUSD',
    baseCurrency: 'EUR',
    quoteCurrency: 'USD',
    side: 'ask',
    value: '1.08711',
    inverse: '0.9198701143',
    mid: '1.08491',
    market: '1.08494',
    source: 'sandbox',
  });
  assert.deepEqual(
    { ...pricing, reference: undefined },
    {
      spreadBps: '20.00',
      components: [{ type: 'customer_spread', bps: '20.00' }],
      markup: { amount: '183.99', currency: 'EUR' },
      costVsMidBps: '20.28',
      reference: undefined,
      fees: [],
    },
  );
  assert.deepEqual(rest, {
    type: 'indicative',
    sellCurrency: 'USD',
    buyCurrency: 'EUR',
    fixedSide: 'sell',
    sellAmount: '100000.00',
    buyAmount: '91987.01',
    tradable: true,
    settlement: { tenor: 'spot', tradeDate: '2026-03-04', valueDate: '2026-03-06' },
    market: { state: 'open' },
  });
});

test('without an amount it is the rate alone', async () => {
  const answer = await indicative({ sellCurrency: 'EUR', buyCurrency: 'USD' });
  conforms('indicative', answer);
  const { fixedSide, sellAmount, buyAmount, rate, pricing } = answer.body;
  assert.deepEqual([fixedSide, sellAmount, buyAmount], [null, null, null]);
  assert.deepEqual([rate.side, rate.value, pricing.spreadBps], ['bid', '1.08271', '20.00']);
  assert.equal('markup' in pricing, false);
});

test('amount and fixedSide go together, tenor and valueDate do not', async () => {
  const { fixedSide, amount, ...pair } = SELL_USD;
  assert.deepEqual(await fieldErrors(acme.post(INDICATIVE, { ...pair, amount })), [
    ['/fixedSide', 'required'],
  ]);
  assert.deepEqual(await fieldErrors(acme.post(INDICATIVE, { ...pair, fixedSide })), [
    ['/amount', 'required'],
  ]);
  for (const path of [INDICATIVE, QUOTES]) {
    const both = acme.post(path, { ...SELL_USD, tenor: 'spot', valueDate: '2026-03-06' });
    assert.deepEqual(await fieldErrors(both), [['/valueDate', 'not_permitted']]);
  }
  for (const name of ['validitySeconds', 'clientReference', 'metadata', 'requoteOf', 'quoteId']) {
    const errors = await fieldErrors(acme.post(INDICATIVE, { ...SELL_USD, [name]: 'x' }));
    assert.deepEqual(errors, [[`/${name}`, 'unknown_field']]);
  }
});

describe('a market that is closed', () => {
  const WEEKEND = { reason: 'weekend', reopensAt: '2026-03-08T21:00:00.000Z' };
  const HOLIDAY = { reason: 'holiday', reopensAt: '2026-12-27T22:00:00.000Z' };
  after(() => service.operate('POST', MARKET, { state: 'open' }));
  for (const [state, now, expected] of [
    ['closed', '2026-03-04T14:30:00.000Z', { reason: 'halt' }],
    ['calendar', '2026-03-07T12:00:00.000Z', WEEKEND],
    ['calendar', '2026-12-25T12:00:00.000Z', HOLIDAY],
  ] as const) {
    test(`${expected.reason}: the last price as an estimate, and no firm quote`, async () => {
      await service.operate('POST', MARKET, { state });
      await moveClock(service, { now });
      const answer = await indicative();
      conforms('indicative', answer);
      const { tradable, reason, market, buyAmount } = answer.body;
      assert.deepEqual([tradable, reason, buyAmount], [false, 'market_closed', '91987.01']);
      assert.deepEqual(market, { state: 'closed', ...expected });
      await refused('market_closed', acme.post(QUOTES, SELL_USD), expected);
    });
  }

  test('the calendar tells when it closes, and cuts the validity there', async () => {
    await service.operate('POST', MARKET, { state: 'calendar' });
    await moveClock(service, { now: '2026-03-06T21:58:00.000Z' });
    const closesAt = '2026-03-06T22:00:00.000Z';
    assert.deepEqual((await indicative()).body.market, { state: 'open', closesAt });
    const whole = await acme.quote({ validitySeconds: 60 });
    assert.equal(whole.body.validityTruncated, false);
    const cut = await acme.quote({ validitySeconds: 300 });
    const { validityTruncated, validitySeconds, expiresAt, validForMs } = cut.body;
    assert.deepEqual([validityTruncated, validitySeconds, expiresAt], [true, 300, closesAt]);
    assert.ok(validForMs <= 120_000);
    await moveClock(service, { now: closesAt });
    await refused('quote_expired', acme.execute(cut.body.quoteId));
    await refused('market_closed', acme.post(QUOTES, SELL_USD), WEEKEND);
  });

  test('it opens on Sunday evening in New York', async () => {
    await moveClock(service, { now: '2026-03-08T20:59:00.000Z' });
    await refused('market_closed', acme.post(QUOTES, SELL_USD), WEEKEND);
    await moveClock(service, { now: WEEKEND.reopensAt });
    const { body } = await acme.quote();
    assert.deepEqual([body.settlement.tradeDate, body.settlement.valueDate], ['2026-03-09', '2026-03-11']);
  });
});

describe('prices that are old or missing', () => {
  test('a recording that has ended: estimates go on, firm quotes do not', async () => {
    const file = join(folder, 'ticks.csv');
    // On real time: seen from an earlier instant the recorded prices would be from the future.
    const replayed = await startTestService({ FIRMQUOTE_SOURCES: `replay:${file}@EURUSD@max` });
    const customer = await createCustomer(replayed);
    await moveClock(replayed, { advanceSeconds: 60 });
    const estimate = await succeed(200, customer.post(INDICATIVE, SELL_USD));
    conforms('indicative', estimate);
    const { tradable, reason, rate } = estimate.body;
    assert.deepEqual([tradable, reason, rate.market], [false, 'stale', '1.08495']);
    assert.ok(rate.ageMs > 5_000);
    const answer = await customer.post(QUOTES, SELL_USD);
    await refused('price_unavailable', answer, { lastPriceAt: rate.asOf });
    assert.equal(answer.headers.get('Retry-After'), '1');
    await replayed.operate('POST', MARKET, EURUSD);
    const quote = await customer.quote();
    await replayed.operate('POST', MARKET, { pair: 'EURUSD', live: true });
    await succeed(201, customer.execute(quote.body.quoteId));
    for (const path of [QUOTES, INDICATIVE]) {
      const yen = { ...SELL_USD, buyCurrency: 'JPY' };
      await refused('pair_not_supported', customer.post(path, yen));
    }
  });

  test('what the simulator sets and lets go', async () => {
    await service.operate('POST', MARKET, { pair: 'EURUSD', live: true });
    const live = await indicative();
    assert.equal(live.body.rate.source, 'simulated');
    await service.operate('POST', MARKET, EURUSD);
    await moveClock(service, { advanceSeconds: 600 });
    const { body } = await acme.quote();
    assert.deepEqual([body.rate.source, body.buyAmount], ['sandbox', '91987.01'], 'frozen prices never age');
    for (const [wrong, pointer] of [
      [{ pair: 'EURUSD', bid: '1.2', ask: '1.1' }, '/bid'],
      [{ pair: 'EURUSD', bid: '0', ask: '1.1' }, '/bid'],
      [{ pair: 'EURUSD', bid: '1.1' }, ''],
      [{ pair: 'EURUSD', live: true, state: 'open' }, ''],
      [{ state: 'shut' }, '/state'],
      [{}, ''],
    ] as const) {
      const [error] = await fieldErrors(service.operate('POST', MARKET, wrong));
      assert.equal(error?.[0], pointer, JSON.stringify(wrong));
    }
    const inverse = { ...EURUSD, pair: 'USDEUR' };
    await refused('pair_not_supported', service.operate('POST', MARKET, inverse));
  });

  test('a cross follows the prices of its dollar legs', async () => {
    await service.operate('POST', MARKET, { pair: 'GBPUSD', bid: '1.26810', ask: '1.26818' });
    await service.operate('POST', MARKET, { pair: 'USDKWD', bid: '0.30711', ask: '0.30719' });
    const body = { sellCurrency: 'GBP', buyCurrency: 'KWD' };
    const { rate } = (await indicative(body)).body;
    // 1.26810 × 0.30711 = 0.389446…, down.
    assert.deepEqual([rate.pair, rate.side, rate.market], ['GBPKWD', 'bid', '0.38944']);
  });
});
