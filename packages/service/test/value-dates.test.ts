import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
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

/** Tenors, value dates and cut-offs over HTTP: docs/interface.md#quotes and docs/interface.md#value-dates. */

const PATHS = ['/v1/customer/quotes', '/v1/customer/quotes/indicative'];
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

type Dates = readonly [now: string, sell: string, buy: string, terms: Record<string, string>];

describe('dates that can be settled', () => {
  for (const [now, sell, buy, terms, tenor, tradeDate, valueDate] of [
    ['2026-03-04T10:00:00.000Z', 'USD', 'EUR', {}, 'spot', '2026-03-04', '2026-03-06'],
    ['2026-03-04T10:00:00.000Z', 'USD', 'EUR', { tenor: 'today' }, 'today', '2026-03-04', '2026-03-04'],
    ['2026-03-04T10:00:00.000Z', 'USD', 'EUR', { tenor: 'tom' }, 'tom', '2026-03-04', '2026-03-05'],
    [
      '2026-03-04T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-03-05' },
      'tom',
      '2026-03-04',
      '2026-03-05',
    ],
    [
      '2026-03-04T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-03-06' },
      'spot',
      '2026-03-04',
      '2026-03-06',
    ],
    // 17:00 in New York is the next trade date; after Friday's it is Monday.
    ['2026-03-04T21:59:00.000Z', 'USD', 'EUR', {}, 'spot', '2026-03-04', '2026-03-06'],
    ['2026-03-04T22:00:00.000Z', 'USD', 'EUR', {}, 'spot', '2026-03-05', '2026-03-09'],
    ['2026-03-06T22:30:00.000Z', 'USD', 'EUR', {}, 'spot', '2026-03-09', '2026-03-11'],
    // 07:00 in Auckland is the next trade date for pairs with NZD: 13:00 in New York in March, 15:00 in April.
    ['2026-03-04T17:59:00.000Z', 'USD', 'NZD', {}, 'spot', '2026-03-04', '2026-03-06'],
    ['2026-03-04T18:00:00.000Z', 'USD', 'NZD', {}, 'spot', '2026-03-05', '2026-03-09'],
    ['2026-04-08T18:59:00.000Z', 'NZD', 'USD', {}, 'spot', '2026-04-08', '2026-04-10'],
    ['2026-04-08T19:00:00.000Z', 'NZD', 'USD', {}, 'spot', '2026-04-09', '2026-04-13'],
    // TARGET is closed on Good Friday and Easter Monday.
    ['2026-04-01T10:00:00.000Z', 'USD', 'EUR', {}, 'spot', '2026-04-01', '2026-04-07'],
    ['2026-03-04T10:00:00.000Z', 'USD', 'CAD', {}, 'spot', '2026-03-04', '2026-03-05'],
    ['2026-05-01T10:00:00.000Z', 'USD', 'JPY', {}, 'spot', '2026-05-01', '2026-05-08'],
  ] as const) {
    test(`${sell}${buy} ${JSON.stringify(terms)} at ${now}: ${tenor} ${valueDate}`, async () => {
      await moveClock(service, { now });
      const body = { ...SELL_USD, sellCurrency: sell, buyCurrency: buy, ...terms };
      for (const path of PATHS) {
        const { settlement } = (await service.call('POST', path, { body })).body;
        assert.deepEqual(
          [settlement.tenor, settlement.tradeDate, settlement.valueDate],
          [tenor, tradeDate, valueDate],
        );
      }
    });
  }
});

