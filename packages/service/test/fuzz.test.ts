import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { type Customer, createCustomer, SELL_USD, startExampleService } from './support/acceptance.ts';
import { isProblem } from './support/answers.ts';
import { assertBooksBalance } from './support/books.ts';
import type { Answer, TestService } from './support/service.ts';

/**
 * Whatever is sent, the answer is a success or a complete problem of the registry, and never a fault of the service.
 * fast-check prints the seed and the smallest counterexample when this fails; the seed is a new one on every run.
 */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;
let quoteId: string;
let transactionId: string;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  quoteId = (await acme.quote({ validitySeconds: 300 })).body.quoteId;
  transactionId = (await acme.trade()).body.transactionId;
});

/** Texts with what databases, logs and parsers stumble over. */
const text = fc.oneof(
  { arbitrary: fc.string({ unit: 'binary', maxLength: 60 }), weight: 3 },
  fc.constantFrom(
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00x',
    '\r\nX: y',
    '\\u0000',
    "'; --",
    '%00',
    '\u202e',
    'NaN',
    '1e5',
    '',
  ),
  fc.constantFrom(
    'USD',
    'EUR',
    'JPY',
    'HRK',
    'sell',
    'buy',
    'spot',
    'today',
    '2026-03-06',
    '100.00',
    '0',
    '2026-03-06T00:00:00Z',
  ),
);
const json = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.constantFrom(0, -1, 1e308, 0.1, 2 ** 53, true, null, [], {}),
);

/** The body with some of its members changed, left out or added. */
function mutated(valid: object): fc.Arbitrary<unknown> {
  const names = Object.keys(valid);
  const changes = fc.dictionary(
    fc.oneof(fc.constantFrom(...names), text),
    fc.option(json, { nil: undefined }),
    {
      maxKeys: 3,
    },
  );
  return fc.oneof(
    { arbitrary: changes.map((change) => ({ ...valid, ...change })), weight: 4 },
    { arbitrary: json, weight: 1 },
  );
}

/** JSON as text: JSON.stringify writes half surrogates as escapes, which parsers accept. */
async function assertAnswered(call: Promise<Answer>): Promise<void> {
  const answer = await call;
  if (answer.status >= 200 && answer.status < 300) return;
  const problem = isProblem(answer);
  const isDrill = problem.code === 'price_unavailable';
  assert.ok(answer.status < 500 || isDrill, answer.text);
}

const runs = (numRuns: number) => ({
  numRuns,
  endOnFailure: false,
  interruptAfterTimeLimit: 15_000,
  markInterruptAsFailure: false,
});

test('customers: quotes, indicative prices, executions and cancellations', async () => {
  const metadata = { a: 'b' };
  const quote = { ...SELL_USD, tenor: 'spot', validitySeconds: 30, clientReference: 'x', metadata };
  const execution = { clientReference: 'x', metadata, expect: { sellAmount: '1.00' } };
  const { fixedSide, amount, ...pair } = SELL_USD;
  const request = fc.oneof(
    fc.tuple(fc.constant(QUOTES), mutated(quote)),
    fc.tuple(fc.constant(QUOTES), mutated({ requoteOf: quoteId })),
    fc.tuple(fc.constant(`${QUOTES}/indicative`), mutated({ ...pair, valueDate: '2026-03-06' })),
    fc.tuple(fc.constant(`${QUOTES}/${quoteId}/execute`), mutated(execution)),
    fc.tuple(fc.constant(`${QUOTES}/${quoteId}/cancel`), mutated({ reason: 'x' })),
  );
  await fc.assert(
    fc.asyncProperty(request, ([path, body]) => assertAnswered(acme.post(path, JSON.stringify(body)))),
    runs(600),
  );
  await assertBooksBalance(service.pool);
});

test('customers: what comes back is what was sent', async () => {
  const wellFormed = text.filter((each) => each.isWellFormed() && !each.includes('\u0000'));
  const reference = wellFormed.filter((each) => /^\P{Cc}{1,64}$/u.test(each));
  const metadata = fc.dictionary(
    wellFormed.filter((key) => key.length > 0 && [...key].length <= 40 && key !== '__proto__'),
    wellFormed,
    { maxKeys: 20 },
  );
  await fc.assert(
    fc.asyncProperty(reference, metadata, async (clientReference, given) => {
      const made = await acme.quote({ clientReference, metadata: given });
      const { body } = await acme.trade(made.body.quoteId);
      const listed = await acme.get(
        `/v1/customer/transactions?limit=1&clientReference=${encodeURIComponent(clientReference)}`,
      );
      for (const shown of [made.body, body, listed.body.items[0]]) {
        assert.equal(shown.clientReference, clientReference);
        assert.deepEqual(shown.metadata, { ...given });
      }
    }),
    runs(60),
  );
});

