import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { assertReplay } from './support/answers.ts';
import type { Answer, TestService } from './support/service.ts';

/** Quotes of all customers, and dealers who trade for one: `/v1/operator/quotes`, `/v1/operator/customers/{customerId}/quotes`. */

const TERMS = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell', amount: '1000.00' };
let service: TestService;
let acme: Customer;
let other: Customer;
let keys = 0;

before(async () => {
  service = await startExampleService();
  [acme, other] = await Promise.all([createCustomer(service), createCustomer(service)]);
});

const fresh = () => ({ 'Idempotency-Key': `dealing-${keys++}` });
const ask = (customer: Customer, headers = fresh(), body: object = TERMS): Promise<Answer> =>
  service.operate('POST', `/v1/operator/customers/${customer.customerId}/quotes`, body, headers);
const execute = (customer: Customer, quoteId: string, headers: Record<string, string> = fresh()) =>
  service.operate(
    'POST',
    `/v1/operator/customers/${customer.customerId}/quotes/${quoteId}/execute`,
    undefined,
    headers,
  );
const list = async (query = '') =>
  (await succeed(200, service.operate('GET', `/v1/operator/quotes${query}`))).body;

describe('a dealer trades for a customer', () => {
  test("the quote is the customer's, at its price, and says who asked", async () => {
    const own = (await acme.quote(TERMS)).body;
    const { body, headers } = await succeed(201, ask(acme));
    assert.equal(body.buyAmount, own.buyAmount);
    const made = await succeed(200, service.operate('GET', headers.get('Location') ?? ''));
    assert.equal(made.body.quoteId, body.quoteId);
    assert.deepEqual([headers.get('ETag'), made.headers.get('ETag')], ['"v1"', '"v1"']);
    const seen = await succeed(200, acme.get(`/v1/customer/quotes/${body.quoteId}`));
    assert.equal(seen.body.sellAmount, '1000.00');
    const known = await succeed(200, service.operate('GET', `/v1/operator/quotes/${body.quoteId}`));
    assert.equal(known.body.customerId, acme.customerId);
    assert.match(known.body.requestedBy, /^cli_/);
    assert.notEqual(known.body.requestedBy, acme.clientId);
  });

  test("the prices of a customer have its spread, and are those of its quotes' side", async () => {
    const at = `/v1/operator/customers/${acme.customerId}/prices`;
    const { body } = await succeed(200, service.operate('GET', `${at}?pairs=EURUSD,USDJPY`));
    assert.deepEqual(
      body.items.map(({ pair }: { pair: string }) => pair),
      ['EURUSD', 'USDJPY'],
    );
    const [{ bid, ask: offered, mid, spreadBps, tradable }] = body.items;
    assert.equal(tradable, true);
    assert.ok(Number(bid) < Number(mid) && Number(mid) < Number(offered));
    assert.equal(bid, (await acme.quote(TERMS)).body.rate.value);
    assert.match(spreadBps, /^\d/);
    const nobody = at.replace(acme.customerId, 'cus_01jngx7z5d2m8r4v6t9k3b1c0a');
    await refused('customer_not_found', service.operate('GET', `${nobody}?pairs=EURUSD`));
    await refused('pair_not_supported', service.operate('GET', `${at}?pairs=EURXXX`));
  });

  test('its confirmation is the one that the customer reads, as PDF too', async () => {
    const { quoteId } = (await succeed(201, ask(acme))).body;
    const { transactionId } = (await succeed(201, execute(acme, quoteId))).body;
    const at = `/v1/operator/customers/${acme.customerId}/transactions/${transactionId}/confirmation`;
    const own = await succeed(200, acme.get(`/v1/customer/transactions/${transactionId}/confirmation`));
    const { body } = await succeed(200, service.operate('GET', at));
    assert.deepEqual({ ...body, generatedAt: '' }, { ...own.body, generatedAt: '' });
    const pdf = await succeed(200, service.operate('GET', `${at}?format=pdf`));
    assert.equal(pdf.headers.get('Content-Type'), 'application/pdf');
    assert.ok(pdf.text.includes(body.reference));
    await refused(
      'transaction_not_found',
      service.operate('GET', at.replace(acme.customerId, other.customerId)),
    );
  });

  test('it is executed once, whatever becomes of the answer', async () => {
    const { quoteId } = (await succeed(201, ask(acme))).body;
    const key = fresh();
    const [first, second] = await Promise.all([execute(acme, quoteId, key), execute(acme, quoteId, key)]);
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(first.body.transactionId, second.body.transactionId);
    const marks = [first, second].map(({ headers }) => headers.get('Idempotency-Replayed'));
    assert.deepEqual(marks.sort(), ['true', null].sort());
    await refused('quote_already_executed', execute(acme, quoteId));
    const trade = await succeed(200, service.operate('GET', first.headers.get('Location') ?? ''));
    assert.equal(trade.body.transactionId, first.body.transactionId);
    assert.deepEqual(second.headers.get('Location'), first.headers.get('Location'));
    assert.match(trade.body.executedBy, /^cli_/);
  });

  test('without a key nothing is done', async () => {
    await refused('idempotency_key_required', ask(acme, {} as ReturnType<typeof fresh>));
    const { quoteId } = (await succeed(201, ask(acme))).body;
    await refused('idempotency_key_required', execute(acme, quoteId, {}));
    await refused('quote_not_found', execute(other, quoteId));
  });

  test('the same key gets the same answer, and with other terms is refused', async () => {
    const key = fresh();
    const first = await succeed(201, ask(acme, key));
    assertReplay(await ask(acme, key), first);
    await refused('idempotency_key_reused', ask(acme, key, { ...TERMS, amount: '2000.00' }));
  });
});

