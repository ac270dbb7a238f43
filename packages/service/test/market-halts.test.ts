import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  refused,
  SELL_USD,
  succeed,
} from './support/acceptance.ts';
import { until } from './support/process.ts';
import { type Answer, startTestService, type TestService } from './support/service.ts';

/** The kill switch, over HTTP, with a second instance on the same database. */

const HALT = '/v1/operator/market/halt';
const RESUME = '/v1/operator/market/resume';
const HALTS = '/v1/operator/market/halts';
const SELL_GBP = { sellCurrency: 'GBP', buyCurrency: 'JPY', fixedSide: 'sell', amount: '1000.00' };

let service: TestService;
let other: TestService;
let acme: Customer;
let globex: Customer;
/** Of globex, for the other instance, which has an audience of its own. */
let otherToken: string;

before(async () => {
  service = await startTestService();
  other = await startTestService({}, { database: service.database });
  acme = await createCustomer(service);
  globex = await createCustomer(service);
  otherToken = await other.token(globex.clientId, globex.clientSecret);
});

const operate = (path: string, body: unknown) => succeed(200, service.operate('POST', path, body));
const statusOf = async (customer: Customer, quote: Answer): Promise<string> =>
  (await succeed(200, customer.get(`/v1/customer/quotes/${quote.body.quoteId}`))).body.status;

/** Events of the feed of these types, oldest first. */
async function reported(customer: Customer, types: string): Promise<Answer['body'][]> {
  const { body } = await succeed(200, customer.get(`/v1/customer/events?types=${types}&limit=200`));
  return body.items;
}

/** What the other instance answers globex. */
async function statusOnOther(): Promise<number> {
  return (await other.call('POST', '/v1/customer/quotes', { token: otherToken, body: SELL_USD })).status;
}