describe('dates that cannot', () => {
  const cases: readonly (readonly [...Dates, code: string, reasons: string[], next: string | undefined])[] = [
    [
      '2026-03-04T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-03-09' },
      'tenor_not_supported',
      ['after_spot'],
      '2026-03-06',
    ],
    [
      '2026-03-04T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2030-03-06' },
      'tenor_not_supported',
      ['after_spot'],
      '2026-03-06',
    ],
    [
      '2026-03-04T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-03-03' },
      'value_date_invalid',
      ['before_trade_date'],
      '2026-03-04',
    ],
    [
      '2026-03-05T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-03-08' },
      'value_date_invalid',
      ['weekend: EUR', 'weekend: USD'],
      '2026-03-09',
    ],
    [
      '2026-04-01T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-04-03' },
      'value_date_invalid',
      ['holiday: EUR Good Friday'],
      '2026-04-07',
    ],
    [
      '2026-05-25T10:00:00.000Z',
      'EUR',
      'GBP',
      { tenor: 'today' },
      'value_date_invalid',
      ['holiday: GBP Spring bank holiday', 'holiday: USD Memorial Day'],
      '2026-05-26',
    ],
    [
      '2026-03-04T13:30:00.000Z',
      'USD',
      'EUR',
      { tenor: 'today' },
      'cutoff_passed',
      ['cutoff_passed: EUR'],
      '2026-03-05',
    ],
    [
      '2026-03-04T16:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-03-04' },
      'cutoff_passed',
      ['cutoff_passed: EUR', 'cutoff_passed: USD'],
      '2026-03-05',
    ],
    [
      '2026-03-04T10:00:00.000Z',
      'USD',
      'EUR',
      { valueDate: '2026-02-30' },
      'value_date_invalid',
      ['not_a_date'],
      '2026-03-04',
    ],
  ];
  for (const [now, sellCurrency, buyCurrency, terms, code, reasons, nextValueDate] of cases) {
    test(`${sellCurrency}${buyCurrency} ${JSON.stringify(terms)} at ${now}: ${code}`, async () => {
      await moveClock(service, { now });
      for (const path of PATHS) {
        const answer = acme.post(path, { ...SELL_USD, sellCurrency, buyCurrency, ...terms });
        const { detail } = await refused(code, answer, { reasons, nextValueDate });
        assert.match(
          detail,
          / cannot settle (today|tom|spot|on \d{4}-\d\d-\d\d): [^_]+\. Try \d{4}-\d\d-\d\d\.$/,
        );
      }
    });
  }

  test('nothing is priced for a date that no calendar covers', async () => {
    await moveClock(service, { now: '2030-12-31T10:00:00.000Z' });
    // The dates before spot are priced from it: today is in the calendars, spot is not.
    for (const tenor of ['spot', 'tom', 'today']) {
      for (const path of PATHS) {
        await refused('value_date_invalid', acme.post(path, { ...SELL_USD, tenor }), {
          reasons: ['calendar_missing'],
        });
      }
    }
    await moveClock(service, { now: '2026-03-04T10:00:00.000Z' });
  });

  test('what is no tenor and no date', async () => {
    for (const path of PATHS) {
      const tenor = acme.post(path, { ...SELL_USD, tenor: '1W' });
      assert.deepEqual(await fieldErrors(tenor), [['/tenor', 'not_permitted']]);
      for (const valueDate of ['2026-3-6', '06.03.2026', '2026-03-06T00:00:00Z', '']) {
        const answer = acme.post(path, { ...SELL_USD, valueDate });
        assert.deepEqual(await fieldErrors(answer), [['/valueDate', 'wrong_format']], valueDate);
      }
      const number = acme.post(path, { ...SELL_USD, valueDate: 20260306 });
      assert.deepEqual(await fieldErrors(number), [['/valueDate', 'wrong_type']]);
    }
  });
});

describe('cut-offs', () => {
  test('a quote for today does not outlive the earlier of the two cut-offs', async () => {
    await moveClock(service, { now: '2026-03-04T13:29:00.000Z' });
    const { body } = await acme.quote({ tenor: 'today', validitySeconds: 300 });
    assert.deepEqual([body.expiresAt, body.validityTruncated], ['2026-03-04T13:30:00.000Z', true]);
    await moveClock(service, { now: '2026-03-04T13:30:00.000Z' });
    const gone = await refused('quote_expired', acme.execute(body.quoteId));
    await refused('cutoff_passed', acme.post(PATHS[0] ?? '', gone.requote), { nextValueDate: '2026-03-05' });
  });

  test('the money is due at the earlier cut-off of both currencies on the value date', async () => {
    for (const [sellCurrency, buyCurrency, valueDate, dueBy] of [
      ['USD', 'EUR', '2026-03-06', '2026-03-06T13:30:00.000Z'],
      ['USD', 'GBP', '2026-03-06', '2026-03-06T15:00:00.000Z'],
      // Tokyo pays in its own morning: what arrives in time for London misses it.
      ['EUR', 'JPY', '2026-03-06', '2026-03-06T01:00:00.000Z'],
      ['EUR', 'USD', '2026-03-06', '2026-03-06T13:30:00.000Z'],
      ['JPY', 'USD', '2026-03-06', '2026-03-06T01:00:00.000Z'],
    ] as const) {
      const { body } = await acme.quote({ sellCurrency, buyCurrency, amount: '10000' });
      assert.deepEqual([body.settlement.valueDate, body.settlement.fundingCutoffAt], [valueDate, dueBy]);
    }
    await moveClock(service, { now: '2026-07-01T10:00:00.000Z' });
    const summer = await acme.quote();
    assert.equal(
      summer.body.settlement.fundingCutoffAt,
      '2026-07-03T12:30:00.000Z',
      'London’s own summer time',
    );
  });

  test('money that misses it makes the trade overdue, and its value date is rolled when it comes', async () => {
    await moveClock(service, { now: '2026-03-04T10:00:00.000Z' });
    const { body } = await acme.trade();
    const path = `/v1/customer/transactions/${body.transactionId}`;
    await moveClock(service, { now: '2026-03-06T13:29:00.000Z' });
    const last = await acme.get(path);
    assert.equal(last.body.status, 'awaiting_funds');
    assert.ok(last.body.nextPollAfterSeconds <= 5);
    await moveClock(service, { now: '2026-03-06T13:30:00.000Z' });
    const overdue = (await acme.get(path)).body;
    assert.deepEqual([overdue.status, overdue.statusReason], ['overdue', 'funding_not_received']);
    const deposit = { reference: body.reference, amount: '100000.00', currency: 'USD' };
    await succeed(201, service.operate('POST', '/v1/sandbox/deposits', deposit));
    const funded = (await acme.get(path)).body;
    assert.equal(funded.status, 'funded');
    const { originalValueDate, valueDate } = funded.settlement;
    assert.deepEqual([originalValueDate, valueDate], ['2026-03-06', '2026-03-09']);
    await moveClock(service, { now: '2026-03-09T12:00:00.000Z' });
    assert.equal((await acme.get(path)).body.status, 'settled');
  });
});

