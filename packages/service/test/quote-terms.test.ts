import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseTypeId } from '../src/platform/ids.ts';
import type { FieldError } from '../src/problems/problem.ts';
import {
  type Customer,
  createCustomer,
  EURUSD,
  EXAMPLE_NOW,
  fieldErrors,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import type { Answer, TestService } from './support/service.ts';

/** What may be asked for: currencies, amounts, validity, requotes, and what customers are told of a price. */

const QUOTES = '/v1/customer/quotes';
const INDICATIVE = `${QUOTES}/indicative`;
const PREVIEW = '/v1/operator/spread-rules/preview';
const USDIDR = { pair: 'USDIDR', bid: '16480.01', ask: '16490' };
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

describe('currencies', () => {
  for (const [sellCurrency, buyCurrency, code, pointer] of [
    ['USD', 'USD', 'same_currency', '/buyCurrency'],
    ['XYZ', 'EUR', 'currency_not_supported', '/sellCurrency'],
    ['USD', 'XYZ', 'currency_not_supported', '/buyCurrency'],
    ['USD', 'HRK', 'currency_withdrawn', '/buyCurrency'],
    ['BGN', 'EUR', 'currency_withdrawn', '/sellCurrency'],
  ] as const) {
    test(`${sellCurrency} into ${buyCurrency} is ${code}`, async () => {
      const body = { ...SELL_USD, sellCurrency, buyCurrency };
      for (const path of [QUOTES, INDICATIVE]) {
        const { errors, detail } = await refused(code, acme.post(path, body));
        assert.deepEqual(errors, [{ pointer, code, detail }]);
      }
    });
  }

  test('codes are upper case and have three letters', async () => {
    for (const sellCurrency of ['usd', 'US', 'USDX', ' USD', '', 'ÜSD']) {
      const errors = await fieldErrors(acme.post(QUOTES, { ...SELL_USD, sellCurrency }));
      assert.deepEqual(errors, [['/sellCurrency', 'wrong_format']], sellCurrency);
    }
  });
});

describe('amounts', () => {
  test('texts that are no amounts', async () => {
    const texts = [
      '',
      '-5',
      '+5',
      '1e5',
      '0x10',
      '1,000.00',
      '.5',
      '5.',
      '01',
      '1.23456',
      ' 1',
      '1 ',
      'NaN',
      '١',
    ];
    for (const amount of [...texts, '1'.repeat(16), '9'.repeat(1_000)]) {
      const errors = await fieldErrors(acme.post(QUOTES, { ...SELL_USD, amount }));
      assert.deepEqual(errors, [['/amount', 'wrong_format']], amount);
    }
  });

  test('numbers and other things where a text belongs', async () => {
    for (const amount of [100_000, 0, 1.5, true, null, [], {}, ['100.00']]) {
      for (const path of [QUOTES, INDICATIVE]) {
        const errors = await fieldErrors(acme.post(path, { ...SELL_USD, amount }));
        assert.deepEqual(errors, [['/amount', 'wrong_type']], JSON.stringify(amount));
      }
    }
  });

  test('nothing, and what comes to nothing in the other currency', async () => {
    for (const path of [QUOTES, INDICATIVE]) {
      const zero = { ...SELL_USD, amount: '0.00' };
      await refused('amount_below_minimum', acme.post(path, zero), { currency: 'USD', min: '0.01' });
      const won = { ...SELL_USD, sellCurrency: 'KRW', buyCurrency: 'EUR', amount: '1' };
      await refused('amount_below_minimum', acme.post(path, won), { currency: 'EUR', min: '0.01' });
    }
  });

  test('what is nothing at the market, though the spread makes it something', async () => {
    await succeed(200, service.operate('POST', '/v1/sandbox/market', USDIDR));
    const rupiah = await createCustomer(service, { currencies: ['USD', 'IDR'] });
    const buy = { sellCurrency: 'USD', buyCurrency: 'IDR', fixedSide: 'buy', amount: '82.40' };
    const cent = { currency: 'USD', min: '0.01' };
    // One beside it in the same batch of writes is not held up by it.
    const [nothing, beside] = await Promise.all([
      rupiah.post(QUOTES, buy),
      rupiah.post(QUOTES, { ...buy, amount: '82.41' }),
    ]);
    await refused('amount_below_minimum', nothing, cent);
    assert.deepEqual([beside.status, beside.body.sellAmount], [201, '0.01'], beside.text);
    await refused('amount_below_minimum', rupiah.post(INDICATIVE, buy), cent);
    const streamed = { Accept: 'text/event-stream' };
    await refused('amount_below_minimum', rupiah.post(INDICATIVE, buy, streamed), cent);
    const sample = { ...buy, customerId: rupiah.customerId };
    const preview = await succeed(200, service.operate('POST', PREVIEW, sample));
    assert.deepEqual(
      [preview.body.live.outcome, preview.body.live.sellAmount],
      ['amount_below_minimum', null],
    );
    assert.equal(
      (await rupiah.get(`${QUOTES}/${beside.body.quoteId}/explain`)).body.verification.outcome,
      'matches',
    );
  });

  test('what comes to more digits in the other currency than an amount has', async () => {
    await succeed(200, service.operate('POST', '/v1/sandbox/market', USDIDR));
    const limits = {
      singleTrade: '999999999999.00',
      dailyVolume: '999999999999.00',
      openPosition: '999999999999.00',
    };
    const rupiah = await createCustomer(service, { currencies: ['USD', 'IDR'], limits });
    const buy = { sellCurrency: 'USD', buyCurrency: 'IDR', fixedSide: 'sell', amount: '70000000000.00' };
    const most = { currency: 'IDR', max: '999999999999999.99' };
    for (const path of [QUOTES, INDICATIVE])
      await refused('amount_above_maximum', rupiah.post(path, buy), most);
    const preview = await succeed(200, service.operate('POST', PREVIEW, buy));
    assert.equal(preview.body.live.outcome, 'amount_above_maximum');
    const { body } = await rupiah.quote({ ...buy, amount: '60000000000.00' });
    const { sellAmount, buyAmount } = body;
    await succeed(201, rupiah.execute(body.quoteId, { expect: { sellAmount, buyAmount } }));
  });

  test('a price that is nothing at the decimals of its pair is none', async () => {
    await succeed(
      200,
      service.operate('POST', '/v1/sandbox/market', { ...USDIDR, bid: '0.001', ask: '0.002' }),
    );
    const rupiah = await createCustomer(service, { currencies: ['USD', 'IDR'] });
    const sell = { sellCurrency: 'USD', buyCurrency: 'IDR', fixedSide: 'sell', amount: '100.00' };
    for (const path of [QUOTES, INDICATIVE]) {
      await refused('price_unavailable', rupiah.post(path, sell));
      await refused('price_unavailable', rupiah.post(path, { ...sell, fixedSide: 'buy' }));
    }
    const preview = await succeed(
      200,
      service.operate('POST', PREVIEW, { ...sell, customerId: rupiah.customerId }),
    );
    assert.equal(preview.body.live.outcome, 'price_unavailable');
    const { amount, fixedSide, ...rateOnly } = sell;
    await refused('price_unavailable', rupiah.post(INDICATIVE, rateOnly));
  });

  test('more than one trade may be worth', async () => {
    const small = await createCustomer(service, { limits: { singleTrade: '50000.00' } });
    assert.equal((await small.quote({ amount: '50000.00' })).status, 201);
    const max = { max: '50000.00', currency: 'USD' };
    const over = { ...SELL_USD, amount: '50000.01' };
    await refused('amount_above_maximum', small.post(QUOTES, over), max);
    const euros = { ...SELL_USD, sellCurrency: 'EUR', buyCurrency: 'USD', amount: '46100.00' };
    await refused('amount_above_maximum', small.post(QUOTES, euros), max);
    const most = { ...SELL_USD, amount: '9'.repeat(15) };
    await refused('amount_above_maximum', acme.post(QUOTES, most));
    await refused('amount_precision_invalid', acme.post(QUOTES, { ...most, amount: '1.001' }), {
      decimals: 2,
    });
  });
});

test('everything that is wrong with a request is told at once', async () => {
  const body = { buyCurrency: 'eur', fixedSide: 'both', amount: 5, validitySeconds: '30', colour: 'red' };
  const errors = await fieldErrors(acme.post(QUOTES, body));
  assert.deepEqual(errors.sort(), [
    ['/amount', 'wrong_type'],
    ['/buyCurrency', 'wrong_format'],
    ['/colour', 'unknown_field'],
    ['/fixedSide', 'not_permitted'],
    ['/sellCurrency', 'required'],
    ['/validitySeconds', 'wrong_type'],
  ]);
  for (const none of ['null', '[]', '"x"', '1', undefined]) {
    assert.deepEqual(await fieldErrors(acme.post(QUOTES, none)), [['', 'wrong_type']], none);
  }
});

describe('validity', () => {
  test('30 seconds by default, and the permitted values', async () => {
    assert.equal((await acme.quote()).body.validitySeconds, 30);
    for (const validitySeconds of [10, 30, 60, 300]) {
      const { body } = await acme.quote({ validitySeconds });
      const life = Date.parse(body.expiresAt) - Date.parse(body.createdAt);
      assert.deepEqual([body.validitySeconds, life], [validitySeconds, validitySeconds * 1_000]);
    }
    const permitted = [10, 30, 60, 300];
    for (const validitySeconds of [1, 29, 86_400]) {
      const answer = acme.post(QUOTES, { ...SELL_USD, validitySeconds });
      await refused('validity_not_permitted', answer, { permitted });
    }
    for (const validitySeconds of [0, -30, 1.5, 86_401, 1e300]) {
      const errors = await fieldErrors(acme.post(QUOTES, { ...SELL_USD, validitySeconds }));
      assert.equal(errors[0]?.[0], '/validitySeconds');
    }
  });

  test('an operator permits other ones', async () => {
    const patient = await createCustomer(service, { settings: { permittedValidities: [86_400, 45] } });
    assert.equal((await patient.quote()).body.validitySeconds, 45, 'the shortest, without 30 among them');
    assert.equal((await patient.quote({ validitySeconds: 86_400 })).body.validitySeconds, 86_400);
    const answer = patient.post(QUOTES, { ...SELL_USD, validitySeconds: 30 });
    await refused('validity_not_permitted', answer, { permitted: [45, 86_400] });
  });
});

describe('requoteOf', () => {
  test('asks for the same again at the present price', async () => {
    const terms = {
      fixedSide: 'buy',
      amount: '2500.5',
      tenor: 'tom',
      validitySeconds: 10,
      clientReference: 'R 1',
      metadata: { a: 'b' },
    };
    const first = await acme.quote(terms);
    await moveClock(service, { advanceSeconds: 11 });
    const gone = await refused('quote_expired', acme.execute(first.body.quoteId));
    await service.operate('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.10000', ask: '1.10010' });
    const again = await succeed(201, acme.post(QUOTES, gone.requote));
    await service.operate('POST', '/v1/sandbox/market', EURUSD);
    conforms('quote', again);
    // 1.10010 less the points from tomorrow to spot, which the sandbox's interest rates come to, and 20 bps on top.
    assert.equal(again.body.rate.value, '1.10227');
    assert.equal(again.body.buyAmount, '2500.50');
    assert.equal(again.body.settlement.tenor, 'tom');
    for (const name of ['sellCurrency', 'buyCurrency', 'fixedSide', 'validitySeconds', 'clientReference'])
      assert.equal(again.body[name], first.body[name], name);
    assert.deepEqual(again.body.metadata, { a: 'b' });
    assert.notEqual(again.body.quoteId, first.body.quoteId);
  });

  test('stands alone, and names a quote of one’s own', async () => {
    const { body } = await acme.quote();
    const more = acme.post(QUOTES, { requoteOf: body.quoteId, amount: '1.00' });
    assert.deepEqual(await fieldErrors(more), [['/amount', 'unknown_field']]);
    const other = await createCustomer(service);
    await refused('quote_not_found', other.post(QUOTES, { requoteOf: body.quoteId }));
    for (const requoteOf of ['quote_', 'x', `${body.quoteId}0`, body.quoteId.replace('quote', 'txn')]) {
      await refused('quote_not_found', acme.post(QUOTES, { requoteOf }));
    }
    assert.deepEqual(await fieldErrors(acme.post(QUOTES, { requoteOf: 5 })), [['/requoteOf', 'wrong_type']]);
    for (const [requoteOf, code] of [
      ['', 'min_length'],
      ['q'.repeat(65), 'max_length'],
    ]) {
      assert.deepEqual(await fieldErrors(acme.post(QUOTES, { requoteOf })), [['/requoteOf', code]]);
    }
    await refused('quote_not_found', acme.post(QUOTES, { requoteOf: 'q'.repeat(64) }));
  });

  test('what stands against the terms by now is told of the one member that was sent', async () => {
    await moveClock(service, { now: '2026-03-05T08:00:00.000Z' });
    const { body } = await acme.quote({ tenor: 'today', validitySeconds: 300 });
    const requote = () => acme.post(QUOTES, { requoteOf: body.quoteId });
    const pointers = ({ errors }: Answer['body']) => errors.map(({ pointer }: FieldError) => pointer);
    const settings = { permittedValidities: [10] };
    await succeed(200, service.operate('PATCH', acme.path, { settings }));
    assert.deepEqual(pointers(await refused('validity_not_permitted', requote())), ['/requoteOf']);
    await moveClock(service, { now: '2026-03-05T14:00:00.000Z' });
    const late = await refused('cutoff_passed', requote());
    assert.deepEqual([pointers(late), late.nextValueDate], [['/requoteOf'], '2026-03-06']);
    await succeed(
      200,
      service.operate('PATCH', acme.path, { settings: { permittedValidities: [10, 30, 60, 300] } }),
    );
    await moveClock(service, { now: EXAMPLE_NOW });
  });
});