describe('halts', () => {
  test('a halted pair is not traded by anybody on any instance, until it is resumed', async () => {
    const [euros, pounds] = [await acme.quote(), await acme.quote(SELL_GBP)];
    const { body: halt } = await operate(HALT, { scope: 'pair', pair: 'EURUSD', reason: 'wrong prices' });
    assert.match(halt.haltId, /^hlt_/);
    assert.ok(halt.withdrawnQuotes <= 1, 'the other instance may have been faster');
    await until('it is withdrawn', async () => (await statusOf(acme, euros)) === 'withdrawn');
    assert.equal(await statusOf(acme, pounds), 'open');
    await refused('market_closed', acme.post('/v1/customer/quotes', SELL_USD), { reason: 'halt' });
    await refused('quote_withdrawn', acme.execute(euros.body.quoteId));
    const { body: estimate } = await succeed(200, acme.post('/v1/customer/quotes/indicative', SELL_USD));
    assert.equal(estimate.tradable, false);
    assert.equal(estimate.reason, 'market_closed');
    assert.deepEqual(estimate.market, { state: 'closed', reason: 'halt' });
    await acme.trade(pounds.body.quoteId);
    await until('the other instance follows', async () => (await statusOnOther()) === 409);

    const [withdrawn] = await reported(acme, 'quote.withdrawn');
    assert.equal(withdrawn?.data.quoteId, euros.body.quoteId);
    await until('customers are told', async () => (await reported(globex, 'market.closed')).length === 1);
    const [closed] = await reported(globex, 'market.closed');
    assert.equal(closed?.data.pair, 'EURUSD');
    assert.equal(closed?.data.haltId, halt.haltId);
    assert.equal(closed?.data.reason, 'halt');

    const { body: listed } = await succeed(200, service.operate('GET', `${HALTS}?status=active`));
    assert.deepEqual(
      listed.items.map((item: { haltId: string }) => item.haltId),
      [halt.haltId],
    );
    await operate(RESUME, { scope: 'pair', pair: 'EURUSD', reason: 'fixed' });
    await acme.trade();
    await until('the other instance follows', async () => (await statusOnOther()) === 201);
    await until('customers are told', async () => (await reported(acme, 'market.opened')).length === 1);
    assert.equal((await reported(acme, 'market.closed')).length, 1);
    const { body: history } = await succeed(200, service.operate('GET', `${HALTS}?status=resumed`));
    const [last] = history.items;
    assert.equal(last.resumeReason, 'fixed');
    assert.match(last.haltedBy, /^cli_/);
    assert.equal(last.resumedBy, last.haltedBy);
  });

  test('a halted customer does not trade; the others do, and are not told', async () => {
    const [own, others] = [await acme.quote(), await globex.quote()];
    const before = (await reported(globex, 'market.closed')).length;
    const { body } = await operate(HALT, {
      scope: 'customer',
      customerId: acme.customerId,
      reason: 'review',
    });
    assert.ok(body.withdrawnQuotes <= 1);
    await until('it is withdrawn', async () => (await statusOf(acme, own)) === 'withdrawn');
    await refused('market_closed', acme.post('/v1/customer/quotes', SELL_GBP), { reason: 'halt' });
    await globex.trade(others.body.quoteId);
    await until('the customer is told', async () => (await reported(acme, 'market.closed')).length === 2);
    assert.equal((await reported(globex, 'market.closed')).length, before);
    await operate(RESUME, { scope: 'customer', customerId: acme.customerId });
    await acme.trade();
  });

  test('the kill switch stops everything; halts under it stay when it is lifted', async () => {
    const quotes = [await acme.quote(), await globex.quote(SELL_GBP)];
    await operate(HALT, { scope: 'pair', pair: 'GBPJPY', reason: 'first' });
    const { body: halt } = await operate(HALT, { scope: 'all', reason: 'kill' });
    const again = await operate(HALT, { scope: 'all', reason: 'kill again' });
    assert.equal(again.body.haltId, halt.haltId);
    assert.equal(again.body.reason, 'kill');
    await until('both are withdrawn', async () => {
      const [own, others] = [
        await statusOf(acme, quotes[0] as Answer),
        await statusOf(globex, quotes[1] as Answer),
      ];
      return own === 'withdrawn' && others === 'withdrawn';
    });
    await refused('market_closed', globex.post('/v1/customer/quotes', SELL_USD), { reason: 'halt' });
    await until('the other instance follows', async () => (await statusOnOther()) === 409);
    await operate(RESUME, { scope: 'all' });
    await globex.trade();
    await refused('market_closed', globex.post('/v1/customer/quotes', SELL_GBP), { reason: 'halt' });
    await operate(RESUME, { scope: 'pair', pair: 'GBPJPY' });
    await globex.trade((await globex.quote(SELL_GBP)).body.quoteId);
  });

  test('a halt on a leg stops the crosses that are made of it', async () => {
    // The simulator quotes both legs; a pair that it does not quote is their cross.
    const { body: pairs } = await succeed(
      200,
      acme.post('/v1/customer/quotes/indicative', { sellCurrency: 'NZD', buyCurrency: 'MXN' }),
    );
    assert.equal(pairs.tradable, true);
    await operate(HALT, { scope: 'pair', pair: 'USDMXN', reason: 'leg' });
    await operate(HALT, { scope: 'pair', pair: 'EURMXN', reason: 'leg' });
    const { body } = await succeed(
      200,
      acme.post('/v1/customer/quotes/indicative', { sellCurrency: 'NZD', buyCurrency: 'MXN' }),
    );
    assert.deepEqual([body.tradable, body.market.reason], [false, 'halt']);
    for (const pair of ['USDMXN', 'EURMXN']) await operate(RESUME, { scope: 'pair', pair });
  });

  test('a quote that was made meanwhile is withdrawn by the sweep', async () => {
    await operate(HALT, { scope: 'pair', pair: 'EURUSD', reason: 'race' });
    // As a request that was priced before the halt and written after it.
    await operate(RESUME, { scope: 'pair', pair: 'EURUSD' });
    const late = await acme.quote();
    await service.pool.query(
      `insert into market_halts (id, scope, pair, reason, halted_at, halted_by)
       values (gen_random_uuid(), 'pair', 'EURUSD', 'written by another instance', now(), gen_random_uuid())`,
    );
    await service.pool.query('update market_revision set revision = revision + 1');
    await until('it is withdrawn', async () => (await statusOf(acme, late)) === 'withdrawn');
    await operate(RESUME, { scope: 'pair', pair: 'EURUSD' });
  });

  test('a halt is in force before a restarted instance answers anything', async () => {
    await operate(HALT, { scope: 'pair', pair: 'EURUSD', reason: 'restart' });
    const restarted = await startTestService({}, { database: service.database });
    const token = await restarted.token(globex.clientId, globex.clientSecret);
    await refused('market_closed', restarted.call('POST', '/v1/customer/quotes', { token, body: SELL_USD }), {
      reason: 'halt',
    });
    await restarted.stop();
    await operate(RESUME, { scope: 'pair', pair: 'EURUSD' });
  });

  test('what makes no sense is refused, and halts nothing', async () => {
    const halt = (body: unknown) => service.operate('POST', HALT, body);
    assert.deepEqual(await fieldErrors(halt({ scope: 'pair', reason: 'x' })), [['/pair', 'required']]);
    assert.deepEqual(await fieldErrors(halt({ scope: 'all', pair: 'EURUSD', reason: 'x' })), [
      ['/pair', 'not_permitted'],
    ]);
    assert.deepEqual(await fieldErrors(halt({ scope: 'all' })), [['/reason', 'required']]);
    await refused('pair_not_supported', halt({ scope: 'pair', pair: 'USDEUR', reason: 'x' }));
    await refused('customer_not_found', halt({ scope: 'customer', customerId: 'cus_x', reason: 'x' }));
    const nobody = 'cus_01jngx7z5d2m8r4v6t9k3b1c0a';
    await refused('customer_not_found', halt({ scope: 'customer', customerId: nobody, reason: 'x' }));
    const resume = service.operate('POST', RESUME, { scope: 'all' });
    await refused('invalid_state_transition', resume, { from: 'open', to: 'open' });
    await refused(
      'token_missing',
      service.call('POST', HALT, { token: null, body: { scope: 'all', reason: 'x' } }),
    );
    await refused('insufficient_scope', acme.post(HALT, { scope: 'all', reason: 'x' }));
    await acme.quote();
  });

  test('a repeated request with one key halts once', async () => {
    const body = { scope: 'pair', pair: 'AUDUSD', reason: 'key' };
    const key = { 'Idempotency-Key': 'halt-audusd' };
    const first = await succeed(200, service.operate('POST', HALT, body, key));
    await operate(RESUME, { scope: 'pair', pair: 'AUDUSD' });
    const replayed = await succeed(200, service.operate('POST', HALT, body, key));
    assert.equal(replayed.body.haltId, first.body.haltId);
    const { body: active } = await succeed(200, service.operate('GET', `${HALTS}?status=active`));
    assert.deepEqual(active.items, []);
  });
});