describe('a value date in a year whose days are estimates', () => {
  before(() => moveClock(service, { now: '2026-03-04T10:00:00.000Z' }));
  const settlementOf = async (path: string, buyCurrency: string) =>
    (
      await succeed(
        path === PATHS[0] ? 201 : 200,
        service.call('POST', path, { body: { ...SELL_USD, buyCurrency } }),
      )
    ).body.settlement;

  test('says so in estimates and quotes, and in nothing else', async () => {
    for (const path of PATHS) {
      assert.deepEqual((await settlementOf(path, 'AED')).estimatedCurrencies, ['AED']);
      assert.equal('estimatedCurrencies' in (await settlementOf(path, 'EUR')), false);
    }
  });

  test('a quote says it for good: repeated, read, explained, and after the year is known', async () => {
    const headers = { 'Idempotency-Key': 'estimated-days' };
    const body = { ...SELL_USD, buyCurrency: 'AED' };
    const dealer = await createCustomer(service);
    const account = {
      currency: 'AED',
      accountHolder: 'Acme Ltd',
      iban: 'AE070331234567890123456',
      bic: 'EBILAEAD',
    };
    await succeed(201, service.operate('POST', `${dealer.path}/settlement-instructions`, account));
    const first = await succeed(201, dealer.post('/v1/customer/quotes', body, headers));
    const path = `/v1/customer/quotes/${first.body.quoteId}`;
    assert.deepEqual(first.body.settlement.estimatedCurrencies, ['AED']);
    const year = { complete: true, changes: [], reason: 'announced' };
    await succeed(
      200,
      service.operate('PUT', '/v1/operator/calendars/AED/2026', year, { 'If-Match': '"v1"' }),
    );
    const again = await succeed(201, dealer.post('/v1/customer/quotes', body, headers));
    assert.deepEqual(again.body.settlement, first.body.settlement);
    assert.deepEqual((await succeed(200, dealer.get(path))).body.settlement, first.body.settlement);
    const explanation = (await succeed(200, dealer.get(`${path}/explain`))).body;
    assert.deepEqual(explanation.estimatedCurrencies, ['AED']);
    assert.equal(explanation.verification.outcome, 'matches');
    const trade = (await succeed(201, dealer.post(`${path}/execute`, {}))).body;
    const { transactionId, settlement } = trade;
    assert.deepEqual(settlement.estimatedCurrencies, ['AED']);
    const readAgain = await succeed(200, dealer.get(`/v1/customer/transactions/${transactionId}`));
    assert.deepEqual(readAgain.body.settlement, settlement);
    const ofTransaction = service.operate('GET', `/v1/operator/transactions/${transactionId}/explain`);
    assert.deepEqual((await succeed(200, ofTransaction)).body.estimatedCurrencies, ['AED']);
    const later = (await succeed(201, dealer.post('/v1/customer/quotes', body))).body;
    assert.equal('estimatedCurrencies' in later.settlement, false);
    const { body: dates } = await dealer.get('/v1/customer/reference/value-dates?pair=USDAED');
    assert.deepEqual(dates.estimatedCurrencies, []);
  });
});