test('customers: lists, events, ids and headers', async () => {
  const name = fc.constantFrom(
    ...[
      'status',
      'createdFrom',
      'updatedTo',
      'valueDateFrom',
      'sellCurrency',
      'pair',
      'quoteId',
      'clientReference',
    ],
    ...['reference', 'minSellAmount', 'sort', 'limit', 'cursor', 'after', 'types', 'x'],
  );
  const query = fc
    .array(
      fc.tuple(
        name,
        text.map((each) => each.toWellFormed()),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&'));
  const path = fc.oneof(
    query.map((each) => `/v1/customer/transactions?${each}`),
    query.map((each) => `/v1/customer/events?${each}`),
    text.map((each) => `/v1/customer/transactions/${encodeURIComponent(each.toWellFormed())}`),
    text.map((each) => `${QUOTES}/${encodeURIComponent(each.toWellFormed())}`),
  );
  const token = fc.string({ unit: fc.constantFrom(...' "\'v17,*;=Wwait/abcAZ~!'), maxLength: 40 });
  const headers = fc.record(
    { 'If-None-Match': token, 'If-Match': token, Prefer: token, Accept: token, 'X-Request-Id': token },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(path, headers, async (address, sent) => {
      if (/wait/i.test(sent.Prefer ?? '')) return;
      const answer = await acme.get(address, sent);
      if (answer.status !== 304) await assertAnswered(Promise.resolve(answer));
    }),
    runs(400),
  );
});

test('operators', async () => {
  const customer = {
    name: 'Fuzz',
    groupName: 'g',
    externalReference: 'x',
    settings: { requireStatusCheck: true },
  };
  const account = {
    currency: 'EUR',
    accountHolder: 'F',
    bankName: 'B',
    bic: 'COBADEFFXXX',
    iban: 'DE89370400440532013000',
  };
  const deposit = {
    bankReference: 'b',
    amount: '1.00',
    currency: 'USD',
    remitterName: 'r',
    remittanceText: 't',
    reference: 'f',
  };
  const limits = {
    currency: 'USD',
    dailyVolume: '1.00',
    openPosition: '1.00',
    singleTrade: '1.00',
    maxOpenQuotes: 5,
  };
  const rule = { pair: 'EURUSD', spreadBps: '1.00', groupName: 'g', validFrom: '2026-03-06T00:00:00Z' };
  const own = (await createCustomer(service)).path;
  const order = `/v1/operator/transactions/${transactionId}`;
  const send = (method: string, path: string, valid: object) =>
    fc.tuple(fc.constant(method), fc.constant(path), mutated(valid));
  const request = fc.oneof(
    send('POST', '/v1/operator/customers', customer),
    send('PATCH', own, customer),
    send('POST', `${own}/suspend`, { reason: 'r' }),
    send('PUT', `${own}/limits`, limits),
    send('POST', `${own}/settlement-instructions`, account),
    send('PUT', '/v1/operator/collection-accounts/EUR', { ...account, rails: ['sepa'] }),
    send('POST', '/v1/operator/deposits', deposit),
    send('POST', '/v1/sandbox/deposits', {
      reference: 'f',
      amount: '1.00',
      currency: 'USD',
      remitterName: 'r',
    }),
    send('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1', ask: '2' }),
    send('POST', '/v1/sandbox/bank', { autoDeposit: false }),
    send('POST', `${order}/payout-confirmed`, { bankReference: 'b' }),
    send('POST', `${order}/payout-failed`, { reason: 'payout_rejected', detail: 'd' }),
    fc.tuple(
      fc.constant('PUT'),
      fc.constant('/v1/operator/spread-rules'),
      mutated(rule).map((each) => ({ rules: [{ spreadBps: '20' }, each] })),
    ),
  );
  const safe = text.map((each) => encodeURIComponent(each.toWellFormed()));
  const lists = ['customers?groupName=', 'customers?cursor=', 'deposits?status=', 'deposits/', 'customers/'];
  const address = fc.tuple(fc.constantFrom(...lists, 'transactions?customerId=', 'transactions/'), safe);
  await fc.assert(
    fc.asyncProperty(address, ([list, value]) =>
      assertAnswered(service.operate('GET', `/v1/operator/${list}${value}`)),
    ),
    runs(200),
  );
  await fc.assert(
    fc.asyncProperty(request, ([method, path, body]) =>
      assertAnswered(
        service.call(method, path, {
          token: service.operatorToken,
          body: JSON.stringify(body),
          headers: { 'If-Match': '*' },
        }),
      ),
    ),
    runs(500),
  );
  await assertBooksBalance(service.pool);
});