describe('quotes of all customers', () => {
  test('newest first, page by page, each of them once', async () => {
    const made: string[] = [];
    for (let i = 0; i < 6; i++) made.push((await (i % 3 === 0 ? other : acme).quote(TERMS)).body.quoteId);
    const wanted = made.toReversed();
    const seen: string[] = [];
    let cursor = '';
    while (seen.length < made.length) {
      const page = await list(`?limit=2${cursor}`);
      seen.push(...page.items.map((item: Answer['body']) => item.quoteId));
      cursor = `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(seen.slice(0, made.length), wanted);
    const own = await list(`?customerId=${other.customerId}`);
    assert.ok(own.items.every((item: Answer['body']) => item.customerId === other.customerId));
  });

  test('by state as it is shown', async () => {
    const { quoteId } = (await acme.quote({ ...TERMS, validitySeconds: 10 })).body;
    await moveClock(service, { advanceSeconds: 60 });
    const { items } = await list('?status=expired&limit=1');
    assert.equal(items[0].quoteId, quoteId);
    assert.deepEqual((await list('?status=withdrawn')).items, []);
  });
});

test("the market's prices are streamed to operators, with no spread", async () => {
  const at = new AbortController();
  const open = (token: string, pairs: string) =>
    fetch(`${service.baseUrl}/v1/operator/prices/stream?pairs=${pairs}`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
      signal: at.signal,
    });
  assert.equal((await open(acme.token, 'EURUSD')).status, 403);
  const answer = await open(service.operatorToken, 'EURUSD');
  assert.equal(answer.status, 200);
  let text = '';
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(piece);
    if (/event: price\n.*\n\n/.test(text)) break;
  }
  at.abort();
  const price = JSON.parse(/event: price\ndata: (.*)/.exec(text)?.[1] ?? '{}');
  const book = await succeed(200, service.operate('GET', '/v1/operator/prices?pair=EURUSD'));
  assert.equal(price.bid, book.body.items[0].bid);
  assert.equal(price.ask, book.body.items[0].ask);
  assert.equal(price.spreadBps, undefined);
});
