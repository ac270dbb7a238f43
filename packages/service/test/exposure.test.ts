import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  createCustomer,
  fieldErrors,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** Positions of the house, and the limits that stop quoting before they are broken. */

const QUOTES = '/v1/customer/quotes';
const EXPOSURE = '/v1/operator/exposure';
const LIMITS = '/v1/operator/exposure-limits';
const NO_LIMITS = { total: null, perCurrency: null, currencies: [], hedges: [] };
let service: TestService;

before(async () => {
  service = await startExampleService();
});

async function limit(limits: Record<string, unknown>): Promise<void> {
  const headers = { 'If-Match': (await service.operate('GET', LIMITS)).headers.get('ETag') ?? '' };
  await succeed(200, service.operate('PUT', LIMITS, { ...NO_LIMITS, ...limits }, headers));
}
async function positions() {
  const { body } = await succeed(200, service.operate('GET', EXPOSURE));
  const of = (currency: string) =>
    body.positions.find((each: { currency: string }) => each.currency === currency);
  return { body, of };
}

test('positions come from the ledger at the market, open quotes beside them, and limits stop in time', async () => {
  const acme = await createCustomer(service);
  assert.deepEqual((await service.operate('GET', LIMITS)).body, { version: 1, ...NO_LIMITS });
  const quote = await acme.quote({ validitySeconds: 300 });
  let seen = await positions();
  assert.equal(seen.body.openQuotes, 1);
  assert.deepEqual(
    [seen.of('EUR').net, seen.of('EUR').openShort, seen.of('EUR').openLong],
    ['0.00', '92171.00', '0.00'],
  );
  assert.deepEqual([seen.of('USD').net, seen.of('USD').openLong], ['0.00', '100000.00']);

  await acme.trade(quote.body.quoteId);
  seen = await positions();
  assert.equal(seen.body.openQuotes, 0);
  const eur = seen.of('EUR');
  // The customer got 91,987.01; the rest of 92,171.00 is markup, which the house has earned and is not exposed to.
  assert.deepEqual([eur.position, eur.openShort, eur.netUsd], ['-92171.00', '0.00', '-99997.24']);
  assert.deepEqual([seen.of('USD').position, seen.of('USD').netUsd], ['100000.00', '100000.00']);
  assert.deepEqual(seen.body.total, {
    longUsd: '0.00',
    shortUsd: '99997.24',
    netOpenUsd: '99997.24',
    limitUsd: null,
    complete: true,
  });

  await limit({ currencies: [{ currency: 'EUR', limit: '250000.00' }] });
  const second = await acme.quote({ validitySeconds: 300 });
  const refusedQuote = await refused('limit_exceeded', acme.post(QUOTES, SELL_USD), {
    limitType: 'openPosition',
  });
  for (const secret of ['limit', 'used'])
    assert.equal(secret in refusedQuote, false, `${secret} is the house's`);
  assert.ok(!JSON.stringify(refusedQuote).includes('250000'));
  await acme.quote({ sellCurrency: 'EUR', buyCurrency: 'USD', validitySeconds: 10 });
  assert.equal((await positions()).of('EUR').limitUsd, '250000.00');
  await succeed(200, acme.post(`${QUOTES}/indicative`, SELL_USD));

  // Lowered below what is promised: the promise is not executed, and stays open for when there is room again.
  await limit({ currencies: [{ currency: 'EUR', limit: '150000.00' }] });
  await refused('limit_exceeded', acme.execute(second.body.quoteId), { limitType: 'openPosition' });
  assert.equal((await acme.get(`${QUOTES}/${second.body.quoteId}`)).body.status, 'open');
  const hedged = {
    currencies: [{ currency: 'EUR', limit: '150000.00' }],
    hedges: [{ currency: 'EUR', amount: '92171.00' }],
  };
  await limit(hedged);
  await acme.trade(second.body.quoteId);
  const { of } = await positions();
  assert.deepEqual(
    [of('EUR').position, of('EUR').hedged, of('EUR').net],
    ['-184342.00', '92171.00', '-92171.00'],
  );
  // What was executed under a key is answered again, whatever the limits are now.
  await limit({ currencies: [{ currency: 'EUR', limit: '0' }] });
  await refused('quote_already_executed', acme.execute(second.body.quoteId));
  await limit({});
  await acme.trade();
});

test('a limit holds against many quotes at once', async () => {
  const acme = await createCustomer(service);
  const { of } = await positions();
  const short = of('EUR').worstUsd;
  const room = BigInt(short.replace('.', '')) + 35_000_000n;
  const text = `${room / 100n}.${String(room % 100n).padStart(2, '0')}`;
  await limit({ perCurrency: text, total: text });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => acme.post(QUOTES, { ...SELL_USD, validitySeconds: 60 })),
  );
  let made = answers.filter(({ status }) => status === 201).length;
  assert.ok(made > 0 && made <= 3, String(made));
  assert.equal(answers.filter(({ body }) => body.code === 'limit_exceeded').length, 12 - made);
  // A quote may have counted twice while positions were read between its insert and its answer. Not any more.
  await positions();
  while (made < 3) {
    await acme.quote({ validitySeconds: 60 });
    made++;
  }
  await refused('limit_exceeded', acme.post(QUOTES, SELL_USD));
  await limit({});
});

test('what was done under a key is answered again when there is no room any more', async () => {
  const acme = await createCustomer(service);
  await limit({ total: '900000000.00' });
  const headers = { 'Idempotency-Key': 'before-the-limit' };
  const quote = await acme.quote({ validitySeconds: 300 }, headers);
  const trade = await succeed(201, acme.execute(quote.body.quoteId, undefined, headers));
  await limit({ total: '0.00', perCurrency: '0.00' });
  const again = await acme.quote({ validitySeconds: 300 }, headers);
  assert.equal(again.body.quoteId, quote.body.quoteId);
  const replayed = await succeed(201, acme.execute(quote.body.quoteId, undefined, headers));
  assert.equal(replayed.body.transactionId, trade.body.transactionId);
  for (const answer of [again, replayed]) assert.equal(answer.headers.get('Idempotency-Replayed'), 'true');
  await refused('limit_exceeded', acme.post(QUOTES, SELL_USD, { 'Idempotency-Key': 'after-it' }));
  await limit({});
});

test('wrong limits are named', async () => {
  const headers = { 'If-Match': '*' };
  const errors = (limits: Record<string, unknown>) =>
    fieldErrors(service.operate('PUT', LIMITS, { ...NO_LIMITS, ...limits }, headers));
  const eur = { currency: 'EUR', limit: '1.00' };
  assert.deepEqual(
    await errors({
      total: '1.001',
      currencies: [eur, eur, { currency: 'XXY', limit: '1' }],
      hedges: [{ currency: 'JPY', amount: '-0.5' }],
    }),
    [
      ['/currencies/1/currency', 'repeated'],
      ['/currencies/2/currency', 'unknown'],
      ['/hedges/0/amount', 'amount_precision_invalid'],
      ['/total', 'amount_precision_invalid'],
    ],
  );
  await refused('precondition_required', service.operate('PUT', LIMITS, NO_LIMITS));
});
