import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { findPair, pointDecimals, verifyEvidence } from '@firmquote/fx';
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
import type { TestService } from './support/service.ts';

/** Prices for value before spot: docs/interface.md#value-dates. */

const QUOTES = '/v1/customer/quotes';
const NO_PAIR = 'USDEUR is not a pair of known currencies in market order.';
const POINTS = '/v1/operator/swap-points';
const POLICY = '/v1/operator/swap-point-policy';
/** Both currencies can still be settled today. */
const MORNING = '2026-03-04T10:30:00.000Z';
const REFUSE = {
  withoutPoints: 'refuse',
  worseSideBpsPerDay: null,
  pointsMaxAgeSeconds: 3_600,
  ratesMaxAgeDays: 7,
  interestRates: [] as unknown[],
};
const RATE = { dayCount: 'ACT/360', asOf: '2026-03-02', source: 'fixings of the day' };
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  await moveClock(service, { now: MORNING });
  acme = await createCustomer(service);
});

const put = (path: string, body: unknown, version: number | '*') =>
  service.operate('PUT', path, body, { 'If-Match': version === '*' ? '*' : `"v${version}"` });
const push = (points: unknown, source = 'bank-a') => service.operate('POST', POINTS, { source, points });
const explained = async (quoteId: string) =>
  (await succeed(200, acme.get(`${QUOTES}/${quoteId}/explain`))).body;
/** Sells base (bid) or buys it (ask), for a value date. */
const rateOf = async (tenor: string, sellCurrency: 'USD' | 'EUR') => {
  const buyCurrency = sellCurrency === 'USD' ? 'EUR' : 'USD';
  return (await acme.quote({ sellCurrency, buyCurrency, tenor })).body.rate.market;
};
const setPoints = (on: unknown, tn: unknown) => ({ on, tn, source: 'desk', reason: 'morning run' });

describe('the sandbox', () => {
  test('trades every tenor out of the box, by the interest rates that it ships with', async () => {
    // 1.08494 is the spot ask; the euro earns less than the dollar, so it costs less the earlier it is paid.
    assert.deepEqual(
      [await rateOf('spot', 'USD'), await rateOf('tom', 'USD'), await rateOf('today', 'USD')],
      ['1.08494', '1.08491', '1.08487'],
    );
    const { body } = await succeed(200, service.operate('GET', POLICY));
    assert.match(body.builtInRates[0].source, /policy rates at the end of 2024/);
    assert.equal(body.builtInRates.length, 39);
  });

  test('the explanation names the rates, and the quote is computed again from them', async () => {
    const { quoteId } = (await acme.quote({ tenor: 'today' })).body;
    const { market, evidence, numbers, verification, steps } = await explained(quoteId);
    assert.deepEqual([market.bid, market.ask], ['1.08488', '1.08494'], 'the market is that of spot');
    assert.deepEqual(
      market.swapPoints.map((leg: Record<string, unknown>) => [leg.leg, leg.from, leg.to, leg.origin]),
      [
        ['tn', '2026-03-05', '2026-03-06', 'interest_rates'],
        ['on', '2026-03-04', '2026-03-05', 'interest_rates'],
      ],
    );
    assert.deepEqual(market.swapPoints[0].rates.base.currency, 'EUR');
    assert.equal(verification.outcome, 'matches');
    assert.deepEqual(verifyEvidence(evidence, numbers), []);
    assert.deepEqual(
      steps.slice(0, 5).map(({ step, unit }: { step: string; unit: string }) => [step, unit]),
      [
        ['swap_points_bid', 'pips'],
        ['swap_points_ask', 'pips'],
        ['swap_points_bid', 'pips'],
        ['swap_points_ask', 'pips'],
        ['client_rate', 'EURUSD'],
      ],
    );
  });
});

