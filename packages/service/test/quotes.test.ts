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
} from './support/acceptance.ts';
import { conforms } from './support/answers.ts';
import { documentTable } from './support/documents.ts';
import type { TestService } from './support/service.ts';

/** `POST /v1/customer/quotes` and `GET /v1/customer/quotes/{quoteId}`: docs/interface.md#quotes. */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

test('a firm quote is what is promised, member by member', async () => {
  const now = await moveClock(service, { now: '2026-03-04T14:30:00.252Z' });
  const metadata = { costCentre: '4410' };
  const body = { ...SELL_USD, tenor: 'spot', validitySeconds: 30, clientReference: 'INV-2291', metadata };
  const answer = await acme.post(QUOTES, body);
  assert.equal(answer.status, 201, answer.text);
  conforms('quote', answer);
  const { quoteId, createdAt, expiresAt, validForMs, rate, pricing, ...rest } = answer.body;
  assert.match(quoteId, /^quote_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  assert.equal(answer.headers.get('Location'), `${QUOTES}/${quoteId}`);
  assert.equal(answer.headers.get('ETag'), '"v1"');
  assert.ok(Date.parse(answer.headers.get('Date') ?? ''));
  const age = Date.parse(createdAt) - now;
  assert.ok(age >= 0 && age < 5_000, createdAt);
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 30_000);
  assert.ok(validForMs > 20_000 && validForMs <= 30_000, `${validForMs}`);
  const { asOf, ...rateRest } = rate;
  assert.match(asOf, /^2026-03-04T14:30:\d\d\.\d{3}Z$/);
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
  const { reference, ...pricingRest } = pricing;
  assert.equal(reference.provider, 'ECB');
  assert.match(reference.rate, /^\d\.\d{4,5}$/);
  assert.match(reference.differencePercent, /^-?\d+\.\d{2}$/);
  assert.deepEqual(pricingRest, {
    spreadBps: '20.00',
    components: [{ type: 'customer_spread', bps: '20.00' }],
    markup: { amount: '183.99', currency: 'EUR' },
    costVsMidBps: '20.28',
    fees: [],
  });
  assert.deepEqual(rest, {
    type: 'firm',
    status: 'open',
    statusReason: null,
    version: 1,
    sellCurrency: 'USD',
    buyCurrency: 'EUR',
    fixedSide: 'sell',
    sellAmount: '100000.00',
    buyAmount: '91987.01',
    settlement: {
      tenor: 'spot',
      tradeDate: '2026-03-04',
      valueDate: '2026-03-06',
      fundingMode: 'post_funded',
      fundingCutoffAt: '2026-03-06T13:30:00.000Z',
    },
    validitySeconds: 30,
    validityTruncated: false,
    executedAt: null,
    cancelledAt: null,
    transactionId: null,
    clientReference: 'INV-2291',
    metadata,
  });

  const read = await acme.get(`${QUOTES}/${quoteId}`);
  conforms('quote', read);
  assert.equal(read.headers.get('ETag'), '"v1"');
  assert.ok(read.body.validForMs <= validForMs);
  assert.deepEqual({ ...read.body, validForMs }, answer.body);
});

describe('the worked examples come out over HTTP', () => {
  const examples = documentTable('docs/interface.md', 'Rate');
  const prices = [
    ...new Map(
      examples.map(({ Pair, Bid, Ask, Spread }) => [Pair, { pair: Pair, bid: Bid, ask: Ask, bps: Spread }]),
    ).values(),
  ];
  before(async () => {
    for (const { bps, ...price } of prices) await service.operate('POST', '/v1/sandbox/market', price);
    const current = await service.operate('GET', '/v1/operator/spread-rules');
    const rules = prices.map(({ pair, bps }) => ({ pair, spreadBps: bps }));
    const body = { rules: [...current.body.rules.map(ruleInput), ...rules] };
    const headers = { 'If-Match': current.headers.get('ETag') ?? '' };
    const set = await service.operate('PUT', '/v1/operator/spread-rules', body, headers);
    assert.equal(set.status, 200, set.text);
  });
  assert.equal(examples.length, 8);
  for (const { Sell = '', Buy = '', Side: side, Rate: rate } of examples) {
    const fixedSide = Sell.startsWith('**') ? 'sell' : 'buy';
    const [sellAmount = '', sell] = Sell.replaceAll('*', '').split(' ');
    const [buyAmount = '', buy] = Buy.replaceAll('*', '').split(' ');
    const amount = fixedSide === 'sell' ? sellAmount : buyAmount;
    test(`${fixedSide} ${amount}, ${sell} into ${buy}`, async () => {
      const body = { sellCurrency: sell, buyCurrency: buy, fixedSide, amount };
      for (const path of [QUOTES, `${QUOTES}/indicative`]) {
        const answer = await service.call('POST', path, { body });
        conforms(path === QUOTES ? 'quote' : 'indicative', answer);
        const { rate: shown } = answer.body;
        assert.deepEqual([shown.side, shown.value], [side, rate]);
        assert.deepEqual([answer.body.sellAmount, answer.body.buyAmount], [sellAmount, buyAmount]);
      }
    });
  }
});

