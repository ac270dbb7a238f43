import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  addCredential,
  type Customer,
  callsWith,
  createCustomer,
  moveClock,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** Who may see and do what: other customers, scopes, suspensions, addresses (docs/interface.md#access). */

const QUOTES = '/v1/customer/quotes';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

describe('what belongs to another customer does not exist', () => {
  test('quotes and transactions, on every address', async () => {
    const other = await createCustomer(service);
    const { quoteId } = (await acme.quote()).body;
    const quote = `${QUOTES}/${quoteId}`;
    const { transactionId } = (await acme.trade()).body;
    const transaction = `/v1/customer/transactions/${transactionId}`;
    await refused('quote_not_found', other.get(quote));
    await refused('quote_not_found', other.get(quote, { 'If-None-Match': '*' }));
    await refused('quote_not_found', other.get(quote, { Prefer: 'signature' }));
    await refused('quote_not_found', other.get(`${quote}/explain`));
    await refused('quote_not_found', other.execute(quoteId));
    await refused('quote_not_found', other.execute(quoteId, { expect: { sellAmount: '100000.00' } }));
    await refused(
      'quote_not_found',
      other.execute(quoteId, {}, { 'If-Match': '"v7"', 'Idempotency-Key': 'k' }),
    );
    await refused('quote_not_found', other.post(`${quote}/cancel`));
    await refused('quote_not_found', other.post(QUOTES, { requoteOf: quoteId }));
    await refused('transaction_not_found', other.get(transaction));
    const waiting = { 'If-None-Match': '"v1"', Prefer: 'wait=30' };
    await refused('transaction_not_found', other.get(transaction, waiting));
    for (const filter of ['', `?quoteId=${quoteId}`, '?status=awaiting_funds'])
      assert.deepEqual((await other.get(`/v1/customer/transactions${filter}`)).body.items, []);
    assert.deepEqual((await other.get('/v1/customer/events')).body.items, []);
    // The answers are the same as for what nobody has.
    const nobodys = await other.get(`${QUOTES}/quote_${'0'.repeat(26)}`);
    const others = await other.get(quote);
    assert.equal(others.body.detail, nobodys.body.detail);
    assert.equal((await acme.get(quote)).body.status, 'open');
  });

  test('nor while the market is closed', async () => {
    const other = await createCustomer(service);
    const { quoteId } = (await acme.quote()).body;
    await service.operate('POST', '/v1/sandbox/market', { state: 'closed' });
    await refused('quote_not_found', other.execute(quoteId));
    await service.operate('POST', '/v1/sandbox/market', { state: 'open' });
  });
});

describe('scopes', () => {
  const NEEDED = [
    ['POST', `${QUOTES}/indicative`, 'quotes:read'],
    ['POST', QUOTES, 'quotes:write'],
    ['GET', `${QUOTES}/x`, 'quotes:read'],
    ['GET', `${QUOTES}/x/explain`, 'quotes:read'],
    ['POST', `${QUOTES}/x/execute`, 'trades:execute'],
    ['POST', `${QUOTES}/x/cancel`, 'quotes:write'],
    ['GET', '/v1/customer/transactions', 'transactions:read'],
    ['GET', '/v1/customer/transactions/x', 'transactions:read'],
    ['GET', '/v1/customer/events', 'transactions:read'],
    ['GET', '/v1/customer/limits', 'transactions:read'],
  ] as const;

  test('each address needs one, and the others do not help', async () => {
    for (const scope of new Set(NEEDED.map(([, , needed]) => needed))) {
      const { clientId, clientSecret } = await addCredential(service, acme.path, [scope]);
      const token = await service.token(clientId, clientSecret);
      for (const [method, path, requiredScope] of NEEDED) {
        const body = method === 'POST' ? SELL_USD : undefined;
        const answer = await service.call(method, path, { token, body });
        if (requiredScope === scope) assert.notEqual(answer.status, 403, `${scope} ${path}`);
        else {
          await refused('insufficient_scope', answer, { requiredScope });
          assert.match(answer.headers.get('WWW-Authenticate') ?? '', /insufficient_scope/);
        }
      }
    }
  });

  test('a customer is no operator, and an operator no customer', async () => {
    for (const [method, path] of [
      ['GET', '/v1/operator/customers'],
      ['GET', '/v1/operator/spread-rules'],
      ['GET', '/v1/operator/spread-rules/draft'],
      ['POST', '/v1/operator/spread-rules/draft/activate'],
      ['POST', '/v1/operator/spread-rules/preview'],
      ['GET', '/v1/operator/pricing-policy'],
      ['GET', '/v1/operator/amount-limits'],
      ['GET', '/v1/operator/exposure-limits'],
      ['GET', '/v1/operator/exposure'],
      ['GET', `${acme.path}/limits`],
      ['GET', '/v1/operator/transactions'],
      ['GET', '/v1/operator/deposits'],
      ['POST', '/v1/sandbox/clock'],
      ['POST', '/v1/sandbox/market'],
      ['POST', '/v1/sandbox/deposits'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      const answer = await service.call(method, path, { token: acme.token, body });
      const problem = await refused('insufficient_scope', answer);
      assert.match(problem.requiredScope, /^operator:/);
    }
    await refused('insufficient_scope', service.operate('POST', QUOTES, SELL_USD));
    await refused('insufficient_scope', service.operate('GET', '/v1/customer/transactions'));
  });
});

describe('suspension bites at once', () => {
  test('a customer: no quotes, no trades, and its open quotes are withdrawn', async () => {
    const customer = await createCustomer(service);
    const [open, other] = [await customer.quote(), await customer.quote({ validitySeconds: 300 })];
    const { transactionId } = (await customer.trade()).body;
    const suspended = await succeed(
      200,
      service.operate('POST', `${customer.path}/suspend`, { reason: 'review' }),
    );
    assert.deepEqual([suspended.body.status, suspended.body.statusReason], ['suspended', 'review']);
    await refused('customer_suspended', customer.post(QUOTES, SELL_USD));
    await refused('customer_suspended', customer.post(`${QUOTES}/indicative`, SELL_USD));
    await refused('customer_suspended', customer.execute(open.body.quoteId));
    await refused('customer_suspended', customer.post(`${QUOTES}/${open.body.quoteId}/cancel`));
    const { status, statusReason } = (await customer.get(`${QUOTES}/${open.body.quoteId}`)).body;
    assert.deepEqual([status, statusReason], ['withdrawn', 'customer_suspended']);
    const seen = await succeed(200, customer.get(`/v1/customer/transactions/${transactionId}`));
    assert.equal(seen.body.status, 'awaiting_funds', 'what is under way can still be watched');
    await succeed(200, service.operate('POST', `${customer.path}/resume`));
    await refused('quote_withdrawn', customer.execute(other.body.quoteId));
    await customer.trade();
  });

  test('a client: its token is worth nothing, the others go on', async () => {
    const customer = await createCustomer(service);
    const second = await addCredential(service, customer.path);
    const { get } = callsWith(service, await service.token(second.clientId, second.clientSecret));
    await succeed(200, get('/v1/customer/transactions'));
    const credential = `${customer.path}/credentials/${second.clientId}`;
    await succeed(200, service.operate('POST', `${credential}/suspend`));
    await refused('token_invalid', get('/v1/customer/transactions'));
    await succeed(200, customer.get('/v1/customer/transactions'));
    await succeed(200, service.operate('POST', `${credential}/resume`));
    await succeed(200, get('/v1/customer/transactions'));
    await succeed(204, service.operate('POST', `${credential}/revoke-tokens`));
    await refused('token_invalid', get('/v1/customer/transactions'));
    const { get: again } = callsWith(service, await service.token(second.clientId, second.clientSecret));
    await succeed(200, again('/v1/customer/transactions'));
    await succeed(204, service.operate('DELETE', credential));
    await refused('token_invalid', again('/v1/customer/transactions'));
    await assert.rejects(service.token(second.clientId, second.clientSecret), /invalid_client/);
  });

  test('an address that is not on the list', async () => {
    const customer = await createCustomer(service);
    const list = `${customer.path}/credentials/${customer.clientId}/ip-allow-list`;
    await succeed(200, service.operate('PUT', list, { ipAllowList: ['203.0.113.0/24'] }));
    await refused('ip_not_allowed', customer.get('/v1/customer/transactions'));
    await succeed(200, service.operate('PUT', list, { ipAllowList: ['127.0.0.0/8', '::1'] }));
    await succeed(200, customer.get('/v1/customer/transactions'));
  });
});

describe('limits', () => {
  const OF_EACH = { requestId: undefined, instance: undefined };

  /** What is used of the limits is known to quotes when it is read the next time, which an operator's change brings about. */
  async function readAnew(customer: Customer): Promise<void> {
    const { body } = await succeed(200, service.operate('GET', `${customer.path}/limits`));
    await succeed(200, service.operate('PUT', `${customer.path}/limits`, body));
  }

  test('daily volume: held at the execution, free again on the next trade day', async () => {
    await moveClock(service, { now: '2026-03-04T14:30:00.000Z' });
    const customer = await createCustomer(service, { limits: { dailyVolume: '150000.00' } });
    const { body } = await customer.quote({ validitySeconds: 300 });
    await customer.trade();
    const limit = {
      limitType: 'daily',
      limit: '150000.00',
      used: '100000.00',
      currency: 'USD',
      resetsAt: '2026-03-04T22:00:00.000Z',
    };
    const problem = await refused('limit_exceeded', customer.execute(body.quoteId), limit);
    await readAnew(customer);
    const key = { 'Idempotency-Key': 'over the limit' };
    assert.deepEqual(
      { ...(await refused('limit_exceeded', customer.post(QUOTES, SELL_USD, key), limit)), ...OF_EACH },
      { ...problem, ...OF_EACH },
      'a quote that could not be executed now is refused in the same words',
    );
    const rest = await customer.quote({ amount: '50000.00' }, key);
    assert.equal(rest.headers.get('Idempotency-Replayed'), null, 'the refusal has released the key');
    assert.equal((await customer.get(`${QUOTES}/${body.quoteId}`)).body.status, 'open');
    const shown = (await customer.get('/v1/customer/limits')).body;
    assert.deepEqual(shown.dailyVolume, { limit: '150000.00', used: '100000.00', remaining: '50000.00' });
    await moveClock(service, { now: problem.resetsAt });
    await customer.trade();
  });

  test('open position: free again when a trade has settled', async () => {
    await moveClock(service, { now: '2026-03-04T14:30:00.000Z' });
    const customer = await createCustomer(service, { limits: { openPosition: '100000.00' } });
    const second = await customer.quote({ amount: '10.00', validitySeconds: 60 });
    const { body } = await customer.trade();
    const limit = { limitType: 'openPosition', limit: '100000.00', used: '100000.00' };
    const problem = await refused('limit_exceeded', customer.execute(second.body.quoteId), limit);
    assert.equal('resetsAt' in problem, false);
    await readAnew(customer);
    await refused('limit_exceeded', customer.post(QUOTES, { ...SELL_USD, amount: '0.01' }), limit);
    const money = { reference: body.reference, amount: body.sellAmount, currency: 'USD' };
    await succeed(201, service.operate('POST', '/v1/sandbox/deposits', money));
    await succeed(200, service.operate('POST', `/v1/sandbox/transactions/${body.transactionId}/settle`));
    await customer.trade(second.body.quoteId);
  });

  test('open quotes: free again when one ends', async () => {
    const customer = await createCustomer(service, { limits: { maxOpenQuotes: 2 } });
    const [first] = [await customer.quote(), await customer.quote({ validitySeconds: 10 })];
    const full = { limit: 2, open: 2 };
    await refused('too_many_open_quotes', customer.post(QUOTES, SELL_USD), full);
    await customer.trade(first.body.quoteId);
    await customer.quote();
    await refused('too_many_open_quotes', customer.post(QUOTES, SELL_USD), full);
    await moveClock(service, { advanceSeconds: 11 });
    await customer.quote();
    const racing = await createCustomer(service, { limits: { maxOpenQuotes: 5 } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => racing.post(QUOTES, SELL_USD)));
    assert.equal(answers.filter((answer) => answer.status === 201).length, 5, 'exact, also at the same time');
  });
});