describe('points that are pushed and set', () => {
  test('each has its own outcome, and the customer deals on the right side', async () => {
    const { body } = await succeed(
      200,
      push([
        { pair: 'EURUSD', leg: 'tn', bid: '5.2', ask: '5.8' },
        { pair: 'EURUSD', leg: 'on', bid: '5.0', ask: '6.0', at: '2026-03-04T10:29:00.000Z' },
        { pair: 'USDEUR', leg: 'on', bid: '1', ask: '2' },
        { pair: 'EURUSD', leg: 'on', bid: '2', ask: '1' },
        { pair: 'EURUSD', leg: 'on', bid: '1e1', ask: '2' },
        { pair: 'EURUSD', leg: 'on', bid: '1', ask: '2', at: 'noon' },
        { pair: 'EURUSD', leg: 'on', bid: '1', ask: '2', at: '2026-03-04T10:50:00.000Z' },
        { pair: 'EURUSD', leg: 'on', bid: '1', ask: '2', at: '2026-03-03T10:40:00.000Z' },
        { pair: 'EURUSD', leg: 'on', bid: '1', ask: '2', at: '2026-03-04T10:00:00.000Z' },
      ]),
    );
    assert.deepEqual(
      body.results.map((each: { outcome: string; reason?: string }) => each.reason ?? each.outcome),
      [
        'accepted',
        'accepted',
        'unknown_pair',
        'crossed',
        'not_a_number',
        'not_a_time',
        'future',
        'old',
        'backwards',
      ],
    );
    // ask of tom: 1.08494 - 0.00052; bid of today: 1.08488 - 0.00058 - 0.00060.
    assert.deepEqual(
      [await rateOf('tom', 'USD'), await rateOf('tom', 'EUR'), await rateOf('today', 'USD')],
      ['1.08442', '1.08430', '1.08392'],
    );
    assert.equal(await rateOf('today', 'EUR'), '1.08370');
    const shown = (await succeed(200, service.operate('GET', `${POINTS}/EURUSD`))).body;
    assert.deepEqual([shown.today.bid, shown.today.ask], ['1.08370', '1.08392']);
    assert.deepEqual(shown.tom.legs[0].origin, 'pushed');
    const list = (await succeed(200, service.operate('GET', POINTS))).body;
    assert.deepEqual(
      list.items.map(({ pair }: { pair: string }) => pair),
      ['EURUSD'],
    );
    await refused('validation_failed', push([{ pair: 'EURUSD', leg: 'tn', bid: '1', ask: '2' }], 'operator'));
  });

  test('points have as many digits as those that follow from rates', async () => {
    const path = `${POINTS}/IDRKWD`;
    const points = { bid: '-0.00001092', ask: '-0.00000991' };
    const { body } = await succeed(200, put(path, setPoints(null, points), 1));
    assert.deepEqual(body.set.tn, points);
    const { body: pushed } = await succeed(200, push([{ pair: 'IDRKWD', leg: 'on', ...points }]));
    assert.equal(pushed.results[0].outcome, 'accepted');
    const finer = put(path, setPoints(null, { bid: '-0.000000001', ask: '0' }), 2);
    const { errors } = await refused('validation_failed', finer);
    assert.match(errors[0].detail, /at most eight decimals$/);
    for (const code of ['IDRKWD', 'IDRJPY', 'IDRISK', 'EURUSD']) {
      const pair = findPair(code);
      assert.ok(pair !== undefined && pointDecimals(pair) <= 8, code);
    }
  });

  test('points that move the price by more than the policy permits are refused', async () => {
    const path = `${POINTS}/EURUSD`;
    // Today to tomorrow is a day, tomorrow to spot another: 1.08494 × 0.0025 = 27.1235 pips each.
    const slip = setPoints({ bid: '0.50', ask: '52' }, { bid: '-27.1236', ask: '27.1235' });
    const { errors } = await refused('validation_failed', put(path, slip, 1));
    assert.deepEqual(
      errors.map(({ pointer, detail }: { pointer: string; detail: string }) => [pointer, detail]),
      ['/on/ask', '/tn/bid'].map((pointer) => [
        pointer,
        'must lie between -27.1235 and 27.1235, 25.00 basis points of the price for each day: maxBpsPerDay of the policy',
      ]),
    );
    const beyond = [{ pair: 'GBPUSD', leg: 'on', bid: '-40', ask: '-26' }];
    assert.equal((await succeed(200, push(beyond))).body.results[0].reason, 'out_of_range');
    const { body: before } = await succeed(200, service.operate('GET', POLICY));
    assert.equal(before.maxBpsPerDay, '25.00');
    assert.deepEqual(await fieldErrors(put(POLICY, { ...REFUSE, maxBpsPerDay: '0.00' }, before.version)), [
      ['/maxBpsPerDay', 'out_of_range'],
    ]);
    await succeed(200, put(POLICY, { ...REFUSE, maxBpsPerDay: '60.00' }, before.version));
    assert.equal((await succeed(200, push(beyond, 'bank-z'))).body.results[0].outcome, 'accepted');
    await succeed(200, put(POLICY, REFUSE, before.version + 1));
    assert.equal((await service.operate('GET', POLICY)).body.maxBpsPerDay, '25.00');
  });

  test("an operator's word comes before a source's, is versioned and can be taken back", async () => {
    const path = `${POINTS}/EURUSD`;
    const own = setPoints(null, { bid: '-2', ask: '-1' });
    await refused('precondition_required', service.operate('PUT', path, own));
    await refused('version_mismatch', put(path, own, 7));
    const crossed = setPoints({ bid: '2', ask: '1.5' }, null);
    assert.deepEqual(await fieldErrors(put(path, crossed, 1)), [['/on/bid', 'out_of_range']]);
    const errors = [{ pointer: '/path/pair', code: 'pair_not_supported', detail: NO_PAIR }];
    await refused('pair_not_supported', put(`${POINTS}/USDEUR`, own, 1), { errors });
    await refused('pair_not_supported', service.operate('GET', `${POINTS}/USDEUR`), { errors });
    const { body } = await succeed(200, put(path, own, 1));
    assert.deepEqual([body.version, body.tom.legs[0].origin, body.set.source], [2, 'operator', 'desk']);
    // Negative points: the earlier date is dearer.
    assert.equal(await rateOf('tom', 'USD'), '1.08514');
    const { quoteId } = (await acme.quote({ tenor: 'tom' })).body;
    const { market } = await explained(quoteId);
    assert.deepEqual(
      [market.swapPoints[0].bid, market.swapPoints[0].ask, market.swapPoints[0].source],
      ['-2', '-1', 'desk'],
    );
    await succeed(200, put(path, setPoints(null, null), 2));
    assert.equal(await rateOf('tom', 'USD'), '1.08442');
  });

  test('an estimate and a stream of estimates are priced alike', async () => {
    const estimate = { sellCurrency: 'USD', buyCurrency: 'EUR', tenor: 'tom' };
    const { body } = await succeed(200, acme.post(`${QUOTES}/indicative`, estimate));
    assert.equal(body.rate.market, '1.08442');
    const sample = { customerId: acme.customerId, ...SELL_USD, tenor: 'tom' };
    const preview = await succeed(200, service.operate('POST', '/v1/operator/spread-rules/preview', sample));
    assert.equal(preview.body.live.rate.market, '1.08442');
  });

  test('what is wrong with a policy is told, all of it', async () => {
    const interestRates = [
      { ...RATE, currency: 'EUR', bid: '2', ask: '1' },
      { ...RATE, currency: 'EUR', bid: '1', ask: '2', asOf: '2026-02-30' },
      { ...RATE, currency: 'XXX', bid: '1', ask: '2' },
    ];
    const wrong = { ...REFUSE, withoutPoints: 'worse_side', interestRates };
    assert.deepEqual(await fieldErrors(put(POLICY, wrong, 1)), [
      ['/worseSideBpsPerDay', 'required'],
      ['/interestRates/0/bid', 'out_of_range'],
      ['/interestRates/1/currency', 'repeated'],
      ['/interestRates/1/asOf', 'wrong_format'],
      ['/interestRates/2/currency', 'unknown'],
    ]);
  });

  test('they end with their age and with their trade date', async () => {
    await succeed(200, put(POLICY, REFUSE, '*'));
    await moveClock(service, { now: '2026-03-04T11:29:30.000Z' });
    const { body } = await succeed(200, service.operate('GET', `${POINTS}/EURUSD`));
    assert.deepEqual(
      body.tom.legs.map(({ origin }: { origin: string }) => origin),
      ['pushed'],
    );
    await moveClock(service, { now: '2026-03-04T11:31:00.000Z' });
    const later = (await succeed(200, service.operate('GET', `${POINTS}/EURUSD`))).body;
    assert.equal(later.tom.legs[0].origin, 'interest_rates');
    await succeed(200, push([{ pair: 'EURUSD', leg: 'tn', bid: '5.2', ask: '5.8' }]));
    await moveClock(service, { now: '2026-03-04T22:00:00.000Z' });
    const rolled = (await succeed(200, service.operate('GET', `${POINTS}/EURUSD`))).body;
    assert.equal(rolled.tom.legs[0].origin, 'interest_rates');
    await moveClock(service, { now: MORNING });
  });
});