function ruleInput(rule: Record<string, unknown>): Record<string, unknown> {
  const { version, createdAt, ...input } = rule;
  return input;
}

test('amounts are padded to the minor units, whatever was sent', async () => {
  for (const [amount, shown] of [
    ['7', '7.00'],
    ['7.5', '7.50'],
    ['0.01', '0.01'],
  ]) {
    assert.equal((await acme.quote({ amount })).body.sellAmount, shown);
  }
  const yen = { sellCurrency: 'JPY', buyCurrency: 'USD' };
  assert.equal((await acme.quote({ ...yen, amount: '15000' })).body.sellAmount, '15000');
  const body = { ...SELL_USD, ...yen, amount: '15000.5' };
  await refused('amount_precision_invalid', acme.post(QUOTES, body), {
    decimals: 0,
    errors: [{ pointer: '/amount', code: 'amount_precision_invalid', detail: 'JPY has 0 decimals' }],
  });
});

test('a conditional read costs nothing while the quote is the same', async () => {
  const { body } = await acme.quote();
  const path = `${QUOTES}/${body.quoteId}`;
  for (const tag of ['"v1"', 'W/"v1"', '"v9", "v1"', '*']) {
    const same = await acme.get(path, { 'If-None-Match': tag });
    assert.deepEqual([same.status, same.text, same.headers.get('ETag')], [304, '', '"v1"'], tag);
  }
  await acme.post(`${path}/cancel`);
  const changed = await acme.get(path, { 'If-None-Match': '"v1"' });
  assert.deepEqual(
    [changed.status, changed.headers.get('ETag'), changed.body.status],
    [200, '"v2"', 'cancelled'],
  );
});

test('a quote that ran out is shown expired, and kept for 90 days', async () => {
  const { body } = await acme.quote({ validitySeconds: 10 });
  const path = `${QUOTES}/${body.quoteId}`;
  await moveClock(service, { advanceSeconds: 10 });
  const answer = await acme.get(path);
  conforms('quote', answer);
  const { status, validForMs, version } = answer.body;
  assert.deepEqual({ status, validForMs, version }, { status: 'expired', validForMs: 0, version: 2 });
  assert.equal(answer.headers.get('ETag'), '"v2"');
  await moveClock(service, { advanceSeconds: 89 * 86_400 });
  assert.equal((await acme.get(path)).body.status, 'expired');
});

test('references and metadata come back as they were given', async () => {
  const clientReference = `${'ä'.repeat(62)}🦊.`;
  const metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`${i}`.padStart(40, 'k'), `"\\ \n${i}`.padEnd(200, '漢')]),
  );
  const { body } = await acme.quote({ clientReference, metadata });
  const read = await acme.get(`${QUOTES}/${body.quoteId}`);
  assert.deepEqual([read.body.clientReference, read.body.metadata], [clientReference, metadata]);
  const sorted = await acme.quote({ metadata: { b: '1', a: '2', '7': '', 'x/y~z': '{}' } });
  assert.deepEqual(sorted.body.metadata, { b: '1', a: '2', '7': '', 'x/y~z': '{}' });
});

test('the limits of references and metadata are told by pointer', async () => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ clientReference: '' }, '/clientReference'],
    [{ clientReference: 'x'.repeat(65) }, '/clientReference'],
    [{ clientReference: 'a\nb' }, '/clientReference'],
    [{ clientReference: 'a\u0000b' }, '/clientReference'],
    [{ clientReference: 'a\u0085b' }, '/clientReference'],
    [{ clientReference: 'a\ud800b' }, '/clientReference'],
    [{ clientReference: null }, '/clientReference'],
    [{ metadata: pairs(21) }, '/metadata'],
    [{ metadata: { ['k'.repeat(41)]: 'v' } }, `/metadata/${'k'.repeat(41)}`],
    [{ metadata: { '': 'v' } }, '/metadata/'],
    [{ metadata: { a: 'v'.repeat(201) } }, '/metadata/a'],
    [{ metadata: { a: 1 } }, '/metadata/a'],
    [{ metadata: { 'a\nb': 1 } }, '/metadata/a\nb'],
    [{ metadata: { 'a\nb': { c: 'd' } } }, '/metadata/a\nb'],
    [{ metadata: { a: null } }, '/metadata/a'],
    [{ metadata: { a: 'x\u0000' } }, '/metadata/a'],
    [{ metadata: { a: '\udc00x' } }, '/metadata/a'],
    [{ metadata: { '\ud800': 'x' } }, '/metadata/\ud800'],
    [{ metadata: [] }, '/metadata'],
    [{ metadata: 'x' }, '/metadata'],
  ];
  for (const [extra, pointer] of cases) {
    const errors = await fieldErrors(acme.post(QUOTES, { ...SELL_USD, ...extra }));
    assert.deepEqual(
      errors.map(([at]) => at),
      [pointer],
      JSON.stringify(extra),
    );
  }
});
