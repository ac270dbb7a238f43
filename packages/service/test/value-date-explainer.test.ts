import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  EXAMPLE_NOW,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { documentTable } from './support/documents.ts';
import type { TestService } from './support/service.ts';

/** `GET /v1/customer/reference/value-dates`: docs/interface.md#value-dates. */

const REFERENCE = '/v1/customer/reference';
const SELL = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' } as const;
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const read = async (path: string) => (await succeed(200, acme.get(`${REFERENCE}/${path}`))).body;
const at = (now: string) => moveClock(service, { now });

interface Explained {
  readonly date: string;
  readonly good: boolean;
  readonly tenor: string | null;
  readonly reasons: readonly Readonly<Record<string, string>>[];
}

describe('value dates are explained', () => {
  const examples = documentTable('docs/interface.md', 'Trade date');
  assert.equal(examples.length, 11);

  for (const { Pair: pair = '', 'Trade date': tradeDate = '', Spot: spot = '' } of examples) {
    test(`${pair} traded on ${tradeDate} settles on ${spot}, and each date before it says why not`, async () => {
      await at(`${tradeDate}T08:00:00.000Z`);
      const body = await read(`value-dates?pair=${pair}`);
      assert.deepEqual([body.tradeDate, body.derivation.spot], [tradeDate, spot]);
      assert.deepEqual([body.tenors.spot.available, body.tenors.spot.valueDate], [true, spot]);
      const dates: Explained[] = body.dates;
      assert.equal(dates[0]?.date, tradeDate);
      assert.equal(dates.find(({ tenor }) => tenor === 'spot')?.date, spot);
      for (const { good, tenor, reasons } of dates) {
        assert.deepEqual([good, tenor !== null], [reasons.length === 0, good]);
      }
      // What is said to be good is quoted, and what is not is refused.
      for (const { date, good } of pair === 'EURUSD' ? dates : []) {
        const answer = await acme.post('/v1/customer/quotes', { ...SELL, valueDate: date });
        assert.equal(answer.status === 201, good, `${date} ${answer.text}`);
      }
    });
  }

  test('the two rules on US holidays', async () => {
    await at('2025-11-10T12:00:00.000Z');
    const euro = await read('value-dates?pair=EURUSD');
    const veterans = { code: 'holiday', currency: 'USD', name: 'Veterans Day' };
    assert.deepEqual(euro.derivation.legs[1].days[0], {
      date: '2025-11-11',
      counts: true,
      reasons: [],
      ignored: [veterans],
    });
    const peso = await read('value-dates?sellCurrency=MXN&buyCurrency=USD');
    assert.equal(peso.pair, 'USDMXN');
    assert.deepEqual(peso.derivation.legs[1].days[0].reasons, [
      { code: 'us_holiday_between', currency: 'MXN', name: 'Veterans Day' },
    ]);
    await at('2025-11-25T12:00:00.000Z');
    const cross = await read('value-dates?pair=EURGBP');
    assert.deepEqual(cross.derivation.joint[0].reasons, [
      { code: 'us_holiday', currency: 'USD', name: 'Thanksgiving Day' },
    ]);
    assert.deepEqual(cross.derivation.decidingCurrencies, ['EUR', 'GBP', 'USD']);
  });

  test('cut-offs, tenors and what is estimated', async () => {
    await at('2026-03-04T13:30:00.000Z');
    const body = await read('value-dates?pair=EURUSD');
    assert.deepEqual(body.cutOffs, [
      {
        currency: 'EUR',
        time: '13:30',
        zone: 'Europe/London',
        cutOffAt: '2026-03-04T13:30:00.000Z',
        passed: true,
      },
      {
        currency: 'USD',
        time: '15:00',
        zone: 'Europe/London',
        cutOffAt: '2026-03-04T15:00:00.000Z',
        passed: false,
      },
    ]);
    assert.deepEqual(body.tenors.today, {
      available: false,
      valueDate: null,
      code: 'cutoff_passed',
      reasons: [{ code: 'cutoff_passed', currency: 'EUR', cutOffAt: '2026-03-04T13:30:00.000Z' }],
      nextValueDate: '2026-03-05',
    });
    assert.equal(body.tradeDateEndsAt, '2026-03-04T22:00:00.000Z');
    assert.deepEqual(body.estimatedCurrencies, []);
    assert.deepEqual((await read('value-dates?pair=USDKWD')).estimatedCurrencies, ['KWD']);
  });

  test('a missing calendar is a reason too', async () => {
    const body = await read('value-dates?pair=USDNGN');
    assert.equal(body.derivation, null);
    assert.deepEqual(body.tenors.spot.reasons, [
      { code: 'calendar_missing', currency: 'NGN', date: '2026-03-05' },
    ]);
  });

  test('another trade date or instant ahead', async () => {
    const ahead = await read('value-dates?pair=EURUSD&tradeDate=2026-04-01');
    assert.deepEqual([ahead.tradeDate, ahead.tenors.spot.valueDate], ['2026-04-01', '2026-04-07']);
    assert.deepEqual(ahead.tenors.today.valueDate, '2026-04-01');
    const later = await read('value-dates?pair=EURUSD&at=2026-03-04T23:00:00Z');
    assert.equal(later.tradeDate, '2026-03-05');
    for (const [query, expected] of [
      ['pair=EURUSD&tradeDate=2026-03-03', ['/query/tradeDate', 'out_of_range']],
      ['pair=EURUSD&tradeDate=2027-06-01', ['/query/tradeDate', 'out_of_range']],
      ['pair=EURUSD&tradeDate=2026-03-07', ['/query/tradeDate', 'not_permitted']],
      ['pair=EURUSD&tradeDate=2026-02-30', ['/query/tradeDate', 'wrong_format']],
      ['pair=EURUSD&at=2026-03-01T00:00:00Z', ['/query/at', 'out_of_range']],
      ['pair=EURUSD&at=2026-03-05T00:00:00Z&tradeDate=2026-03-05', ['/query/tradeDate', 'not_permitted']],
      ['pair=EURUSD&sellCurrency=EUR', ['/query/pair', 'not_permitted']],
      ['sellCurrency=EUR', ['/query/buyCurrency', 'required']],
      ['', ['/query/pair', 'required']],
      ['pair=EURUSD&x=1', ['/query/x', 'unknown_field']],
    ] as const) {
      assert.deepEqual(await fieldErrors(acme.get(`${REFERENCE}/value-dates?${query}`)), [expected], query);
    }
    for (const [query, code] of [
      ['pair=USDEUR', 'pair_not_supported'],
      ['sellCurrency=EUR&buyCurrency=EUR', 'same_currency'],
      ['sellCurrency=EUR&buyCurrency=XXX', 'currency_not_supported'],
      ['sellCurrency=EUR&buyCurrency=HRK', 'currency_withdrawn'],
    ] as const) {
      await refused(code, acme.get(`${REFERENCE}/value-dates?${query}`));
    }
    await at(EXAMPLE_NOW);
  });

  test('pairs with NZD change their trade date at 07:00 in Auckland', async () => {
    await at('2026-03-04T17:59:00.000Z');
    const before = await read('value-dates?pair=NZDUSD');
    assert.deepEqual(
      [before.tradeDate, before.tradeDateEndsAt, before.tenors.spot.valueDate],
      ['2026-03-04', '2026-03-04T18:00:00.000Z', '2026-03-06'],
    );
    await at('2026-03-04T18:00:00.000Z');
    const after = await read('value-dates?pair=NZDUSD');
    assert.deepEqual([after.tradeDate, after.tenors.spot.valueDate], ['2026-03-05', '2026-03-09']);
    assert.equal((await read('value-dates?pair=EURUSD')).tradeDate, '2026-03-04');
    assert.deepEqual(
      await fieldErrors(acme.get(`${REFERENCE}/value-dates?pair=NZDUSD&tradeDate=2026-03-04`)),
      [['/query/tradeDate', 'out_of_range']],
    );
    assert.equal((await read('value-dates?pair=NZDUSD&tradeDate=2026-03-06')).tradeDate, '2026-03-06');
    assert.equal((await read('value-dates?pair=NZDUSD&at=2026-03-05T18:00:00Z')).tradeDate, '2026-03-06');
    await at(EXAMPLE_NOW);
  });
});