test('points from before the clock was set back give way to what is pushed afterwards, by whomever', async () => {
  const legs = async () =>
    (await succeed(200, service.operate('GET', `${POINTS}/GBPUSD`))).body.tom.legs.map(
      ({ origin, source, bid }: Record<string, unknown>) => `${origin} ${source} ${bid}`,
    );
  const pushed = async (source: string, bid: string) => {
    const { body } = await succeed(200, push([{ pair: 'GBPUSD', leg: 'tn', bid, ask: '5.8' }], source));
    return body.results[0].reason ?? body.results[0].outcome;
  };
  await moveClock(service, { now: '2026-03-04T11:00:00.000Z' });
  assert.equal(await pushed('bank-a', '5.1'), 'accepted');
  await moveClock(service, { now: MORNING });
  assert.deepEqual(
    [await pushed('bank-b', '5.2'), await legs()],
    ['accepted', ['pushed bank-b 5.2']],
    'nobody is newer by a time that has not come',
  );
  assert.equal(await pushed('bank-a', '5.3'), 'accepted');
  assert.deepEqual(await legs(), ['pushed bank-a 5.3']);
});

test('a firm quote ends with its trade date, after which spot is another day', async () => {
  const patient = await createCustomer(service, { settings: { permittedValidities: [30, 3_600] } });
  await moveClock(service, { now: '2026-03-04T21:30:00.000Z' });
  const { body } = await patient.quote({ validitySeconds: 3_600 });
  assert.deepEqual(
    [body.settlement.valueDate, body.expiresAt, body.validityTruncated],
    ['2026-03-06', '2026-03-04T22:00:00.000Z', true],
  );
  await moveClock(service, { now: '2026-03-04T22:00:00.000Z' });
  assert.equal((await patient.get(`${QUOTES}/${body.quoteId}`)).body.status, 'expired');
  await moveClock(service, { now: MORNING });
});