describe('pricingDisclosure', () => {
  for (const [pricingDisclosure, market, pricing] of [
    ['full', true, ['components', 'costVsMidBps', 'fees', 'markup', 'reference', 'spreadBps']],
    ['total', false, ['costVsMidBps', 'fees', 'markup', 'reference', 'spreadBps']],
    ['none', false, ['fees', 'reference']],
  ] as const) {
    test(`${pricingDisclosure}: amounts and mid stay`, async () => {
      const customer = await createCustomer(service, { settings: { pricingDisclosure } });
      const indicative = await succeed(200, customer.post(INDICATIVE, SELL_USD));
      const quote = await customer.quote();
      const trade = await customer.trade(quote.body.quoteId);
      conforms('indicative', indicative);
      conforms('quote', quote);
      conforms('transaction', trade);
      for (const { body } of [indicative, quote, trade]) {
        assert.deepEqual(
          [body.sellAmount, body.buyAmount, body.rate.mid],
          ['100000.00', '91987.01', '1.08491'],
        );
        assert.equal('market' in body.rate, market);
        assert.deepEqual(Object.keys(body.pricing).sort(), pricing);
      }
    });
  }
});

test('amountRounding house: down what the customer receives, up what it pays', async () => {
  const house = await createCustomer(service, { settings: { amountRounding: 'house' } });
  // 100 / 1.08711 = 91.98701…, 91.99 × 1.08711 = 100.003…
  assert.equal((await house.quote({ amount: '100.00' })).body.buyAmount, '91.98');
  assert.equal((await acme.quote({ amount: '100.00' })).body.buyAmount, '91.99');
  const buy = { fixedSide: 'buy', amount: '91.99' };
  assert.equal((await house.quote(buy)).body.sellAmount, '100.01');
  assert.equal((await acme.quote(buy)).body.sellAmount, '100.00');
});

