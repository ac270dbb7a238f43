import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from './support/service.ts';

const service = await startTestService();

test('token, price, quote, execution, deposit, settlement over HTTP on the sandbox clock', async () => {
  await service.operate('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' });
  const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' };
  const quote = await service.call('POST', '/v1/customer/quotes', { body });
  assert.equal(quote.status, 201, quote.text);
  assert.equal(quote.body.buyAmount, '91987.01');
  const checked = await service.call('GET', `/v1/customer/quotes/${quote.body.quoteId}`);
  assert.equal(checked.body.status, 'open');
  const executed = await service.call('POST', `/v1/customer/quotes/${quote.body.quoteId}/execute`, {
    headers: { 'If-Match': checked.headers.get('ETag') ?? '' },
  });
  assert.equal(executed.status, 201, executed.text);
  const path = executed.headers.get('Location') ?? '';
  assert.equal((await service.call('GET', path)).body.status, 'awaiting_funds');
  await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 6 });
  // The clock goes on by itself as well: how far beyond that it is by now depends on the machine.
  assert.notEqual((await service.call('GET', path)).body.status, 'awaiting_funds');
  await service.operate('POST', '/v1/sandbox/clock', { advanceSeconds: 6 });
  const settled = await service.call('GET', path);
  assert.equal(settled.body.status, 'settled');
  assert.deepEqual(
    settled.body.timeline.map((entry: { status: string }) => entry.status),
    ['awaiting_funds', 'funded', 'settling', 'settled'],
  );
  const events = await service.call('GET', '/v1/customer/events');
  assert.deepEqual(
    events.body.items.map((event: { type: string; sequence: number }) => [event.sequence, event.type]),
    [
      [1, 'quote.executed'],
      [2, 'transaction.created'],
      [3, 'deposit.received'],
      [4, 'deposit.matched'],
      [5, 'transaction.funded'],
      [6, 'transaction.settling'],
      [7, 'transaction.settled'],
    ],
  );
});

test('every schema of every route can be compiled, and answers are the same afterwards', async () => {
  const before = await service.call('GET', '/v1/customer/events');
  await service.application.warmUp(() => Promise.resolve());
  assert.deepEqual((await service.call('GET', '/v1/customer/events')).body, before.body);
  const refused = await service.call('POST', '/v1/customer/quotes', { body: { amount: 5 } });
  assert.equal(refused.body.code, 'validation_failed');
});

test('requests can be tried at /docs/try', async () => {
  const short = await service.call('GET', '/docs/try', { token: null });
  assert.equal(short.status, 301);
  assert.equal(short.headers.get('Location'), '/docs/try/');
  const page = await service.call('GET', '/docs/try/', { token: null });
  assert.equal(page.headers.get('Content-Type'), 'text/html; charset=utf-8');
  assert.match(page.text, /"url": "\/openapi\.json",\s+"title": "Firmquote API"/);
  const script = await service.call('GET', '/docs/try/js/scalar.js', { token: null });
  assert.equal(script.headers.get('Content-Type'), 'application/javascript; charset=utf-8');
  assert.ok(script.text.length > 1_000_000);
});