test('pairs with NZD have the trade date of Auckland, in quotes and in points', async () => {
  const patient = await createCustomer(service, { settings: { permittedValidities: [30, 3_600] } });
  const account = {
    currency: 'NZD',
    accountHolder: 'Acme Ltd',
    accountNumber: '020500000000000',
    bic: 'BKNZNZ22',
  };
  await succeed(201, service.operate('POST', `${patient.path}/settlement-instructions`, account));
  await moveClock(service, { now: '2026-03-04T17:30:00.000Z' });
  await succeed(200, push([{ pair: 'NZDUSD', leg: 'tn', bid: '1.2', ask: '1.8' }]));
  const terms = { sellCurrency: 'USD', buyCurrency: 'NZD', validitySeconds: 3_600 };
  const { body } = await patient.quote(terms);
  assert.deepEqual(
    [body.settlement.tradeDate, body.settlement.valueDate, body.expiresAt, body.validityTruncated],
    ['2026-03-04', '2026-03-06', '2026-03-04T18:00:00.000Z', true],
  );
  const tom = (await patient.quote({ ...terms, tenor: 'tom' })).body;
  const originsOf = async () =>
    (await succeed(200, service.operate('GET', `${POINTS}/NZDUSD`))).body.tom.legs.map(
      ({ origin }: { origin: string }) => origin,
    );
  assert.deepEqual(await originsOf(), ['pushed']);
  await moveClock(service, { now: '2026-03-04T18:00:00.000Z' });
  assert.equal((await patient.get(`${QUOTES}/${body.quoteId}`)).body.status, 'expired');
  assert.notDeepEqual(await originsOf(), ['pushed'], 'they were of the trade date that is over');
  const explanation = (await succeed(200, patient.get(`${QUOTES}/${tom.quoteId}/explain`))).body;
  assert.deepEqual([explanation.tradeDate, explanation.valueDate], ['2026-03-04', '2026-03-05']);
  assert.equal(explanation.verification.outcome, 'matches');
  assert.equal((await patient.quote(terms)).body.settlement.valueDate, '2026-03-09');
  await moveClock(service, { now: MORNING });
});