test('settlement must be possible: an account to pay to, and one to receive on', async () => {
  const bare = await createCustomer(service, { currencies: [] });
  const answer = bare.post(QUOTES, SELL_USD);
  await refused('settlement_instructions_missing', answer, { currency: 'EUR' });
  assert.equal((await bare.post(INDICATIVE, SELL_USD)).status, 200, 'a price is given all the same');
  const account = { currency: 'EUR', accountHolder: 'Acme', iban: 'DE89370400440532013000' };
  await service.operate('POST', `${bare.path}/settlement-instructions`, account);
  assert.equal((await bare.quote()).status, 201);
});

describe('amounts in multiples of more than a minor unit', () => {
  const POLICY = '/v1/operator/pricing-policy';
  const HUF = { pair: 'EURHUF', bid: '366.900', ask: '366.950' };
  let euros: Customer;
  const set = async (settlementIncrements: unknown) => {
    const { body } = await service.operate('GET', POLICY);
    const { version, ...policy } = body;
    const headers = { 'If-Match': `"v${version}"` };
    return service.operate('PUT', POLICY, { ...policy, settlementIncrements }, headers);
  };
  const sell = { sellCurrency: 'EUR', buyCurrency: 'HUF', fixedSide: 'sell', amount: '100.01' };

  before(async () => {
    await service.operate('POST', '/v1/sandbox/market', HUF);
    euros = await createCustomer(service);
    const account = { currency: 'HUF', accountHolder: 'Acme', iban: 'HU42117730161111101800000000' };
    await succeed(201, service.operate('POST', `${euros.path}/settlement-instructions`, account));
    await succeed(200, set([{ currency: 'HUF', increment: '1.00' }]));
  });
  after(() => set([]));

  test('quotes, estimates, previews and their trades have them, and their evidence says so', async () => {
    const quote = await euros.quote(sell);
    assert.match(quote.body.buyAmount, /^\d+\.00$/);
    const indicative = await succeed(200, euros.post(INDICATIVE, sell));
    const sample = { ...sell, customerId: euros.customerId };
    const preview = await succeed(200, service.operate('POST', PREVIEW, sample));
    assert.deepEqual(
      [indicative.body.buyAmount, preview.body.live.buyAmount],
      [quote.body.buyAmount, quote.body.buyAmount],
    );
    const made = (await succeed(200, euros.get(`${QUOTES}/${quote.body.quoteId}/explain`))).body;
    assert.deepEqual([made.evidence.settlementIncrement, made.verification.outcome], ['1.00', 'matches']);
    assert.equal((await euros.trade(quote.body.quoteId)).body.buyAmount, quote.body.buyAmount);
    const { rows } = await service.pool.query(
      `select p.evidence ->> 'settlementIncrement' as increment from priced_transactions p where customer_id = $1`,
      [parseTypeId('cus', euros.customerId)],
    );
    assert.deepEqual(rows, [{ increment: '1.00' }], 'the database puts the same together');
    const other = (await euros.quote({ ...sell, sellCurrency: 'HUF', buyCurrency: 'EUR', amount: '5000.00' }))
      .body;
    assert.doesNotMatch(other.buyAmount, /^\d+\.00$/);
    const bought = (await euros.quote({ ...sell, fixedSide: 'buy', amount: '5000.00' })).body;
    assert.equal(bought.buyAmount, '5000.00');
  });

  test('amounts between them are refused', async () => {
    const buy = { ...sell, fixedSide: 'buy', amount: '5000.50' };
    const detail = 'HUF is dealt in multiples of 1.00';
    for (const path of [QUOTES, INDICATIVE]) {
      const { errors } = await refused('amount_precision_invalid', euros.post(path, buy));
      assert.deepEqual(errors, [{ pointer: '/amount', code: 'amount_precision_invalid', detail }]);
    }
  });

  test('the reference data has them, and who takes them back deals in minor units again', async () => {
    const incrementOf = async (code: string) => {
      const { items } = (await succeed(200, euros.get('/v1/customer/reference/currencies'))).body;
      return items.find((each: { code: string }) => each.code === code).settlementIncrement;
    };
    assert.deepEqual([await incrementOf('HUF'), await incrementOf('EUR')], ['1.00', '0.01']);
    const { items: pairs } = (await succeed(200, euros.get('/v1/customer/reference/pairs?currency=HUF')))
      .body;
    const { minAmounts } = pairs.find(({ pair }: { pair: string }) => pair === 'EURHUF');
    assert.deepEqual(minAmounts, { EUR: '0.01', HUF: '1.00' });
    assert.deepEqual(
      await fieldErrors(
        set([
          { currency: 'HUF', increment: '1.00' },
          { currency: 'HUF', increment: '2.00' },
          { currency: 'XXX', increment: '1.00' },
          { currency: 'JPY', increment: '0' },
          { currency: 'KWD', increment: '0.0001' },
          { currency: 'EUR', increment: '10000.01' },
        ]),
      ),
      [
        ['/settlementIncrements/1/currency', 'repeated'],
        ['/settlementIncrements/2/currency', 'unknown'],
        ['/settlementIncrements/3/increment', 'out_of_range'],
        ['/settlementIncrements/4/increment', 'out_of_range'],
        ['/settlementIncrements/5/increment', 'out_of_range'],
      ],
    );
    await succeed(200, set([{ currency: 'HUF', increment: '10.00' }]));
    await refused('amount_below_minimum', euros.post(QUOTES, { ...sell, amount: '0.01' }), {
      ...{ currency: 'HUF', min: '10.00' },
    });
    await succeed(200, set([]));
    assert.equal(await incrementOf('HUF'), '0.01');
    const quote = (await euros.quote(sell)).body;
    assert.doesNotMatch(quote.buyAmount, /^\d+\.00$/);
    const made = (await succeed(200, euros.get(`${QUOTES}/${quote.quoteId}/explain`))).body;
    assert.deepEqual([made.evidence.settlementIncrement, made.verification.outcome], [undefined, 'matches']);
  });
});
