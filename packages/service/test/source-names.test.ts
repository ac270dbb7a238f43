import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Customer, createCustomer, SELL_USD, succeed } from './support/acceptance.ts';
import { startTestService, type TestService } from './support/service.ts';

/** Whose prices the house deals on is told with full disclosure only. */

const SOURCE = 'push:secret-bank';
let service: TestService;

before(async () => {
  service = await startTestService({ FIRMQUOTE_SOURCES: SOURCE });
  await pushAll();
});

async function pushAll(): Promise<void> {
  const prices = [
    { pair: 'EURUSD', bid: '1.16840', ask: '1.16846' },
    { pair: 'GBPUSD', bid: '1.34200', ask: '1.34210' },
    { pair: 'USDJPY', bid: '159.800', ask: '159.810' },
  ];
  const { body } = await succeed(
    200,
    service.operate('POST', '/v1/operator/prices', { source: SOURCE, prices }),
  );
  assert.equal(body.accepted, prices.length, JSON.stringify(body.results));
}

/** What a stream says first. */
async function beginningOf({ token }: Customer, path: string, body?: unknown): Promise<string> {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'text/event-stream',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  assert.equal(answer.status, 200);
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('"mid"')) break;
  }
  return text;
}

/** Everything that a customer reads of one direct price and one cross, from estimate to statement. */
async function everything(customer: Customer): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const read = async (path: string) => {
    texts.set(path, (await succeed(200, customer.get(path))).text);
  };
  for (const body of [SELL_USD, { ...SELL_USD, sellCurrency: 'GBP', buyCurrency: 'JPY' }]) {
    await pushAll();
    const name = body.sellCurrency;
    texts.set(
      `${name} estimate`,
      (await succeed(200, customer.post('/v1/customer/quotes/indicative', body))).text,
    );
    texts.set(`${name} stream`, await beginningOf(customer, '/v1/customer/quotes/indicative', body));
    const quote = await customer.quote(body, { Prefer: 'signature' });
    texts.set(`${name} quote`, quote.text);
    const path = `/v1/customer/quotes/${quote.body.quoteId}`;
    await read(path);
    await read(`${path}/explain`);
    const executed = await succeed(201, customer.execute(quote.body.quoteId));
    texts.set(`${name} execution`, executed.text);
    const transaction = `/v1/customer/transactions/${executed.body.transactionId}`;
    await read(transaction);
    await read(`${transaction}/confirmation`);
  }
  texts.set('prices', await beginningOf(customer, '/v1/customer/prices/stream?pairs=EURUSD,GBPJPY'));
  const lists = [
    'quotes',
    'transactions',
    'events',
    'limits',
    'reference/market-status',
    'reference/execution-policy',
  ];
  for (const list of lists) await read(`/v1/customer/${list}`);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  await read(`/v1/customer/statements?from=${from}`);
  return texts;
}

for (const pricingDisclosure of ['total', 'none']) {
  test(`with disclosure ${pricingDisclosure} a customer reads nowhere who gave a price`, async () => {
    const texts = await everything(await createCustomer(service, { settings: { pricingDisclosure } }));
    assert.ok(texts.size > 20);
    for (const [what, text] of texts) assert.ok(!text.includes('secret-bank'), `${what}: ${text}`);
  });
}

test('with full disclosure it is told, and operators always see it', async () => {
  const open = await createCustomer(service);
  const texts = await everything(open);
  for (const what of ['USD estimate', 'USD quote', 'GBP quote', 'GBP execution']) {
    assert.ok(texts.get(what)?.includes(`"source":"${SOURCE}"`), what);
  }
  const hidden = await createCustomer(service, { settings: { pricingDisclosure: 'none' } });
  await pushAll();
  for (const body of [{}, { sellCurrency: 'GBP', buyCurrency: 'JPY' }]) {
    const { quoteId } = (await hidden.quote(body)).body;
    const { market } = (await succeed(200, service.operate('GET', `/v1/operator/quotes/${quoteId}/explain`)))
      .body;
    assert.equal(market.source, SOURCE);
  }
});
